//! `rookery rollout`.

use std::{fs, time::Duration};

use rustix::process::Signal;
use serde_json::{Value, json};
use test_kit::{poll, wait_until};

use super::{Outcome, command, outcome};
use crate::{
    server::{Server, logging},
    support::{ConfigFile, assert_has, with_ais},
};

const COMMENTS: &str = "# Of the club.\n";

/// A configuration with `bob`, its candidate from this library or fault, and further sections.
fn file(candidate: &str, shares: &str, sections: &str) -> ConfigFile {
    let bob = format!("limit.depth = 1 # quick\ncandidate = \"bob_2\"\n{shares}");
    let settings = "limit.depth = 2\nmemory_mb = 512";
    let ais = [("bob", "ai_basic1", &*bob), ("bob_2", candidate, settings)];
    let file = with_ais(&ais, sections);
    let text = text(&file).replace("[ai.bob]", &format!("{COMMENTS}[ai.bob]"));
    fs::write(file.path(), text).unwrap();
    file
}

/// Runs a command that reaches the servers of a configuration.
fn reaching(file: &ConfigFile, arguments: &[&str]) -> Outcome {
    let mut command = command(arguments);
    command.arg("--config").arg(file.path());
    outcome(command.env("XDG_RUNTIME_DIR", file.folder()))
}

fn text(file: &ConfigFile) -> String {
    fs::read_to_string(file.path()).unwrap()
}

fn ask(server: &Server, requests: usize) {
    for _ in 0..requests {
        let (status, reply) = server.post("/v1/best-move", &json!({"game": {}, "fresh": true}));
        assert_eq!(status, 200, "{reply}");
    }
}

fn rollout(file: &ConfigFile) -> Value {
    reaching(file, &["rollout", "bob", "--json"]).json()["rollouts"][0].clone()
}

/// Sends requests until the candidate has answered this many copies. Copies run at idle priority,
/// so a busy machine delays them for a long time or drops them.
#[track_caller]
fn ask_copies(server: &Server, file: &ConfigFile, wanted: u64) {
    let mut sent = 0;
    let answered = poll(Duration::from_mins(2), || {
        let copies = rollout(file)["copies"].clone();
        let [asked, dropped] = ["asked", "dropped"].map(|key| copies[key].as_u64().unwrap());
        if asked + dropped == sent && asked < wanted {
            ask(server, 1);
            sent += 1;
        }
        (asked >= wanted).then_some(())
    });
    assert!(answered.is_some(), "{}", rollout(file));
}

#[test]
fn shows_the_evidence_for_and_against_a_candidate() {
    let file = file("counts_pawns", "shadow = \"100%\"\ncanary = \"1%\"", "");
    let alone = reaching(&file, &["rollout"]);
    assert_eq!(alone.status, Some(1));
    assert_has(&alone.stderr, &["no server of this user runs"]);
    let server = Server::start(&file);
    ask(&server, 2);
    let shown = reaching(&file, &["rollout", "bob"]);
    shown.assert_success();
    assert_has(
        &shown.stdout,
        &[
            "bob may be replaced by bob_2: shadow 100%, canary 1%, server ",
            "kept in memory",
            "against promotion, requests: it got",
            "note: there is no arena",
        ],
    );
    let unknown = reaching(&file, &["rollout", "bob_2"]);
    assert_eq!(unknown.status, Some(2));
    assert_has(
        &unknown.stderr,
        &["no running server has a candidate for 'bob_2'"],
    );
}

#[test]
fn a_promotion_names_every_reason_against_it() {
    let file = file("counts_pawns", "", "");
    let server = Server::start(&file);
    let before = text(&file);
    ask(&server, 1);
    let refused = reaching(&file, &["rollout", "promote", "bob"]);
    assert_eq!(refused.status, Some(1), "{}", refused.stdout);
    assert_has(
        &refused.stderr,
        &[
            "the candidate of 'bob' was not promoted:",
            "(--despite requests)",
            "(--despite time)",
            "(--despite strength)",
        ],
    );
    let one = ["rollout", "promote", "bob", "--despite", "requests"];
    let refused = reaching(&file, &one);
    assert_eq!(refused.status, Some(1));
    assert!(!refused.stderr.contains("requests"), "{}", refused.stderr);
    let unknown = reaching(&file, &["rollout", "promote", "bob", "--despite", "luck"]);
    assert_eq!(unknown.status, Some(2));
    assert_has(&unknown.stderr, &["requests, faults, time, strength"]);
    assert_eq!(text(&file), before);
}

const DESPITE_ALL: [&str; 9] = [
    "rollout",
    "promote",
    "bob",
    "--despite",
    "requests",
    "--despite",
    "time",
    "--despite",
    "strength",
];

#[test]
fn a_promoted_candidate_has_the_id_of_its_ai_after_one_reload() {
    let file = file(
        "counts_pawns",
        "canary = \"100%\"",
        "[client.ann]\nai = \"bob\"\n",
    );
    let server = Server::start(&file);
    let before = text(&file);
    let (_, reply) = server.post("/v1/best-move", &json!({"game": {}}));
    assert_eq!(reply["ai"]["canary_for"], "bob");
    let name = reply["ai"]["name"].clone();
    let planned = reaching(&file, &[&DESPITE_ALL[..], &["--dry-run"]].concat());
    planned.assert_success();
    assert_eq!(text(&file), before);
    let promoted = reaching(&file, &DESPITE_ALL);
    promoted.assert_success();
    assert_has(
        &promoted.stdout,
        &[
            "- library = \"ai_basic1\"",
            "+ library = \"counts_pawns\"",
            "- candidate = \"bob_2\"",
            "- [ai.bob_2]",
            "applied in",
        ],
    );
    assert_has(&promoted.stderr, &["copy of the old file: "]);
    let now = text(&file);
    assert_has(
        &now,
        &[
            COMMENTS,
            "limit.depth = 2 # quick",
            "memory_mb = 512",
            "[client.ann]",
        ],
    );
    assert!(!now.contains("bob_2") && !now.contains("canary"), "{now}");
    let (_, reply) = server.post("/v1/best-move", &json!({"game": {}}));
    let ai = &reply["ai"];
    assert_eq!(
        (&ai["id"], &ai["name"], &ai["canary_for"]),
        (&json!("bob"), &name, &Value::Null)
    );
    // The copy of the old file undoes the promotion.
    let copy = file.folder().join("rookery.toml.before-promote-bob");
    assert_eq!(fs::read_to_string(&copy).unwrap(), before);
    fs::rename(copy, file.path()).unwrap();
    reaching(&file, &["reload"]).assert_success();
    let (_, reply) = server.post("/v1/best-move", &json!({"game": {}}));
    assert_eq!(reply["ai"]["canary_for"], "bob");
}

#[test]
fn an_aborted_candidate_is_gone_after_one_reload() {
    let file = file("segfault", "canary = \"100%\"", "");
    let server = Server::start(&file);
    ask(&server, 1);
    let before = text(&file);
    let aborted = reaching(&file, &["rollout", "abort", "bob"]);
    aborted.assert_success();
    let now = text(&file);
    assert_has(
        &now,
        &[
            COMMENTS,
            "library = \"ai_basic1\"",
            "limit.depth = 1 # quick",
        ],
    );
    assert!(!now.contains("bob_2"), "{now}");
    assert_eq!(server.get("/v1/ais/bob_2").0, 404);
    let copy = file.folder().join("rookery.toml.before-abort-bob");
    assert_eq!(fs::read_to_string(copy).unwrap(), before);
    let again = reaching(&file, &["rollout", "abort", "bob"]);
    assert_eq!(again.status, Some(2));
    assert_has(&again.stderr, &["[ai.bob] has no `candidate`"]);
}

/// The candidate's section stays if a client names the candidate.
#[test]
fn a_candidate_that_a_client_names_stays_an_ai() {
    let listed = "[client.ann]\nai = \"bob\"\nallowed_ais = [\"bob\", \"bob_2\"]\n";
    let file = file("counts_pawns", "", listed);
    reaching(&file, &["rollout", "abort", "bob"]).assert_success();
    let now = text(&file);
    assert!(
        now.contains("[ai.bob_2]") && !now.contains("candidate"),
        "{now}"
    );
}

#[test]
fn faults_can_be_replayed() {
    let file = file("segfault", "shadow = \"100%\"", "");
    let server = Server::start(&file);
    ask_copies(&server, &file, 1);
    let saved = file.folder().join("bob.json");
    let shown = reaching(&file, &["rollout", "bob", "--json"]);
    fs::write(&saved, shown.data()).unwrap();
    let replayed = reaching(&file, &["replay", saved.to_str().unwrap()]);
    assert_eq!(
        replayed.status,
        Some(0),
        "{}{}",
        replayed.stdout,
        replayed.stderr
    );
    assert_has(&replayed.stdout, &["ai_crashed", "the same answer"]);
}

#[test]
fn a_candidate_that_fails_too_often_is_aborted_automatically() {
    let file = file("error", "canary = \"100%\"", "");
    let server = Server::start(&file);
    ask(&server, 12);
    wait_until("the candidate is removed", || {
        !text(&file).contains("bob_2")
    });
    wait_until("the server has reloaded", || {
        server.get("/v1/ais/bob_2").0 == 404
    });
    assert!(file.folder().join("rookery.toml.before-abort-bob").exists());
}

#[test]
fn the_log_names_what_an_operator_overrides() {
    let file = file("counts_pawns", "", "");
    let (mut server, log) = logging(&file, "warn", &[]);
    reaching(&file, &DESPITE_ALL).assert_success();
    server.stop(Signal::INT);
    let log = log.join().unwrap();
    assert_has(
        &log,
        &["operator promotes a candidate", "despite=\"strength\""],
    );
}

/// Without an arena, the candidate's strength is unknown.
#[test]
fn a_candidate_of_unknown_strength_is_not_promoted_automatically() {
    let settings = "[rollout]\nmin_requests = 5\npromote = true\n";
    let file = file("counts_pawns", "shadow = \"100%\"", settings);
    let server = Server::start(&file);
    ask_copies(&server, &file, 5);
    let found = rollout(&file);
    let reasons = found["refusals"].as_array().unwrap();
    assert!(
        reasons
            .iter()
            .any(|refusal| refusal["reason"] == "strength"),
        "{found}"
    );
    assert!(text(&file).contains("candidate = \"bob_2\""));
}
