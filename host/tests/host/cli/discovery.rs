//! Discovered AIs on the command line and in client sections.

use std::fs;

use super::{Outcome, command, outcome, run_with};
use crate::support::{ConfigFile, assert_has, built};

const OWN: &str = "[ai.own]\nlibrary = \"own\"\n";
const DEFAULT: &str = "[client.default]\nai = \"own\"\n";

/// A configuration with a plugin directory that contains one configured AI and these libraries.
fn with_discovered(text: &str, libraries: &[&str]) -> ConfigFile {
    let file = ConfigFile::verbatim(&format!("[plugins]\ndirectories = [\"ais\"]\n{text}"));
    let directory = file.folder().join("ais");
    fs::create_dir(&directory).unwrap();
    fs::copy(built("ai_basic1"), directory.join("libown.so")).unwrap();
    for library in libraries {
        fs::copy(built(library), directory.join(format!("lib{library}.so"))).unwrap();
    }
    file
}

fn play(file: &ConfigFile, players: &[&str]) -> Outcome {
    run_with(
        file,
        &[
            &["match", "--games", "2", "--nodes", "50", "--max-moves", "4"],
            players,
        ]
        .concat(),
    )
}

#[test]
fn every_command_finds_discovered_ais() {
    let file = with_discovered(&format!("{OWN}{DEFAULT}"), &["counts_pawns"]);
    let reply = run_with(
        &file,
        &[
            "best-move",
            "--ai",
            "counts_pawns",
            "--depth",
            "1",
            "--json",
        ],
    )
    .json();
    assert_eq!(reply["ai"]["id"], "counts_pawns");

    assert!(
        play(&file, &["own", "counts_pawns"])
            .last_line()
            .starts_with("own - counts_pawns: ")
    );

    let mut uci = command(&["uci", "--ai", "counts_pawns"]);
    let reported = outcome(
        uci.arg("--config")
            .arg(file.path())
            .write_stdin("uci\nquit\n"),
    )
    .data();
    assert!(
        reported.starts_with("id name ") && reported.ends_with("uciok\n"),
        "{reported}"
    );

    let lines = run_with(&file, &["client", "add", "bob", "--ai", "counts_pawns"]);
    assert!(
        lines
            .stdout
            .starts_with("[client.bob]\nai = \"counts_pawns\"\n"),
        "{}",
        lines.stderr
    );
}

#[test]
fn reports_an_ai_that_lacks_settings_in_a_note() {
    let file = with_discovered(
        &format!("{OWN}{DEFAULT}"),
        &["ai_uci", "plays_illegal_move"],
    );
    let listed = run_with(&file, &["ais", "--json"]);
    let errors = &listed.stderr;
    assert_has(
        errors,
        &["libai_uci.so is not served until an [ai.ID] names it"],
    );
    assert!(errors.starts_with("note: "), "{errors}");
    let json: Vec<serde_json::Value> = serde_json::from_str(&listed.stdout).unwrap();
    let states = json.iter().map(|ai| {
        let text = |key: &str| ai[key].as_str().unwrap().to_owned();
        (text("id"), text("state"))
    });
    let expected = [("own", "ready"), ("plays_illegal_move", "failed")];
    assert!(
        states.eq(expected.map(|(id, state)| (id.to_owned(), state.to_owned()))),
        "{json:?}"
    );
}

#[test]
fn reports_skipped_libraries_for_an_unknown_ai() {
    let file = with_discovered(&format!("{OWN}{DEFAULT}"), &["counts_pawns"]);
    fs::write(file.folder().join("ais/libmine.so"), "print('a script')").unwrap();
    for arguments in [
        &["best-move", "--ai", "counts_prawns"][..],
        &["uci", "--ai", "counts_prawns"],
        &["match", "own", "counts_prawns", "--games", "2"],
        &["client", "add", "bob", "--ai", "counts_prawns"],
    ] {
        let parts = [
            "there is no AI 'counts_prawns' in the configuration or its plugin directories; the \
             AIs are: counts_pawns, own; did you mean 'counts_pawns'?",
            "libmine.so is not served: the file is text, not a shared library",
        ];
        run_with(&file, arguments).fails_with(2, &parts);
    }
}

#[test]
fn the_configured_policy_hides_discovered_ais() {
    let text = format!("policy = \"configured\"\n{OWN}{DEFAULT}");
    let file = with_discovered(&text, &["counts_pawns"]);
    run_with(&file, &["best-move", "--ai", "counts_pawns"]).fails_with(2, &["the AIs are: own"]);
    let given = text.replace("ai = \"own\"", "ai = \"counts_pawns\"");
    let file = with_discovered(&given, &["counts_pawns"]);
    run_with(&file, &["config", "check"]).fails_with(
        2,
        &[
            "= allowed: own\n",
            "under its own id only if plugins.policy is \"any\"",
        ],
    );
}

#[test]
fn a_client_may_use_the_id_of_a_discovered_ai() {
    let text =
        "[client.default]\nai = \"counts_pawns\"\nallowed_ais = [\"counts_pawns\", \"own\"]\n";
    let text = format!("[ai.own]\nlibrary = \"own\"\nfallback = \"fault_injector\"\n{text}");
    let file = with_discovered(&text, &["counts_pawns", "fault_injector"]);
    assert!(
        run_with(&file, &["config", "check"])
            .data()
            .ends_with("ok, 3 AIs\n")
    );
    let answer = run_with(&file, &["best-move", "--depth", "1", "--json"]).data();
    assert!(answer.contains("\"id\": \"counts_pawns\""), "{answer}");
    // A referenced AI becomes part of the configuration.
    let shown = run_with(&file, &["config", "show"]).data();
    let library = file
        .folder()
        .canonicalize()
        .unwrap()
        .join("ais/libcounts_pawns.so");
    assert_has(
        &shown,
        &[format!("[ai.counts_pawns]\nlibrary = {library:?}\n")],
    );
    assert!(shown.contains("[ai.fault_injector]"), "{shown}");

    let broken = with_discovered(&text, &["counts_pawns", "fault_injector"]);
    fs::copy(
        built("abort_on_load"),
        broken.folder().join("ais/libcounts_pawns.so"),
    )
    .unwrap();
    check_fails(
        &broken,
        &["`client.default.ai` names the AI `counts_pawns`, which is not configured"],
    );
}

#[test]
fn a_referenced_ai_that_does_not_start_is_an_error() {
    let file = with_discovered(
        &format!("{OWN}[client.default]\nai = \"required_option\"\n"),
        &["required_option"],
    );
    check_fails(
        &file,
        &["AI 'required_option': the AI failed to start: not in a bad mood"],
    );
}

#[test]
fn reports_skipped_libraries_for_an_unknown_client_ai() {
    let text = format!("{OWN}[client.default]\nai = \"count_pawns\"\n");
    let file = with_discovered(&text, &["counts_pawns", "no_ai"]);
    fs::write(file.folder().join("ais/libbroken.so"), "").unwrap();
    let parts = [
        "`client.default.ai` names the AI `count_pawns`, which is not configured",
        "= allowed: own, counts_pawns\n",
        "= did you mean `counts_pawns`?\n",
        "libbroken.so is not served: ",
        "libno_ai.so is not served: the library is not an AI for Rookery: it has no note",
    ];
    check_fails(&file, &parts);
}

#[track_caller]
fn check_fails(file: &ConfigFile, parts: &[&str]) {
    run_with(file, &["config", "check"]).fails_with(2, parts);
}
