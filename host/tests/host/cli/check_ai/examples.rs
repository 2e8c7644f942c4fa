//! The AIs in `ai-api/examples` pass. `foreign` tests the examples that need other compilers.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::json;

use super::check_each_passes;
use crate::{cli::run, plugins::c_abi::contract};

#[test]
fn the_c_and_cpp_examples_pass() {
    let folder = tempfile::tempdir().unwrap();
    let mut libraries = Vec::new();
    for (compiler, standard, example) in [
        ("cc", "c11", "c/counter.c"),
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
    ends_at_the_smaller_limit(&libraries[0]);
    check_each_passes(&libraries, 20);
}

/// C++20 accepts designated initializers only in the order of the header.
#[test]
fn c_that_authors_copy_is_valid_cpp() {
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/c");
    let examples = contract().join("examples/c");
    let folder = tempfile::tempdir().unwrap();
    for source in [
        examples.join("counter.c"),
        examples.join("pawns.c"),
        templates.join("evaluator.c.in"),
        templates.join("searcher.c.in"),
    ] {
        let program = fs::read_to_string(&source).unwrap();
        let copy = folder.path().join("ai.cpp");
        fs::write(&copy, program.replace("{id}", "mine")).unwrap();
        let compiled = Command::new("c++")
            .args(["-std=c++20", "-Wall", "-Werror", "-fsyntax-only", "-I"])
            .arg(contract().join("include"))
            .arg(copy)
            .status();
        assert!(compiled.unwrap().success(), "{}", source.display());
    }
}

#[test]
fn the_rust_examples_pass() {
    let folder = tempfile::tempdir().unwrap();
    let libraries = ["counter", "net", "trace"].map(|name| built_example(name, folder.path()));
    ends_at_the_smaller_limit(&libraries[0]);
    check_each_passes(&libraries, 22);
}

/// Builds a Rust example. The examples in a folder share its target directory.
fn built_example(name: &str, folder: &Path) -> PathBuf {
    let source = contract().join(format!("examples/rust/{name}.rs"));
    let manifest = format!(
        "[package]\nname = \"ai-{name}\"\nversion = \"1.0.0\"\nedition = \
         \"2024\"\n\n[workspace]\n\n[lib]\npath = \"{}\"\ncrate-type = \
         [\"cdylib\"]\n\n[dependencies]\nai-api = {{ package = \"rookery-ai-api\", path = \"{}\" \
         }}\n",
        source.display(),
        contract().display()
    );
    let place = folder.join(name);
    fs::create_dir(&place).unwrap();
    fs::write(place.join("Cargo.toml"), manifest).unwrap();
    let target = folder.join("target");
    let mut cargo = Command::new(env!("CARGO"));
    test_kit::run(
        cargo
            .args(["build", "--release", "--offline", "--quiet", "--target-dir"])
            .arg(&target)
            .current_dir(place),
    );
    target.join(format!("release/libai_{name}.so"))
}

fn ends_at_the_smaller_limit(library: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let request = folder.path().join("request.json");
    for (depth, mate_plies) in [(3, 1), (1, 3)] {
        let limits = json!({"limits": {"depth": depth, "mate_plies": mate_plies}});
        fs::write(&request, limits.to_string()).unwrap();
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
