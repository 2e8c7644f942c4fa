//! Clients that disconnect before their reply.

use std::{
    io::Read,
    net::{Shutdown, TcpStream},
};

use serde_json::json;
use test_kit::wait_until;

use super::{Server, exchange, post_text, timed_search};
use crate::support::{ConfigFile, with_ais};

/// An AI with one worker and a timeout longer than the test.
fn slow_ai() -> ConfigFile {
    with_ais(
        &[("basic1", "ai_basic1", "move_timeout_ms = 600000")],
        "max_concurrent = 1\n[client.other]\nai = \"basic1\"",
    )
}

fn ask(server: &Server, movetime_ms: u64, headers: &[&str]) -> TcpStream {
    server.send(&post_text(
        "/v1/best-move",
        headers,
        &timed_search(movetime_ms).to_string(),
    ))
}

fn ask_and_wait_until_busy(server: &Server) -> TcpStream {
    let pending = ask(server, 500_000, &[]);
    wait_until("the AI is busy", || {
        server.state_of_as("basic1", "other") == "busy"
    });
    pending
}

#[test]
fn a_disconnect_frees_the_worker_and_the_slot() {
    let server = Server::start(&slow_ai());
    for leave in [
        drop as fn(TcpStream),
        // A half-closed connection counts as a disconnect.
        |pending| {
            pending.shutdown(Shutdown::Write).unwrap();
            let mut answer = String::new();
            assert!(
                (&pending).read_to_string(&mut answer).is_err() || answer.is_empty(),
                "{answer}"
            );
        },
    ] {
        let pending = ask_and_wait_until_busy(&server);
        assert_eq!(
            server.post("/v1/validate", &json!({"game": {}})).0,
            429,
            "the client has one slot"
        );
        leave(pending);
        wait_until("the worker is ready", || {
            server.state_of_as("basic1", "other") == "ready"
        });
        server.quick_move();
    }
    // The worker survives: a disconnect is not a fault.
    assert_eq!(server.children().len(), 1);
}

#[test]
fn a_disconnect_removes_a_queued_request() {
    let server = Server::start(&slow_ai());
    let first = ask_and_wait_until_busy(&server);
    let waiting: Vec<_> = (0..5)
        .map(|_| ask(&server, 500_000, &["X-Client-Id: other"]))
        .collect();
    drop(waiting);
    let last = ask(&server, 1, &["X-Client-Id: other", "Connection: close"]);
    drop(first);
    // Each of the dropped requests would have occupied the worker for minutes.
    let answer = exchange(last, b"");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
}

#[test]
fn accepts_pipelined_requests() {
    let server = Server::start(&slow_ai());
    let body = timed_search(300).to_string();
    let request = post_text("/v1/best-move", &[], &body);
    let last = post_text("/v1/best-move", &["Connection: close"], &body);
    let answers = server.exchange(&(request.repeat(3) + &last));
    assert_eq!(
        answers.matches("HTTP/1.1 200 OK\r\n").count(),
        4,
        "{answers}"
    );
    assert_eq!(
        answers.matches(r#""stopped_by":"movetime""#).count(),
        4,
        "{answers}"
    );
}
