//! The example AIs and those of the guide pass.

use std::{path::Path, process::Command};

use serde_json::json;

use super::check_each_passes;
use crate::{
    cli::run,
    plugins::c_abi::{compile, contract},
};

#[test]
fn the_c_and_cpp_examples_pass() {
    let folder = tempfile::tempdir().unwrap();
    let mut libraries = Vec::new();
    for (compiler, standard, example) in [
        ("cc", "c11", "c/minimax.c"),
        ("cc", "c11", "c/pawns.c"),
        ("c++", "c++17", "cpp/rooks.cpp"),
    ] {
        let library = folder
            .path()
            .join(format!("lib{}.so", example.replace('/', "_")));
        let compiled = Command::new(compiler)
            .arg(format!("-std={standard}"))
            .args([
                "-O2",
                "-Wall",
                "-Wextra",
                "-Wpedantic",
                "-Werror",
                "-fPIC",
                "-shared",
                "-I",
            ])
            .arg(contract().join("include"))
            .arg(contract().join("examples").join(example))
            .arg("-o")
            .arg(&library)
            .status();
        assert!(compiled.unwrap().success());
        libraries.push(library);
    }
    check_each_passes(&libraries, 20);
}

#[test]
fn the_ais_of_the_guide_pass() {
    let guide = include_str!("../../../../../docs/writing-an-ai.md");
    let last = |fence: &str| {
        guide
            .rsplit_once(fence)
            .unwrap()
            .1
            .split_once("\n```")
            .unwrap()
            .0
    };
    let folder = tempfile::tempdir().unwrap();
    let (source, in_c) = (
        folder.path().join("counter.c"),
        folder.path().join("libcounter.so"),
    );
    std::fs::write(&source, last("```c\n")).unwrap();
    compile(&contract(), &source, &in_c, &[]);

    let manifest = format!(
        "[package]\nname = \"ai-counter\"\nversion = \"1.0.0\"\nedition = \
         \"2024\"\n\n[workspace]\n\n[lib]\npath = \"counter.rs\"\ncrate-type = \
         [\"cdylib\"]\n\n[dependencies]\nai-api = {{ package = \"rookery-ai-api\", path = {:?} \
         }}\n",
        contract()
    );
    std::fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    std::fs::write(
        folder.path().join("counter.rs"),
        last("```rust,standalone_crate\n"),
    )
    .unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    test_kit::run(
        cargo
            .args(["build", "--release", "--offline", "--quiet"])
            .current_dir(folder.path()),
    );
    let in_rust = folder.path().join("target/release/libai_counter.so");
    ends_at_the_smaller_limit(&in_c);
    ends_at_the_smaller_limit(&in_rust);
    check_each_passes(&[in_c, in_rust], 12);
}

fn ends_at_the_smaller_limit(library: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let request = folder.path().join("request.json");
    for (depth, mate_plies) in [(3, 1), (1, 3)] {
        let limits = json!({"limits": {"depth": depth, "mate_plies": mate_plies}});
        std::fs::write(&request, limits.to_string()).unwrap();
        let arguments = [
            "check-ai",
            library.to_str().unwrap(),
            "--request",
            request.to_str().unwrap(),
        ];
        let reported = run(&arguments).json();
        assert_eq!(reported["result"]["depth"], 1, "{reported}");
    }
}
