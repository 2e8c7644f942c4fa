//! What crates.io and docs.rs require of the crates for authors.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use super::{packages::packages, root};

/// Returns the packages that may be published, by name.
fn published() -> Vec<(String, Value)> {
    let packages = packages().into_iter();
    let published = packages.filter(|package| package["publish"].is_null());
    published
        .map(|package| (package["name"].as_str().unwrap().to_owned(), package))
        .collect()
}

fn folder_of(package: &Value) -> PathBuf {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    manifest.parent().unwrap().to_path_buf()
}

/// Returns every file below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() && !path.is_symlink() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Returns the paths that a source includes at compile time.
fn included_by(text: &str) -> impl Iterator<Item = &str> {
    let calls = [
        "include!(\"",
        "include_str!(\"",
        "include_bytes!(\"",
        "path = \"",
    ];
    let after = calls.into_iter().flat_map(|call| text.split(call).skip(1));
    after.map(|rest| rest.split('"').next().unwrap())
}

#[test]
fn the_crates_for_authors_are_described() {
    let published = published();
    let names: BTreeSet<_> = published.iter().map(|(name, _)| name.as_str()).collect();
    let crates = [
        "rookery-ai-api",
        "rookery-ai-attacks",
        "rookery-ai-book",
        "rookery-ai-search",
        "rookery-ai-tablebase",
        "rookery-rules",
    ];
    assert_eq!(names, BTreeSet::from(crates));
    for (name, package) in published {
        assert!(package["description"].is_string(), "{name}");
        assert_eq!(package["readme"], "README.md", "{name}");
        assert_eq!(package["license"], "MIT OR Apache-2.0", "{name}");
        let documentation = format!("https://docs.rs/{name}");
        assert_eq!(package["documentation"], *documentation, "{name}");
        let targets = &package["metadata"]["docs"]["rs"]["targets"];
        assert_eq!(targets[0], "x86_64-unknown-linux-gnu", "{name}");
        let count = |key: &str| package[key].as_array().unwrap().len();
        // crates.io accepts at most five of each.
        assert!((1..=5).contains(&count("keywords")), "{name}");
        assert!((1..=5).contains(&count("categories")), "{name}");
        let version = package["version"].as_str().unwrap();
        assert!(!version.starts_with("0."), "{name} {version}");
        for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let [own, shared] = [folder_of(&package), root()]
                .map(|folder| fs::read_to_string(folder.join(license)).unwrap());
            assert!(own == shared, "{name}: copy {license} from the root");
        }
    }
}

#[test]
fn the_crates_for_authors_are_built_from_their_archives() {
    let published = published();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut cargo = Command::new(env!("CARGO"));
    // Each package is built from its archive, together with the others' archives.
    cargo.args([
        "package",
        "--locked",
        "--offline",
        "--allow-dirty",
        "--quiet",
    ]);
    cargo.arg("--target-dir").arg(target);
    cargo.args(published.iter().flat_map(|(name, _)| ["--package", name]));
    let output = cargo.current_dir(root()).output().unwrap();
    let reported = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{reported}");

    for (name, package) in published {
        let version = package["version"].as_str().unwrap();
        let archive = target.join(format!("package/{name}-{version}"));
        for file in ["README.md", "LICENSE-APACHE", "LICENSE-MIT", "src/lib.rs"] {
            assert!(archive.join(file).is_file(), "{name} has no {file}");
        }
        for file in files_below(&archive) {
            let packed = file.strip_prefix(&archive).unwrap();
            let source = folder_of(&package).join(packed);
            assert!(!source.is_symlink(), "{name}: {packed:?} is a link");
            let text = fs::read_to_string(&file).unwrap();
            let is_rust = file.extension().is_some_and(|extension| extension == "rs");
            for path in included_by(&text).filter(|_| is_rust) {
                let included = fs::canonicalize(file.with_file_name(path));
                let is_inside = included.is_ok_and(|included| included.starts_with(&archive));
                assert!(is_inside, "{name}: {packed:?} includes {path}");
            }
        }
    }
}
