//! Workers that are lost, and libraries that change under the server.

use std::{fs, path::PathBuf};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{Server, one_ai, thinking_for};
use crate::{
    processes::{kill, wait_until},
    support::{ConfigFile, configuration},
};

#[test]
fn a_worker_that_is_killed_while_it_thinks_is_a_crash_and_is_replaced() {
    let server = Server::start(&one_ai());
    for _ in 0..2 {
        let workers = server.workers();
        let thinking = server.post_and_wait_until_busy("basic1", thinking_for(9000));
        kill(workers[0], Signal::KILL);
        let (status, body) = thinking.join().unwrap();
        assert_eq!((status, &body["code"]), (502, &json!("ai_crashed")), "{body}");
        assert!(body["detail"].as_str().unwrap().contains("killed by signal 9"), "{body}");
        let (status, body) = server.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 2}}));
        assert_eq!(status, 200, "{body}");
        assert_ne!(server.workers(), workers);
    }
}

#[test]
fn an_ai_that_is_lost_again_and_again_is_unavailable_for_a_while() {
    let server = Server::start(&one_ai());
    // Each loss without an answer in between doubles the time until the next try.
    for _ in 0..4 {
        wait_until("the AI is ready", || server.state_of("basic1") == "ready");
        kill(server.workers()[0], Signal::KILL);
        wait_until("the loss is seen", || server.state_of("basic1") == "failed");
    }
    assert_eq!(server.get("/readyz").0, 503);
    assert_eq!(server.get("/healthz").0, 200);
    let (status, body) = server.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 1}}));
    assert_eq!((status, &body["code"]), (503, &json!("ai_unavailable")), "{body}");
    assert!(body["detail"].as_str().unwrap().contains("the next try is in "), "{body}");
    // What needs no AI is answered.
    assert_eq!(server.post("/v1/validate", &json!({"game": {}})).0, 200);
    wait_until("the AI is ready", || server.state_of("basic1") == "ready");
    assert_eq!(server.get("/readyz").0, 200);
    assert_eq!(server.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 1}})).0, 200);
}

/// An AI whose library the test may do with as it likes.
fn own_library() -> (ConfigFile, PathBuf) {
    let built = configuration(&["ai_basic1"]).load().ais["ai_basic1"].library.clone();
    let file = ConfigFile::new("[ai.basic1]\nlibrary = \"./libown.so\"\n[client.default]\nai = \"basic1\"\n");
    let library = file.folder().join("libown.so");
    fs::copy(built, &library).unwrap();
    (file, library)
}

fn answer(server: &Server) -> Value {
    let (status, mut body) = server.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 3}}));
    assert_eq!(status, 200, "{body}");
    body["search"]["time_ms"] = Value::Null;
    body
}

#[test]
fn a_library_that_changes_on_disk_changes_nothing_in_a_running_server() {
    let (file, library) = own_library();
    let server = Server::start(&file);
    let (first, about) = (answer(&server), server.get("/v1/ais/basic1").1);
    let changes: [(&str, &dyn Fn()); 4] = [
        ("overwritten in place", &|| fs::write(&library, "no library any more").unwrap()),
        ("truncated", &|| fs::write(&library, "").unwrap()),
        ("replaced", &|| {
            let other = configuration(&["counts_pawns"]).load().ais["counts_pawns"].library.clone();
            let beside = library.with_extension("new");
            fs::copy(other, &beside).unwrap();
            fs::rename(beside, &library).unwrap();
        }),
        ("removed", &|| fs::remove_file(&library).unwrap()),
    ];
    for (name, change) in changes {
        change();
        assert_eq!(answer(&server), first, "{name}");
        // A new worker loads the old bytes too.
        let workers = server.workers();
        kill(workers[0], Signal::KILL);
        wait_until("the worker is replaced", || {
            server.workers() != workers && server.state_of("basic1") == "ready"
        });
        assert_eq!(answer(&server), first, "{name}");
        assert_eq!(server.get("/v1/ais/basic1").1, about, "{name}");
    }
}

#[test]
fn what_an_ai_writes_is_not_on_the_servers_standard_output() {
    let mut server = Server::start(&configuration(&["floods"]));
    assert_eq!(server.post("/v1/best-move", &json!({"game": {}})).0, 200);
    server.signal(Signal::TERM);
    server.wait();
    assert_eq!(server.rest_of_stdout(), "");
}
