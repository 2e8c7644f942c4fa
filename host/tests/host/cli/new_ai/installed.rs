//! An installed package without a clone, a registry and a network.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use tempfile::TempDir;
use test_kit::run;

use crate::{
    cli::outcome,
    support::{assert_has, copy_program, rookery},
};

/// The folder `usr` of a package, as `make dist` fills it.
fn installed() -> TempDir {
    let usr = tempfile::tempdir().unwrap();
    fs::create_dir_all(usr.path().join("bin")).unwrap();
    copy_program(rookery(), &usr.path().join("bin/rookery"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/scripts/crates.sh");
    let crates = usr.path().join("share/rookery/crates");
    assert!(
        Command::new(script)
            .arg(&crates)
            .status()
            .unwrap()
            .success()
    );
    // Not even root's cargo writes there.
    for folder in ["ai-api", "sdk/search", "host/crates/rules"] {
        fs::set_permissions(crates.join(folder), fs::Permissions::from_mode(0o555)).unwrap();
    }
    usr
}

#[test]
fn an_ai_in_rust_is_built_and_tested_from_the_shipped_crates() {
    let usr = installed();
    let crates = usr.path().join("share/rookery/crates");
    for (name, further) in [("ai-far", None), ("ai-judge", Some("--evaluator"))] {
        let place = tempfile::tempdir().unwrap();
        let mut command = assert_cmd::Command::new(usr.path().join("bin/rookery"));
        outcome(
            command
                .args(["new-ai", name])
                .args(further)
                .current_dir(place.path()),
        )
        .data();
        let folder = place.path().join(name);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let parts = ["ai-api", "sdk/search", "host/crates/rules"];
        assert_has(
            &manifest,
            &parts.map(|part| format!("path = \"{}/{part}\"", crates.display())),
        );
        for command in [
            &["test", "--offline"][..],
            &["build", "--release", "--offline"],
        ] {
            let mut cargo = Command::new(env!("CARGO"));
            // Without what this machine has downloaded.
            cargo
                .args(command)
                .current_dir(&folder)
                .env("CARGO_HOME", place.path().join("home"));
            run(&mut cargo);
        }
        assert!(
            folder
                .join(format!("target/release/lib{}.so", name.replace('-', "_")))
                .exists()
        );
    }
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
