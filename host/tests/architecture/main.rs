//! The invariants of ARCHITECTURE.md that a test can hold.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod imports;
mod packages;

use std::{
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// Every source file below a folder, by its path from the root, with its text.
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

/// The files of some folders in which a word stands.
fn files_with(folders: &[&str], word: &str) -> Vec<String> {
    let all = folders.iter().flat_map(|folder| sources(folder));
    let mut files: Vec<_> = all.filter(|(_, text)| text.contains(word)).map(|(name, _)| name).collect();
    files.sort();
    files
}

/// The crates that ship, by the folder of their sources.
const SHIPPED: &[&str] = &[
    "ai-api/src",
    "ai-basic1/src",
    "sdk/book/src",
    "ais/huo1/src",
    "ais/nnue1/src",
    "sdk/search/src",
    "sdk/tablebase/src",
    "ais/uci/src",
    "host/crates/book/src",
    "host/crates/config/src",
    "host/crates/conformance/src",
    "host/crates/eco/src",
    "host/crates/formats/src",
    "host/crates/game/src",
    "host/crates/library/src",
    "host/crates/pool/src",
    "host/crates/protocol/src",
    "host/crates/rules/src",
    "host/crates/server/src",
    "host/src",
    "host/crates/text/src",
    "host/crates/tournament/src",
    "host/crates/uci/src",
    "host/crates/worker/src",
];

#[test]
fn only_the_worker_loads_libraries() {
    assert_eq!(files_with(SHIPPED, "libloading"), ["host/crates/worker/src/loading.rs"]);
    assert_eq!(files_with(SHIPPED, "lib_header_from_path"), ["host/crates/worker/src/loading.rs"]);
}

#[test]
fn only_the_worker_probes_tablebases() {
    let host: Vec<_> = SHIPPED.iter().copied().filter(|folder| folder.starts_with("host")).collect();
    assert_eq!(files_with(&host, "ai_tablebase"), ["host/crates/worker/src/tablebase.rs"]);
}

#[test]
fn unsafe_code_is_at_the_abi_the_system_and_the_processor() {
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
        "host/crates/rules/src/processor.rs",
        "host/src/cli/allocator.rs",
        "host/crates/worker/src/extensions.rs",
        "host/crates/worker/src/loading.rs",
        "host/crates/worker/src/loading/entry.rs",
        "host/crates/worker/src/outgoing.rs",
        "host/crates/worker/src/probe_flag.rs",
        "host/crates/worker/src/sandbox/priority.rs",
        "host/crates/worker/src/sandbox/processes.rs",
        "host/crates/worker/src/sandbox/root.rs",
        "host/crates/worker/src/sandbox/user.rs",
        "host/crates/worker/src/startup.rs",
        "host/crates/worker/src/tablebase.rs",
    ];
    assert_eq!(files_with(SHIPPED, "unsafe {"), allowed);
    assert!(
        fs::read_to_string(root().join("host/crates/rules/src/lib.rs")).unwrap().contains("#![deny(unsafe_code)]")
    );
}

#[test]
fn rules_has_no_io_and_no_async() {
    for word in ["std::fs", "std::net", "std::time", "std::thread", "tokio", "async "] {
        assert!(files_with(&["host/crates/rules/src"], word).is_empty(), "rules does not know {word}");
    }
}

#[test]
fn errors_have_their_status_in_one_place() {
    assert_eq!(files_with(&["host/crates/server/src"], "StatusCode::"), ["host/crates/server/src/problem.rs"]);
}

/// The crates of the workspace with the crates of the workspace that each may use, the lowest first.
const CRATES: &[(&str, &[&str])] = &[
    ("rookery-ai-api", &[]),
    ("rookery-ai-search", &["ai_api"]),
    ("rookery-ai-book", &["ai_api"]),
    ("ai-tablebase", &["ai_api"]),
    ("ai-basic1", &["ai_api", "ai_search"]),
    ("ai-huo1", &["ai_api"]),
    ("ai-nnue1", &["ai_api", "ai_book", "ai_search", "ai_tablebase"]),
    ("ai-uci", &["ai_api"]),
    ("text", &[]),
    ("rules", &["ai_api"]),
    ("eco", &["rules"]),
    ("book", &["ai_api", "ai_book", "rules"]),
    ("formats", &["ai_api", "eco", "rules", "text"]),
    ("protocol", &["ai_api", "text"]),
    ("library", &["ai_api", "protocol", "text"]),
    ("config", &["ai_api", "library", "protocol", "text"]),
    ("worker", &["ai_api", "ai_search", "ai_tablebase", "protocol", "rules", "text"]),
    ("pool", &["ai_api", "config", "library", "protocol", "text"]),
    ("game", &["ai_api", "config", "pool", "protocol", "rules"]),
    ("uci", &["ai_api", "config", "game", "pool", "protocol", "rules", "text"]),
    (
        "tournament",
        &[
            "ai_api", "ai_book", "book", "config", "eco", "formats", "game", "pool", "protocol", "rules",
            "uci",
        ],
    ),
    ("conformance", &["ai_api", "config", "game", "library", "pool", "protocol", "rules", "text"]),
    (
        "server",
        &["ai_api", "config", "eco", "formats", "game", "library", "pool", "protocol", "rules", "text"],
    ),
    (
        "rookery",
        &[
            "ai_api",
            "ai_book",
            "book",
            "config",
            "conformance",
            "eco",
            "formats",
            "game",
            "library",
            "pool",
            "protocol",
            "rules",
            "server",
            "text",
            "tournament",
            "uci",
            "worker",
        ],
    ),
];

#[test]
fn crates_use_only_the_crates_below_them() {
    let packages = packages::packages();
    let dependencies = |package: &str| packages::dependencies(&packages, package);
    let ours: Vec<String> =
        CRATES.iter().map(|(name, _)| name.trim_start_matches("rookery-").replace('-', "_")).collect();
    for (package, allowed) in CRATES {
        let all = dependencies(package);
        let mut used: Vec<_> = all.iter().filter(|name| ours.contains(name)).collect();
        used.sort();
        assert_eq!(used, *allowed, "{package}");
        for below in *allowed {
            let place = |name: &str| ours.iter().position(|crate_name| crate_name == name).unwrap();
            let own = package.trim_start_matches("rookery-").replace('-', "_");
            assert!(place(below) < place(&own), "{package} uses {below}, which is not below it");
        }
    }
    let of_ais = ["ai-basic1", "ai-huo1", "ai-nnue1", "ai-uci", "rookery-ai-book", "rookery-ai-search"];
    for package in of_ais {
        let foreign: Vec<_> = dependencies(package)
            .into_iter()
            .filter(|name| !["ai_api", "ai_book", "ai_search", "ai_tablebase"].contains(&&**name))
            .collect();
        assert!(foreign.is_empty(), "{package} uses {foreign:?}");
    }
    assert_eq!(dependencies("rookery-ai-api"), ["abi_stable"]);
    assert_eq!(dependencies("rules"), ["ai_api", "strum", "thiserror"]);
    let with_http: Vec<_> = CRATES
        .iter()
        .map(|(package, _)| *package)
        .filter(|package| dependencies(package).iter().any(|name| name.starts_with("actix")))
        .collect();
    assert_eq!(with_http, ["server", "rookery"]);
}

#[test]
fn no_file_imports_itself_through_others() {
    let mut found = Vec::new();
    for folder in SHIPPED {
        let circles = imports::circles(&root().join(folder));
        found.extend(circles.into_iter().map(|circle| format!("{folder}: {circle}")));
    }
    assert!(found.is_empty(), "import circles:\n{}", found.join("\n"));
}

#[test]
fn the_search_for_circles_finds_them() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("a")).unwrap();
    write("lib.rs", "mod a; mod b; mod c; pub use a::One; pub use b::Two;");
    write("a.rs", "mod inner; pub use inner::Inner; pub struct One(crate::Two);");
    write("a/inner.rs", "pub struct Inner;");
    write("b.rs", "pub struct Two; #[cfg(test)] mod tests { use crate::a::One; }");
    write("c.rs", "use super::{One, b}; fn f(_: One, _: b::Two, _: crate::a::Inner) {}");
    assert_eq!(imports::circles(folder.path()), [""; 0]);
    write("a/inner.rs", "use super::super::c; pub struct Inner;");
    assert_eq!(imports::circles(folder.path()), ["a::inner -> c -> a::inner"]);
    write("a/inner.rs", "use super::One; pub struct Inner(One);");
    write("a.rs", "mod inner; use inner::Inner; pub struct One(Inner);");
    assert_eq!(imports::circles(folder.path()), ["a -> a::inner -> a"]);
}
