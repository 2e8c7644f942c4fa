//! Hot reload of a running server.

mod control_socket;
mod discovery;
mod failures;
mod programs;
mod triggers;

use std::{
    fs,
    process::Output,
    sync::atomic::{AtomicBool, Ordering},
};

use serde_json::{Value, json};
use test_kit::{processes::is_running, wait_until};

use super::{
    Server, exchange, listening, memory_limits::is_answered, post_head, post_on, reload_command,
    timed_search,
};
use crate::support::{ConfigFile, built, own_library, replace_library};

/// A configuration with one AI, which has this search depth.
fn basic1(depth: u32) -> String {
    format!("[ai.basic1]\nlibrary = \"ai_basic1\"\nlimit = {{ depth = {depth} }}\n{DEFAULT}")
}

const DEFAULT: &str = "[client.default]\nai = \"basic1\"\n";
const PAWNS: &str = "[ai.pawns]\nlibrary = \"counts_pawns\"\nlimit = { depth = 1 }\n";

/// Runs `rookery reload` for the servers of a configuration.
fn reload(file: &ConfigFile) -> Output {
    reload_command(file, &["--json"]).output().unwrap()
}

/// Runs a reload that succeeds, and returns the report of the only server.
#[track_caller]
fn reloaded(file: &ConfigFile) -> Value {
    let Output {
        status,
        stdout,
        stderr,
    } = reload(file);
    assert_eq!(
        status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&stderr)
    );
    let printed: Value = serde_json::from_slice(&stdout).unwrap();
    assert_eq!(printed["servers"].as_array().unwrap().len(), 1, "{printed}");
    printed["servers"][0]["reloaded"].clone()
}

fn depth(server: &Server) -> Value {
    let (status, body) = server.post("/v1/best-move", &json!({"game": {}}));
    assert_eq!(status, 200, "{body}");
    body["search"]["depth"].clone()
}

#[test]
fn restarts_changed_ais_and_keeps_unchanged_workers() {
    let file = ConfigFile::new(&format!("{}{PAWNS}", basic1(2)));
    let server = Server::start(&file);
    let before = server.children();
    assert_eq!((before.len(), depth(&server)), (2, json!(2)));

    file.write(&format!(
        "{}{PAWNS}[ai.more]\nlibrary = \"ai_basic1\"\n[client.bob]\nai = \"more\"\n",
        basic1(3)
    ));
    let printed = reloaded(&file);
    assert_eq!(
        printed["ais"],
        json!({"added": ["more"], "changed": ["basic1"], "removed": [], "unchanged": ["pawns"]})
    );
    assert_eq!(
        printed["clients"],
        json!({"added": ["bob"], "changed": [], "removed": [], "unchanged": ["default"]})
    );
    assert_eq!(depth(&server), json!(3));
    assert_eq!(server.get("/v1/ais").1.as_array().unwrap().len(), 3);
    assert_eq!(server.get("/readyz").0, 200);
    wait_until("the old worker exits", || server.children().len() == 3);
    let kept = before
        .iter()
        .filter(|worker| server.children().contains(worker))
        .count();
    assert_eq!(kept, 1, "only the unchanged AI keeps its worker");

    file.write(&basic1(3));
    let printed = reloaded(&file);
    assert_eq!(
        printed["ais"],
        json!({"added": [], "changed": [], "removed": ["more", "pawns"], "unchanged": ["basic1"]})
    );
    wait_until("the workers of the removed AIs exit", || {
        server.children().len() == 1
    });
    assert_eq!(server.get("/v1/ais/more").0, 404);
}

#[test]
fn detects_a_replaced_library() {
    let (file, library) = own_library("ai_basic1", "");
    let server = Server::start(&file);
    let name = |server: &Server| server.get("/v1/ais/basic1").1["name"].clone();
    let first = name(&server);
    assert_eq!(reloaded(&file)["ais"]["unchanged"], json!(["basic1"]));

    // The library is replaced by a rename, as package managers do, and then in place, as `cp` does.
    replace_library(&library, "counts_pawns");
    assert_eq!(reloaded(&file)["ais"]["changed"], json!(["basic1"]));
    assert_ne!(name(&server), first);
    fs::write(&library, fs::read(built("ai_basic1")).unwrap()).unwrap();
    assert_eq!(reloaded(&file)["ais"]["changed"], json!(["basic1"]));
    assert_eq!(name(&server), first);
    depth(&server);
}

#[test]
fn requests_in_flight_finish_with_their_ai() {
    let answers_beside_a_search_of = |ms: u64| {
        let file = ConfigFile::new(&basic1(2));
        let server = Server::start(&file);
        let old = server.children()[0];
        let pending_search = server.post_and_wait_until_busy("basic1", timed_search(ms));
        file.write(&basic1(3));
        assert_eq!(reloaded(&file)["ais"]["changed"], json!(["basic1"]));
        assert_eq!(depth(&server), json!(3));
        let was_running = is_running(old);
        let (status, body) = pending_search.join().unwrap();
        assert_eq!(
            (status, &body["search"]["stopped_by"]),
            (200, &json!("movetime")),
            "{body}"
        );
        wait_until("the old worker exits", || !is_running(old));
        was_running
    };
    // On a busy machine a reload takes longer than a short search.
    let answers = [1500, 6000, 24_000]
        .into_iter()
        .any(answers_beside_a_search_of);
    assert!(
        answers,
        "the new AI does not answer while the old one is searching"
    );
}

#[test]
fn no_request_fails_during_reloads() {
    const SWAPS: u32 = 20;
    let file = ConfigFile::new(&basic1(1));
    let server = Server::start(&file);
    let done = AtomicBool::new(false);
    let answers: Vec<(u16, Value)> = std::thread::scope(|scope| {
        let ask = || {
            let mut connection = server.connect();
            let mut answers = Vec::new();
            while !done.load(Ordering::Relaxed) {
                answers.push(post_on(
                    &mut connection,
                    "/v1/best-move",
                    &json!({"game": {}}),
                ));
            }
            answers
        };
        let pending: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        for swap in 0..SWAPS {
            file.write(&basic1(1 + (swap + 1) % 2));
            assert_eq!(reloaded(&file)["ais"]["changed"], json!(["basic1"]));
        }
        done.store(true, Ordering::Relaxed);
        pending
            .into_iter()
            .flat_map(|pending| pending.join().unwrap())
            .collect()
    });
    let failed: Vec<_> = answers
        .iter()
        .filter(|(status, _)| *status != 200)
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {} failed: {:?}",
        failed.len(),
        answers.len(),
        failed[0]
    );
    let of = |depth: u32| {
        answers
            .iter()
            .filter(|(_, body)| body["search"]["depth"] == depth)
            .count()
    };
    assert!(
        of(1) > 0 && of(2) > 0 && of(1) + of(2) == answers.len(),
        "{} and {}",
        of(1),
        of(2)
    );
    wait_until("all old workers exit", || server.children().len() == 1);
}

#[test]
fn applies_client_changes_and_keeps_used_rates() {
    let with = |clients: &str| format!("{}{clients}", basic1(1));
    let alice = "[client.alice]\nai = \"basic1\"\nrate = \"1/h burst 3\"\n";
    let file = ConfigFile::new(&with(alice));
    let server = Server::start(&file);
    let as_client = |client: &str| server.get_with("/v1/ais", &[("X-Client-Id", client)]).0;
    assert_eq!((as_client("alice"), as_client("alice")), (200, 200));
    assert_eq!(as_client("bob"), 401);

    file.write(&with(&format!(
        "{alice}[client.bob]\nai = \"basic1\"\nrate = \"1/h burst 1\"\n"
    )));
    assert_eq!(reloaded(&file)["clients"]["added"], json!(["bob"]));
    assert_eq!((as_client("alice"), as_client("alice")), (200, 429));
    assert_eq!((as_client("bob"), as_client("bob")), (200, 429));

    // With a key, the bare id is rejected immediately.
    let sha256 = config::api_key::KeyDigest::of(b"a key");
    file.write(&with(&format!(
        "[client.alice]\nai = \"basic1\"\napi_key_sha256 = \"{sha256}\"\n"
    )));
    let clients = reloaded(&file)["clients"].clone();
    assert_eq!(
        (&clients["changed"], &clients["removed"]),
        (&json!(["alice"]), &json!(["bob"]))
    );
    assert_eq!((as_client("alice"), as_client("bob")), (401, 401));
}

#[test]
fn requests_in_flight_keep_settings_and_slots() {
    let slow = "[client.slow]\nai = \"basic1\"\nmax_concurrent = 1\n";
    let file = ConfigFile::new(&format!("{}{slow}", basic1(1)));
    let server = Server::start(&file);
    let as_slow = || server.get_with("/v1/ais", &[("X-Client-Id", "slow")]).0;
    let body = format!("{{\"game\": {{}}{}}}", " ".repeat(3000));
    let length = format!("Content-Length: {}", body.len());
    let head = post_head(
        "/v1/best-move",
        &["Connection: close", "X-Client-Id: slow", &length],
    );
    let mut stream = server.send(&head);
    wait_until("the request occupies its slot", || {
        // The probe occupies the slot for a moment. A request that is rejected because of it is
        // sent again.
        if is_answered(&stream) {
            stream = server.send(&head);
        }
        as_slow() == 429
    });

    // The new configuration would reject the body, and uses another AI.
    file.write(&format!(
        "[server]\nmax_body_bytes = 2000\n{}{slow}",
        basic1(2)
    ));
    assert_eq!(reloaded(&file)["ais"]["changed"], json!(["basic1"]));
    assert_eq!((as_slow(), depth(&server)), (429, json!(2)));
    let answer = exchange(stream, body.as_bytes());
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.contains("\"depth\":1"),
        "{answer}"
    );
    wait_until("the slot is free", || as_slow() == 200);
}

#[test]
fn applies_body_size_and_cors_changes() {
    let file = ConfigFile::new(&basic1(1));
    let server = Server::start(&file);
    let long = json!({"game": {"fen": "x".repeat(3000)}});
    assert_eq!(server.post("/v1/validate", &long).0, 422);
    let allowed = || {
        let request =
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: https://chess.example\r\n\r\n";
        let reply = server.connect().exchange(request);
        reply
            .unwrap()
            .header("Access-Control-Allow-Origin")
            .is_some()
    };
    assert!(!allowed());
    file.write(&format!(
        "[server]\nmax_body_bytes = 2000\ncors_origins = [\"https://chess.example\"]\n{}",
        basic1(1)
    ));
    reloaded(&file);
    assert_eq!(server.post("/v1/validate", &long).0, 413);
    assert!(allowed());
}

#[test]
fn warns_of_keys_that_need_a_restart() {
    let file = ConfigFile::new(&basic1(1));
    let server = Server::spawn(&mut listening(&file));
    file.write(&format!(
        "[server]\nlisten = \"127.0.0.1:1\"\nshutdown_grace_ms = 1\n[arena]\nfile = \"new.db\"\n{}",
        basic1(1)
    ));
    // The flag overrides the file, even after a reload.
    let warnings = reloaded(&file)["warnings"].clone();
    assert_eq!(warnings.as_array().unwrap().len(), 2, "{warnings}");
    assert!(
        warnings[0]
            .as_str()
            .unwrap()
            .contains("arena.file has changed"),
        "{warnings}"
    );
    assert!(
        warnings[1]
            .as_str()
            .unwrap()
            .contains("shutdown_grace_ms has changed"),
        "{warnings}"
    );
    assert_eq!(server.get("/readyz").0, 200);
    // The server still uses the value that it started with.
    assert_eq!(reloaded(&file)["warnings"].as_array().unwrap().len(), 2);
    file.write(&basic1(1));
    let printed = reloaded(&file);
    assert_eq!(
        (&printed["warnings"], &printed["settings"]),
        (&json!([]), &json!([])),
        "{printed}"
    );
}

#[test]
fn reports_changed_settings() {
    let file = ConfigFile::new(&basic1(1));
    let _server = Server::start(&file);
    let sections = "[server]\nmetrics = \"off\"\ncors_origins = \
        [\"https://chess.example\"]\n[tablebases]\ndirectories = []\n";
    file.write(&format!("{sections}{}", basic1(1)));
    let changed = json!([
        "server.cors_origins",
        "server.metrics",
        "tablebases.directories"
    ]);
    assert_eq!(reloaded(&file)["settings"], changed);
    assert_eq!(reloaded(&file)["settings"], json!([]));
}
