//! An installed package without a clone, a registry or a network.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use test_kit::run;

use super::clone;
use crate::{
    cli::{Outcome, outcome},
    support::{assert_has, copy_program, rookery},
};

/// A package's `usr` folder, as `make dist` fills it.
fn installed() -> TempDir {
    let usr = tempfile::tempdir().unwrap();
    fs::create_dir_all(usr.path().join("bin")).unwrap();
    copy_program(rookery(), &usr.path().join("bin/rookery"));
    let script = clone().join("tools/scripts/crates.sh");
    let crates = usr.path().join("share/rookery/crates");
    assert!(
        Command::new(script)
            .arg(&crates)
            .status()
            .unwrap()
            .success()
    );
    // Cargo must not write there.
    for folder in ["ai-api", "sdk/search", "host/crates/rules"] {
        fs::set_permissions(crates.join(folder), fs::Permissions::from_mode(0o555)).unwrap();
    }
    usr
}

/// Runs an installed package's `new-ai` in a folder.
fn new_ai(usr: &TempDir, parent: &Path, arguments: &[&str]) -> Outcome {
    let mut command = assert_cmd::Command::new(usr.path().join("bin/rookery"));
    let command = command.arg("new-ai").args(arguments);
    outcome(command.current_dir(parent))
}

/// The path and the text of each file below a folder.
fn texts_below(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts.extend(texts_below(&path));
        } else {
            let text = fs::read_to_string(&path).unwrap();
            texts.push((path, text));
        }
    }
    texts
}

#[test]
fn a_moved_rust_ai_builds_and_passes_its_tests_without_the_package() {
    for (name, further) in [("ai-far", None), ("ai-judge", Some("--evaluator"))] {
        let place = tempfile::tempdir().unwrap();
        let usr = installed();
        let arguments: Vec<_> = [name].into_iter().chain(further).collect();
        new_ai(&usr, place.path(), &arguments).data();
        let written = place.path().join(name);
        let places = [usr.path(), place.path(), &clone()].map(|path| path.display().to_string());
        for (file, text) in texts_below(&written) {
            let named = places.iter().find(|place| text.contains(*place));
            assert_eq!(named, None, "{}", file.display());
        }

        drop(usr);
        let elsewhere = tempfile::tempdir().unwrap();
        let folder = elsewhere.path().join("another place");
        fs::rename(&written, &folder).unwrap();
        drop(place);
        for command in [&["test"][..], &["build", "--release"]] {
            let mut cargo = Command::new(env!("CARGO"));
            // An empty home hides the crates that this machine has downloaded.
            let home = elsewhere.path().join("home");
            cargo.args(command).args(["--locked", "--offline"]);
            cargo.current_dir(&folder).env("CARGO_HOME", home);
            let built = cargo.output().unwrap();
            let reported = String::from_utf8_lossy(&built.stderr);
            let is_clean = built.status.success() && !reported.contains("warning");
            assert!(is_clean, "{reported}");
        }
        let library = format!("target/release/lib{}.so", name.replace('-', "_"));
        assert!(folder.join(library).exists());
    }
}

/// Returns cargo's description of a package, without the parts that only its workspace uses.
fn description(manifest: &Path) -> Value {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let metadata = run(cargo.arg("--manifest-path").arg(manifest));
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let manifest = json!(manifest);
    let is_asked = |package: &&Value| package["manifest_path"] == manifest;
    let mut package = packages.iter().find(is_asked).unwrap().clone();
    let package = package.as_object_mut().unwrap();
    for place in ["id", "manifest_path", "targets"] {
        package.remove(place);
    }
    let dependencies = package["dependencies"].as_array_mut().unwrap();
    dependencies.retain(|dependency| dependency["kind"].is_null());
    for dependency in dependencies {
        let dependency = dependency.as_object_mut().unwrap();
        dependency.remove("path");
        dependency.remove("source");
    }
    json!(package)
}

#[test]
fn the_folder_contains_what_cargo_packs() {
    let (usr, place) = (installed(), tempfile::tempdir().unwrap());
    new_ai(&usr, place.path(), &["ai-mine"]).data();
    let vendor = place.path().join("ai-mine/vendor");
    for (name, folder) in [
        ("rookery-ai-api", "ai-api"),
        ("rookery-ai-attacks", "sdk/attacks"),
        ("rookery-ai-book", "sdk/book"),
        ("rookery-ai-search", "sdk/search"),
        ("rookery-ai-tablebase", "sdk/tablebase"),
        ("rookery-rules", "host/crates/rules"),
    ] {
        let carried = vendor.join(name);
        let files = texts_below(&carried).into_iter().map(|(path, _)| {
            let path = path.strip_prefix(&carried).unwrap();
            path.to_str().unwrap().to_owned()
        });
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "package",
            "--list",
            "--offline",
            "--allow-dirty",
            "-p",
            name,
        ]);
        let listed = run(cargo.current_dir(clone()));
        // Cargo writes these files.
        let own = ["Cargo.lock", "Cargo.toml.orig", ".cargo_vcs_info.json"];
        let packed = listed.lines().filter(|file| !own.contains(file));
        let packed: BTreeSet<_> = packed.map(str::to_owned).collect();
        assert_eq!(files.collect::<BTreeSet<_>>(), packed, "{name}");
        assert_eq!(
            description(&carried.join("Cargo.toml")),
            description(&clone().join(folder).join("Cargo.toml")),
            "{name}"
        );
    }
}

#[test]
fn a_damaged_package_is_reported() {
    let (usr, place) = (installed(), tempfile::tempdir().unwrap());
    let crates = usr.path().join("share/rookery/crates");
    fs::remove_file(crates.join("sdk/book/LICENSE-MIT")).unwrap();
    new_ai(&usr, place.path(), &["mine"]).fails_with(
        1,
        &["sdk/book/LICENSE-MIT, which an AI in Rust needs: No such file"],
    );
    fs::remove_file(crates.join("sdk/book/Cargo.toml")).unwrap();
    new_ai(&usr, place.path(), &["mine"]).fails_with(
        2,
        &[
            "crates does not contain the crates that an AI in Rust needs: expected ai-api, sdk",
            "--link PATH",
        ],
    );
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn the_shipped_crates_are_a_workspace() {
    let usr = installed();
    let mut cargo = Command::new(env!("CARGO"));
    let metadata = run(cargo
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(usr.path().join("share/rookery/crates")));
    assert_has(
        &metadata,
        &[
            "rookery-ai-api",
            "rookery-ai-attacks",
            "rookery-ai-search",
            "rookery-rules",
        ],
    );
}
