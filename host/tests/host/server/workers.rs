//! Killed workers, and libraries that change on disk.

use std::fs;

use rustix::process::Signal;
use serde_json::{Value, json};
use test_kit::{processes::kill, wait_until};

use super::{Server, one_ai, timed_search};
use crate::support::{ai, configuration, own_library, replace_library};

#[test]
fn retries_when_a_searching_worker_is_killed() {
    let server = Server::start(&one_ai());
    for kills in 1..=3 {
        let pending_search = server.post_and_wait_until_busy("basic1", timed_search(1500));
        for _ in 0..kills {
            let workers = server.children();
            kill(workers[0], Signal::KILL);
            wait_until("another worker is busy", || {
                let others = server.children();
                !others.is_empty() && others != workers && server.state_of("basic1") == "busy"
            });
        }
        let (status, body) = pending_search.join().unwrap();
        assert_eq!(
            (status, &body["search"]["stopped_by"]),
            (200, &json!("movetime")),
            "{body}"
        );
    }
}

#[test]
fn does_not_quarantine_for_external_kills() {
    let server = Server::start(&one_ai());
    // More failures than it takes to open the circuit.
    for _ in 0..7 {
        wait_until("the AI is ready", || server.state_of("basic1") == "ready");
        let workers = server.children();
        kill(workers[0], Signal::KILL);
        wait_until("the kill is detected", || server.children() != workers);
    }
    server.quick_move();
    assert_eq!(server.get("/readyz").0, 200);
}

#[test]
fn quarantines_a_failing_ai_and_retries_later() {
    let server = Server::start(&configuration(&["segfault"]));
    let ask = |first: &str| server.post("/v1/best-move", &json!({"game": {"moves": [first]}}));
    // Each request is retried once, until five workers have died.
    for first in ["a2a3", "b2b3", "c2c3"] {
        let (status, body) = ask(first);
        assert_eq!(
            (status, &body["code"]),
            (502, &json!("ai_crashed")),
            "{body}"
        );
    }
    assert_eq!(server.state_of("segfault"), "quarantined");
    let (status, body) = ask("d2d3");
    assert_eq!(
        (status, &body["code"]),
        (503, &json!("ai_unavailable")),
        "{body}"
    );
    assert!(
        body["detail"].as_str().unwrap().contains("; try again in "),
        "{body}"
    );
    // A single client caused the crashes, so the server stays ready.
    assert_eq!(server.get("/readyz").0, 200);
    // Calls without an AI still work.
    assert_eq!(server.post("/v1/validate", &json!({"game": {}})).0, 200);
    // The next attempt fails, and the next pause begins.
    wait_until("the AI is retried", || ask("e2e3").0 == 502);
    assert_eq!(server.state_of("segfault"), "quarantined");
    assert_eq!(ask("f2f3").0, 503);
}

fn answer(server: &Server) -> Value {
    let request = json!({"game": {}, "limit": {"depth": 3}, "fresh": true});
    let (status, mut body) = server.post("/v1/best-move", &request);
    assert_eq!(status, 200, "{body}");
    body["search"]["time_ms"] = Value::Null;
    body
}

#[test]
fn serves_the_loaded_library_whatever_the_file_holds() {
    let (file, library) = own_library("ai_basic1", "");
    let server = Server::start(&file);
    let (first, about) = (answer(&server), server.get("/v1/ais/basic1").1);
    let changes: [(&str, &dyn Fn()); 4] = [
        ("overwritten in place", &|| {
            fs::write(&library, "no longer a library").unwrap();
        }),
        ("truncated", &|| fs::write(&library, "").unwrap()),
        ("replaced", &|| replace_library(&library, "counts_pawns")),
        ("removed", &|| fs::remove_file(&library).unwrap()),
    ];
    for (name, change) in changes {
        change();
        assert_eq!(answer(&server), first, "{name}");
        // A new worker loads the sealed bytes.
        let workers = server.children();
        kill(workers[0], Signal::KILL);
        wait_until("the worker is replaced", || {
            server.children() != workers && server.state_of("basic1") == "ready"
        });
        assert_eq!(answer(&server), first, "{name}");
        assert_eq!(server.get("/v1/ais/basic1").1, about, "{name}");
    }
}

#[test]
fn keeps_ai_output_off_stdout() {
    let mut server = Server::start(&ai("floods", "flood_output", ""));
    for _ in 0..3 {
        assert_eq!(server.post("/v1/best-move", &json!({"game": {}})).0, 200);
    }
    server.stop(Signal::TERM);
    assert_eq!(server.rest_of_stdout(), "");
}
