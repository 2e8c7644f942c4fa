//! The invariants of ARCHITECTURE.md that a test can check.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// The source files below a folder: path and text.
fn sources(folder: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(!files.is_empty(), "no sources below {folder}");
    files
}

/// The files of these folders that contain a word.
fn files_with(folders: &[&str], word: &str) -> Vec<String> {
    let all = folders.iter().flat_map(|folder| sources(folder));
    let mut files: Vec<_> = all.filter(|(_, text)| text.contains(word)).map(|(name, _)| name).collect();
    files.sort();
    files
}

const SHIPPED: [&str; 7] = [
    "ai-api/src",
    "ai-basic1/src",
    "ai-huo1/src",
    "ai-search/src",
    "ai-uci/src",
    "host/src",
    "host/rules/src",
];

#[test]
fn only_the_worker_loads_libraries() {
    assert_eq!(files_with(&SHIPPED, "libloading"), ["host/src/worker/loading.rs"]);
    assert_eq!(files_with(&SHIPPED, "lib_header_from_path"), ["host/src/worker/loading.rs"]);
}

#[test]
fn unsafe_code_is_confined_to_the_abi_and_the_system() {
    let allowed = [
        "ai-api/src/c.rs",
        "ai-api/src/c/options.rs",
        "ai-api/src/c/tests.rs",
        "ai-api/src/export.rs",
        "ai-api/src/extension.rs",
        "ai-api/src/host.rs",
        "ai-api/src/layout.rs",
        "host/src/ai/computing/clock.rs",
        "host/src/cli/allocator.rs",
        "host/src/worker.rs",
        "host/src/worker/loading.rs",
        "host/src/worker/loading/entry.rs",
        "host/src/worker/outgoing.rs",
        "host/src/worker/sandbox/priority.rs",
        "host/src/worker/sandbox/processes.rs",
        "host/src/worker/sandbox/root.rs",
        "host/src/worker/sandbox/user.rs",
    ];
    assert_eq!(files_with(&SHIPPED, "unsafe {"), allowed);
    assert!(
        fs::read_to_string(root().join("host/rules/src/lib.rs")).unwrap().contains("#![forbid(unsafe_code)]")
    );
}

#[test]
fn modules_keep_to_their_layer() {
    assert!(files_with(&["host/src/arbiter", "host/src/ai", "host/src/worker"], "actix").is_empty());
    assert!(files_with(&["host/src/http"], "rules::").is_empty(), "HTTP has no opinion about chess");
    for word in ["std::fs", "std::net", "std::time", "std::thread", "tokio", "async "] {
        assert!(files_with(&["host/rules/src"], word).is_empty(), "rules does not know {word}");
    }
}

/// The normal dependencies of a crate, as cargo resolves them.
fn dependencies(package: &str) -> Vec<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root()).args(["tree", "--offline", "--locked", "--edges", "normal", "--depth", "1"]);
    let output =
        cargo.args(["--prefix", "none", "--format", "{lib}", "--package", package]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn crates_have_only_the_allowed_dependencies() {
    assert_eq!(dependencies("rookery-ai-api"), ["abi_stable"]);
    assert_eq!(dependencies("rookery-ai-search"), ["ai_api"]);
    assert_eq!(dependencies("ai-basic1"), ["ai_api", "ai_search"]);
    assert_eq!(dependencies("ai-huo1"), ["ai_api"]);
    assert_eq!(dependencies("ai-uci"), ["ai_api"]);
    assert!(dependencies("rules").iter().all(|name| ["ai_api", "thiserror"].contains(&name.as_str())));
}

#[test]
fn http_status_codes_have_one_place() {
    let with_status = files_with(&["host/src/http"], "StatusCode::");
    assert_eq!(with_status, ["host/src/http/problem.rs"]);
}
