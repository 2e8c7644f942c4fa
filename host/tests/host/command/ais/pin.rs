//! `rookery ais pin`, and what a pin holds.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
};

use library::sha256::Sha256Sum;
use serde_json::{Value, json};

use super::super::{Outcome, run, run_with};
use crate::support::{ConfigFile, configuration, rookery};

/// An AI with a library of its own, and what else its section says.
fn own_library(policy: &str, further: &str) -> ConfigFile {
    let built = configuration(&["counts_pawns"]).load().ais["counts_pawns"].library.clone();
    let file = ConfigFile::verbatim(&format!(
        "[plugins]\npolicy = \"{policy}\"\n\n[ai.own]\nlibrary = \"./libown.so\"\n{further}\n[client.default]\nai = \"own\"\n"
    ));
    fs::copy(built, file.folder().join("libown.so")).unwrap();
    file
}

fn sum_of(file: &ConfigFile) -> String {
    Sha256Sum::of(&fs::read(file.folder().join("libown.so")).unwrap()).to_string()
}

/// The configuration with the lines that `rookery ais pin` prints put where they belong.
fn pasted(file: &ConfigFile) {
    let lines = run_with(file, &["ais", "pin"]).data();
    let pin = lines.lines().find(|line| line.starts_with("sha256 = ")).unwrap();
    let text = fs::read_to_string(file.path()).unwrap();
    let text: Vec<_> = text.lines().filter(|line| !line.starts_with("sha256 = ")).collect();
    fs::write(file.path(), text.join("\n").replace("[ai.own]", &format!("[ai.own]\n{pin}"))).unwrap();
}

#[test]
fn prints_the_lines_to_paste_and_what_is_pinned_now() {
    let file = own_library("any", "");
    let sum = sum_of(&file);
    let place = "# Move each line to the existing section of its AI; a section must be unique.\n\n";
    let expected = |state: &str| format!("{place}# libown.so: {state}\n[ai.own]\nsha256 = \"{sum}\"\n");
    assert_eq!(run_with(&file, &["ais", "pin"]).data(), expected("not pinned yet"));
    assert_eq!(run_with(&file, &["ais", "pin", "own"]).data(), expected("not pinned yet"));
    pasted(&file);
    assert_eq!(run_with(&file, &["ais", "pin"]).data(), expected("already pinned"));
    let other = "0".repeat(64);
    let wrong = own_library("any", &format!("sha256 = \"{other}\""));
    assert_eq!(run_with(&wrong, &["ais", "pin"]).data(), expected(&format!("the configuration has {other}")));

    let told: Value = serde_json::from_str(&run_with(&wrong, &["ais", "pin", "--json"]).data()).unwrap();
    let library = fs::canonicalize(wrong.folder()).unwrap().join("libown.so");
    assert_eq!(told, json!([{"id": "own", "library": {"file": library, "sha256": sum}, "pinned": other}]));
}

#[test]
fn where_only_pinned_libraries_are_served_the_printed_lines_are_enough() {
    let file = own_library("pinned", "");
    for arguments in [&["config", "check"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let complaint = run_with(&file, arguments).complaint(2);
        assert!(complaint.contains("rookery.toml:4:5: AI 'own': the library is not pinned"), "{complaint}");
        assert!(complaint.contains("`rookery ais pin own` prints the line"), "{complaint}");
    }
    pasted(&file);
    run_with(&file, &["config", "check"]).data();
    run_with(&file, &["best-move", "--depth", "1"]).data();
}

#[test]
fn a_pinned_library_that_has_changed_is_not_loaded() {
    let file = own_library("any", "");
    pasted(&file);
    let pinned = sum_of(&file);
    let library = file.folder().join("libown.so");
    let mut bytes = fs::read(&library).unwrap();
    // Behind all that is read: still a library, and an AI.
    bytes.push(0);
    fs::write(&library, bytes).unwrap();
    for arguments in [&["config", "check"][..], &["serve", "--listen", "127.0.0.1:0"], &["best-move"]] {
        let complaint = run_with(&file, arguments).complaint(2);
        let expected = format!(
            "rookery.toml:5:10: AI 'own': the library is not the pinned one: its sha256 is {}, expected {pinned}\n",
            sum_of(&file)
        );
        assert!(complaint.contains(&expected), "no {expected} in {complaint}");
    }
    let listed = run_with(&file, &["ais"]);
    assert_eq!(listed.status, Some(1));
    assert!(listed.stdout.contains("own: failed\n") && listed.stdout.contains(&pinned), "{}", listed.stdout);
    // Having looked at it, somebody wants this one.
    pasted(&file);
    run_with(&file, &["config", "check"]).data();
}

#[test]
fn one_that_is_no_ai_keeps_no_other_from_being_pinned() {
    let file = ConfigFile::new(
        "[ai.no_ai]\nlibrary = \"no_ai\"\n[ai.pawns]\nlibrary = \"counts_pawns\"\n[client.default]\nai = \"pawns\"\n",
    );
    let Outcome { status, stdout, stderr } = run_with(&file, &["ais", "pin"]);
    assert_eq!(status, Some(1), "{stderr}");
    assert!(stdout.contains("[ai.pawns]\nsha256 = ") && !stdout.contains("no_ai"), "{stdout}");
    assert!(stderr.contains("rookery.toml:5:11: AI 'no_ai': the library is no AI for Rookery"), "{stderr}");
    assert!(stderr.ends_with("error: 1 of 2 libraries cannot be pinned\n"), "{stderr}");

    let told = run_with(&file, &["ais", "pin", "--json"]);
    assert_eq!((told.status, told.stderr), (Some(1), stderr));
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    assert!(told[0]["error"].as_str().unwrap().contains("no AI for Rookery"), "{told}");
    assert_eq!(told[1]["pinned"], Value::Null);
}

#[test]
fn an_ai_that_is_not_configured_is_told_with_those_that_are() {
    let file = own_library("any", "");
    let complaint = run_with(&file, &["ais", "pin", "own", "oen"]).complaint(2);
    assert!(
        complaint.contains("the configuration has no AI 'oen'; it has own; did you mean 'own'?"),
        "{complaint}"
    );
    // Before or after the word, the file is the one that is named.
    run(&["ais", "--config", file.path().to_str().unwrap(), "pin"]).data();
}

#[test]
fn a_library_that_this_user_may_not_read_is_told_with_its_mode_and_owner() {
    let file = own_library("any", "");
    let library = file.folder().join("libown.so");
    fs::set_permissions(&library, fs::Permissions::from_mode(0o640)).unwrap();
    fs::set_permissions(file.folder(), fs::Permissions::from_mode(0o755)).unwrap();
    // Whoever runs the tests may read what is theirs; somebody else may run only a program that they can reach.
    let program = file.folder().join("rookery");
    fs::copy(rookery(), &program).unwrap();
    let mut command = std::process::Command::new(program);
    command.args(["ais", "pin", "--config"]).arg(file.path()).current_dir("/").env_remove("ROOKERY_CONFIG");
    let user = rustix::process::geteuid();
    let stranger = if user.is_root() {
        command.uid(65534).gid(65534);
        65534
    } else {
        fs::set_permissions(&library, fs::Permissions::from_mode(0o0)).unwrap();
        user.as_raw()
    };
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let mode = if user.is_root() { "0640" } else { "0000" };
    let expected = format!("can't be read: it has mode {mode} and belongs to user {}, group ", user.as_raw());
    assert!(said.contains(&expected), "no {expected} in {said}");
    assert!(
        said.contains(&format!("this is user {stranger}: 'chmod a+r libown.so' lets everybody in")),
        "{said}"
    );
}
