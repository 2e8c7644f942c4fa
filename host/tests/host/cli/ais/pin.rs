//! `rookery ais pin`, and pinned libraries.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
};

use library::sha256::Sha256Sum;
use serde_json::{Value, json};

use super::super::{Outcome, run, run_quietly, run_with};
use crate::support::{ConfigFile, assert_has, built, copy_program, rookery};

/// A configuration of an AI with its own library file, and further lines.
fn own_library(policy: &str, further: &str) -> ConfigFile {
    let file = ConfigFile::verbatim(&format!(
        "[plugins]\npolicy = \"{policy}\"\n\n[ai.own]\nlibrary = \
         \"./libown.so\"\n{further}\n[client.default]\nai = \"own\"\n"
    ));
    fs::copy(built("counts_pawns"), file.folder().join("libown.so")).unwrap();
    file
}

fn sum_of(file: &ConfigFile) -> String {
    Sha256Sum::of(&fs::read(file.folder().join("libown.so")).unwrap()).to_string()
}

/// Pastes the lines of `rookery ais pin` into the configuration.
fn pasted(file: &ConfigFile) {
    let lines = run_with(file, &["ais", "pin"]).data();
    let pin = lines
        .lines()
        .find(|line| line.starts_with("sha256 = "))
        .unwrap();
    let text = fs::read_to_string(file.path()).unwrap();
    let text: Vec<_> = text
        .lines()
        .filter(|line| !line.starts_with("sha256 = "))
        .collect();
    fs::write(
        file.path(),
        text.join("\n")
            .replace("[ai.own]", &format!("[ai.own]\n{pin}")),
    )
    .unwrap();
}

#[test]
fn prints_the_lines_to_paste_and_the_current_pin() {
    let file = own_library("any", "");
    let sum = sum_of(&file);
    let place = "# Move each line to the existing section of its AI; a section must be unique.\n\n";
    let expected =
        |state: &str| format!("{place}# libown.so: {state}\n[ai.own]\nsha256 = \"{sum}\"\n");
    assert_eq!(
        run_with(&file, &["ais", "pin"]).data(),
        expected("not pinned yet")
    );
    assert_eq!(
        run_with(&file, &["ais", "pin", "own"]).data(),
        expected("not pinned yet")
    );
    pasted(&file);
    assert_eq!(
        run_with(&file, &["ais", "pin"]).data(),
        expected("already pinned")
    );
    let other = "0".repeat(64);
    let wrong = own_library("any", &format!("sha256 = \"{other}\""));
    assert_eq!(
        run_with(&wrong, &["ais", "pin"]).data(),
        expected(&format!("the configuration has {other}"))
    );

    let library = fs::canonicalize(wrong.folder()).unwrap().join("libown.so");
    let expected =
        json!([{"id": "own", "library": {"file": library, "sha256": sum}, "pinned": other}]);
    assert_eq!(run_with(&wrong, &["ais", "pin", "--json"]).json(), expected);
}

#[test]
fn printed_lines_satisfy_the_pinned_policy() {
    let file = own_library("pinned", "");
    for arguments in [
        &["config", "check"][..],
        &["serve", "--listen", "127.0.0.1:0"],
    ] {
        let cause = "AI 'own': the library is not pinned";
        let remedy = "`rookery ais pin own` prints the line";
        run_quietly(&file, arguments).fails_with(2, &[cause, "toml:4:5\n", remedy]);
    }
    pasted(&file);
    run_with(&file, &["config", "check"]).data();
    run_with(&file, &["best-move", "--depth", "1"]).data();
}

#[test]
fn rejects_a_pinned_library_that_changed() {
    let file = own_library("any", "");
    pasted(&file);
    let pinned = sum_of(&file);
    let library = file.folder().join("libown.so");
    let mut bytes = fs::read(&library).unwrap();
    // The library stays valid when bytes are appended.
    bytes.push(0);
    fs::write(&library, bytes).unwrap();
    let sum = sum_of(&file);
    let expected = format!(
        "error: AI 'own': the library does not match its pin: its sha256 is {sum}, expected \
         {pinned}\n"
    );
    for arguments in [
        &["config", "check"][..],
        &["serve", "--listen", "127.0.0.1:0"],
        &["best-move"],
    ] {
        run_quietly(&file, arguments).fails_with(2, &[&expected]);
    }
    let listed = run_with(&file, &["ais"]);
    assert_eq!(listed.status, Some(1));
    assert_has(&listed.stdout, &["own: failed\n", &pinned]);
    // The operator accepts the new library.
    pasted(&file);
    run_with(&file, &["config", "check"]).data();
}

#[test]
fn pins_the_other_libraries_when_one_is_not_an_ai() {
    let file = ConfigFile::new(
        "[ai.no_ai]\nlibrary = \"no_ai\"\n[ai.pawns]\nlibrary = \
         \"counts_pawns\"\n[client.default]\nai = \"pawns\"\n",
    );
    let Outcome {
        status,
        stdout,
        stderr,
    } = run_with(&file, &["ais", "pin"]);
    assert_eq!(status, Some(1), "{stderr}");
    assert!(
        stdout.contains("[ai.pawns]\nsha256 = ") && !stdout.contains("no_ai"),
        "{stdout}"
    );
    assert_has(
        &stderr,
        &[
            "AI 'no_ai': the library is not an AI for Rookery",
            "toml:5:11\n",
        ],
    );
    assert!(
        stderr.ends_with("error: 1 of 2 libraries cannot be pinned\n"),
        "{stderr}"
    );

    let reported = run_with(&file, &["ais", "pin", "--json"]);
    let (messages, failure) = reported.messages_and_failure();
    assert_eq!(
        (reported.status, failure["code"].as_str()),
        (Some(1), Some("failed"))
    );
    assert_eq!(
        format!("{messages}error: {}\n", failure["detail"].as_str().unwrap()),
        stderr
    );
    let reported: Value = serde_json::from_str(&reported.stdout).unwrap();
    assert!(
        reported[0]["error"]
            .as_str()
            .unwrap()
            .contains("not an AI for Rookery"),
        "{reported}"
    );
    assert_eq!(reported[1]["pinned"], Value::Null);
}

#[test]
fn suggests_the_closest_configured_ai() {
    let file = own_library("any", "");
    run_with(&file, &["ais", "pin", "own", "oen"]).fails_with(
        2,
        &["the configuration has no AI 'oen'; it has own; did you mean 'own'?"],
    );
    // `--config` works before and after the subcommand.
    run(&["ais", "--config", file.path().to_str().unwrap(), "pin"]).data();
}

#[test]
fn reports_mode_and_owner_of_an_unreadable_library() {
    let file = own_library("any", "");
    let library = file.folder().join("libown.so");
    fs::set_permissions(&library, fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(file.folder(), fs::Permissions::from_mode(0o755)).unwrap();
    // Another user cannot reach the built program and needs a copy.
    let program = file.folder().join("rookery");
    copy_program(rookery(), &program);
    let mut command = std::process::Command::new(program);
    command
        .args(["ais", "pin", "--config"])
        .arg(file.path())
        .current_dir("/")
        .env_remove("ROOKERY_CONFIG");
    let user = rustix::process::geteuid();
    let stranger = if user.is_root() {
        command.uid(65534).gid(65534);
        65534
    } else {
        fs::set_permissions(&library, fs::Permissions::from_mode(0o0)).unwrap();
        user.as_raw()
    };
    let output = command.output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{printed}");
    let mode = if user.is_root() { "0640" } else { "0000" };
    let cause = format!(
        "can't be read: it has mode {mode} and belongs to user {}, group ",
        user.as_raw()
    );
    let remedy = format!("runs as user {stranger}; 'chmod a+r libown.so' gives every user access");
    assert_has(&printed, &[cause, remedy]);
}
