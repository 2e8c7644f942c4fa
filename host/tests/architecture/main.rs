//! The invariants in ARCHITECTURE.md that a test can check.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod columns;
mod english;
mod imports;
mod names;
mod packages;
mod published;

use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_path_buf()
}

/// Returns the path (relative to the repository) and the text of every file below a folder that has
/// one of these extensions, except what other tools generate.
fn files(folder: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let generated = ["target", "node_modules", "dist"];
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !generated.iter().any(|name| path.ends_with(name)) {
                    folders.push(path);
                }
            } else if extensions
                .iter()
                .any(|end| path.extension() == Some(end.as_ref()))
            {
                let name = path
                    .strip_prefix(root())
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert!(!files.is_empty(), "no {extensions:?} below {folder}");
    files
}

/// Returns the path and the text of every Rust source below a folder.
fn sources(folder: &str) -> Vec<(String, String)> {
    files(folder, &["rs"])
}

/// Returns the files in these folders that contain a word.
fn files_with(folders: &[&str], word: &str) -> Vec<String> {
    let all = folders.iter().flat_map(|folder| sources(folder));
    let mut files: Vec<_> = all
        .filter(|(_, text)| text.contains(word))
        .map(|(name, _)| name)
        .collect();
    files.sort();
    files
}

/// Returns the source folders that ship.
fn shipped() -> Vec<String> {
    packages::shipped()
        .iter()
        .map(|package| format!("{}/src", package.folder))
        .collect()
}

/// Returns the shipped files that contain a word.
fn shipped_with(word: &str) -> Vec<String> {
    let folders = shipped();
    files_with(
        &folders.iter().map(String::as_str).collect::<Vec<_>>(),
        word,
    )
}

#[test]
fn only_the_worker_loads_libraries() {
    assert_eq!(
        shipped_with("libloading"),
        ["host/crates/worker/src/loading.rs"]
    );
    assert_eq!(
        shipped_with("lib_header_from_path"),
        ["host/crates/worker/src/loading.rs"]
    );
}

#[test]
fn only_the_worker_probes_tablebases() {
    let mut probing = shipped_with("ai_tablebase");
    probing.retain(|file| file.starts_with("host"));
    assert_eq!(probing, ["host/crates/worker/src/tablebase.rs"]);
}

#[test]
fn unsafe_code_is_limited_to_the_abi_the_system_and_the_processor() {
    let allowed = [
        "ai-api/src/c/convert.rs",
        "ai-api/src/c/options.rs",
        "ai-api/src/c/sized.rs",
        "ai-api/src/c/tests.rs",
        "ai-api/src/export.rs",
        "ai-api/src/extension.rs",
        "ai-api/src/host.rs",
        "ai-api/src/layout.rs",
        "ai-api/src/tablebase.rs",
        "ais/nnue1/src/processor.rs",
        "host/crates/pool/src/process/cpu_time.rs",
        "host/crates/rules/src/in_place.rs",
        "host/crates/rules/src/processor.rs",
        "host/crates/worker/src/allocation_failure.rs",
        "host/crates/worker/src/extensions.rs",
        "host/crates/worker/src/loading.rs",
        "host/crates/worker/src/loading/entry.rs",
        "host/crates/worker/src/loading/lent.rs",
        "host/crates/worker/src/outgoing.rs",
        "host/crates/worker/src/probe_flag.rs",
        "host/crates/worker/src/sandbox/priority.rs",
        "host/crates/worker/src/sandbox/processes.rs",
        "host/crates/worker/src/sandbox/root.rs",
        "host/crates/worker/src/sandbox/user.rs",
        "host/crates/worker/src/startup.rs",
        "host/crates/worker/src/tablebase.rs",
        "host/crates/worker/src/trace.rs",
        "host/src/cli/allocator.rs",
    ];
    assert_eq!(shipped_with("unsafe {"), allowed);
    assert!(
        fs::read_to_string(root().join("host/crates/rules/src/lib.rs"))
            .unwrap()
            .contains("#![deny(unsafe_code)]")
    );
}

#[test]
fn rules_has_no_io_and_no_async() {
    for word in [
        "std::fs",
        "std::net",
        "std::time",
        "std::thread",
        "tokio",
        "async ",
    ] {
        assert!(
            files_with(&["host/crates/rules/src"], word).is_empty(),
            "rules contains {word}"
        );
    }
}

#[test]
fn errors_have_their_status_in_one_place() {
    assert_eq!(
        files_with(
            &[
                "host/crates/api/src",
                "host/crates/server/src",
                "host/extras"
            ],
            "StatusCode::"
        ),
        ["host/crates/server/src/http/problem.rs"]
    );
}

#[test]
fn no_file_imports_itself_through_others() {
    let mut found = Vec::new();
    for folder in shipped() {
        let circles = imports::circles(&root().join(&folder));
        found.extend(
            circles
                .into_iter()
                .map(|circle| format!("{folder}: {circle}")),
        );
    }
    assert!(found.is_empty(), "import cycles:\n{}", found.join("\n"));
}

#[test]
fn finds_import_cycles() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    write(
        "lib.rs",
        "mod a; mod b; mod c; pub use a::One; pub use b::Two;",
    );
    write(
        "a.rs",
        "mod inner; pub use inner::Inner; pub struct One(crate::Two);",
    );
    write("a/inner.rs", "pub struct Inner;");
    write(
        "b.rs",
        "pub struct Two; #[cfg(test)] mod tests { use crate::a::One; }",
    );
    write(
        "c.rs",
        "use super::{One, b}; fn f(_: One, _: b::Two, _: crate::a::Inner) {}",
    );
    assert_eq!(imports::circles(folder.path()), [""; 0]);
    write("a/inner.rs", "use super::super::c; pub struct Inner;");
    assert_eq!(
        imports::circles(folder.path()),
        ["a::inner -> c -> a::inner"]
    );
    write("a/inner.rs", "use super::One; pub struct Inner(One);");
    write(
        "a.rs",
        "mod inner; use inner::Inner; pub struct One(Inner);",
    );
    assert_eq!(imports::circles(folder.path()), ["a -> a::inner -> a"]);
    // This cycle is hidden behind a re-export.
    write("a/inner.rs", "pub struct Inner;");
    write(
        "a.rs",
        "mod inner; pub use inner::Inner; pub struct One(crate::Two);",
    );
    write("b.rs", "pub struct Two(crate::a::Inner);");
    assert_eq!(imports::circles(folder.path()), ["a -> b -> a"]);
}
