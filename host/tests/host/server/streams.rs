//! Streams over real sockets: disconnects, slow readers and shutdown.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use rustix::{
    net::{AddressFamily, SocketType, sockopt},
    process::Signal,
};
use serde_json::{Value, json};
use test_kit::{processes::kill, wait_until};

use super::{Server, post_text, timed_search};
use crate::{
    support::conformance::check_stream_record,
    support::{ConfigFile, ai, with_ais},
};

const LINES: &str = "Accept: application/x-ndjson";

/// A client that reads a stream.
struct Streaming(BufReader<TcpStream>, String);

impl Streaming {
    fn begin(server: &Server, path: &str, body: &Value, headers: &[&str]) -> Self {
        let accept = if headers.iter().any(|header| header.starts_with("Accept")) {
            "X-None: x"
        } else {
            LINES
        };
        let headers = [&[accept, "Connection: close"], headers].concat();
        let connection = server.send(&post_text(path, &headers, &body.to_string()));
        Self(BufReader::new(connection), path.to_owned())
    }

    /// Returns the next record, or `None` at a clean end.
    fn next(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            // Skips the head and the chunk sizes.
            if line.starts_with('{') {
                let record = serde_json::from_str(&line).unwrap();
                check_stream_record(&self.1, &record);
                return Some(record);
            }
        }
    }

    fn rest(mut self) -> Vec<Value> {
        std::iter::from_fn(|| self.next()).collect()
    }
}

/// An AI with one worker and an AI that hangs, with timeouts longer than the test.
fn slow_ai(server: &str) -> ConfigFile {
    let timeout = "move_timeout_ms = 600000";
    with_ais(
        &[("basic1", "ai_basic1", timeout), ("hangs", "hang", timeout)],
        &format!(
            "max_concurrent = 1\n[client.other]\nai = \"basic1\"\n[server]\ndrain_delay_ms = \
             0\n{server}"
        ),
    )
}

fn start_and_read_progress(server: &Server) -> Streaming {
    let mut streaming = Streaming::begin(server, "/v1/best-move", &timed_search(500_000), &[]);
    assert_eq!(streaming.next().unwrap()["type"], "start");
    assert_eq!(streaming.next().unwrap()["type"], "info");
    streaming
}

#[test]
fn a_disconnect_stops_the_search_of_a_stream() {
    let server = Server::start(&slow_ai(""));
    let mut times = Vec::new();
    for _ in 0..5 {
        let streaming = start_and_read_progress(&server);
        assert_eq!(server.state_of_as("basic1", "other"), "busy");
        assert_eq!(
            server.get("/v1/ais").0,
            429,
            "a stream counts as an open request"
        );
        drop(streaming);
        let left = Instant::now();
        wait_until("the worker is ready", || {
            server.state_of_as("basic1", "other") == "ready"
        });
        times.push(left.elapsed());
    }
    println!("from the disconnect to the search's stop: {times:?}");
    // A disconnect is not a fault.
    server.quick_move();
    let counted = "{route=\"/v1/best-move\",status=\"499\",code=\"client_gone\"} 5\n";
    wait_until("all disconnects are counted", || {
        server.metrics().contains(counted)
    });
}

#[test]
fn a_disconnect_stops_reports_and_comparisons() {
    let server = Server::start(&slow_ai(""));
    let limit = json!({"movetime_ms": 500_000});
    let moves = json!(["e2e4", "e7e5", "g1f3", "b8c6"]);
    for (path, body) in [
        (
            "/v1/report",
            json!({"game": {"moves": moves}, "limit": limit}),
        ),
        (
            "/v1/compare",
            json!({"game": {}, "ais": ["basic1", "hangs"], "limit": limit}),
        ),
    ] {
        for accept in [LINES, "Accept: application/json"] {
            let streaming = Streaming::begin(&server, path, &body, &[accept]);
            wait_until("the AI is busy", || {
                server.state_of_as("basic1", "other") == "busy"
            });
            drop(streaming);
            wait_until("the AIs are ready", || {
                ["basic1", "hangs"]
                    .iter()
                    .all(|ai| server.state_of_as(ai, "other") == "ready")
            });
            // The client's slot is free.
            server.quick_move();
        }
    }
}

#[test]
fn finishes_a_stream_after_sigterm() {
    let mut server = Server::start(&slow_ai(""));
    let mut streaming = Streaming::begin(&server, "/v1/best-move", &timed_search(1500), &[]);
    assert_eq!(streaming.next().unwrap()["type"], "start");
    server.signal(Signal::TERM);
    let rest = streaming.rest();
    assert_eq!(rest.last().unwrap()["type"], "result", "{rest:?}");
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn ends_streams_with_an_error_after_the_grace_period() {
    let mut server = Server::start(&slow_ai("shutdown_grace_ms = 1000\n"));
    let pending_search = start_and_read_progress(&server);
    let hanging = json!({"game": {}, "ai": "hangs"});
    let mut hanging = Streaming::begin(&server, "/v1/best-move", &hanging, &["X-Client-Id: other"]);
    assert_eq!(hanging.next().unwrap()["type"], "start");
    server.signal(Signal::TERM);
    for streaming in [pending_search, hanging] {
        let rest = streaming.rest();
        let last = rest.last().unwrap();
        assert_eq!(
            (&last["type"], &last["code"]),
            (&json!("error"), &json!("ai_unavailable")),
            "{last}"
        );
        assert!(
            last["detail"]
                .as_str()
                .unwrap()
                .contains("the server is shutting down"),
            "{last}"
        );
        let is_last = |record: &&Value| record["type"] == "error" || record["type"] == "result";
        assert_eq!(rest.iter().filter(is_last).count(), 1);
    }
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn ends_streams_with_an_error_on_a_second_signal() {
    let mut server = Server::start(&slow_ai("shutdown_grace_ms = 600000\n"));
    let pending_search = start_and_read_progress(&server);
    server.signal(Signal::TERM);
    wait_until("the server rejects connections", || {
        TcpStream::connect(server.address).is_err()
    });
    server.signal(Signal::TERM);
    assert_eq!(
        pending_search.rest().last().unwrap()["code"],
        "ai_unavailable"
    );
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn sends_heartbeats() {
    let server = Server::start(&ai("hangs", "hang", "move_timeout_ms = 5500"));
    let records = Streaming::begin(&server, "/v1/best-move", &json!({"game": {}}), &[]).rest();
    let kinds: Vec<_> = records
        .iter()
        .map(|record| record["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["start", "heartbeat", "error"], "{records:?}");
    assert!(
        records[1]["time_ms"].as_u64().unwrap() >= 5000,
        "{}",
        records[1]
    );
    assert_eq!(records[2]["code"], "ai_timeout");
}

#[test]
fn an_unread_stream_blocks_no_other_client() {
    let server = Server::start(&slow_ai(""));
    let body = json!({"game": {}, "lines": 64, "limit": {"movetime_ms": 1000}});
    let unread: Vec<_> = (0..4)
        .map(|_| Streaming::begin(&server, "/v1/best-move", &body, &["X-Client-Id: other"]))
        .collect();
    // Every search runs although no client reads the streams.
    server.quick_move();
    wait_until("all requests finish", || {
        server.state_of("basic1") == "ready"
    });
    for streaming in unread {
        let records = streaming.rest();
        assert_eq!(records.last().unwrap()["type"], "result");
        assert!(records.len() < 40, "{}", records.len());
    }
}

/// A connection with a minimal receive buffer.
fn connect_without_reading(server: &Server) -> TcpStream {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    sockopt::set_socket_recv_buffer_size(&socket, 1).unwrap();
    rustix::net::connect(&socket, &server.address).unwrap();
    socket.into()
}

#[test]
fn closes_a_stream_that_is_never_read() {
    let server = Server::start(&slow_ai("send_timeout_ms = 1000\n"));
    for accept in ["application/x-ndjson", "text/event-stream"] {
        let body = json!({"game": {}, "lines": 64, "limit": {"movetime_ms": 500_000}}).to_string();
        let request = post_text("/v1/best-move", &[&format!("Accept: {accept}")], &body);
        let mut unread = connect_without_reading(&server);
        unread.write_all(request.as_bytes()).unwrap();
        wait_until("the AI is busy", || {
            server.state_of_as("basic1", "other") == "busy"
        });
        assert_eq!(
            server.get("/v1/ais").0,
            429,
            "the client's slot is occupied"
        );
        wait_until("the worker is ready", || {
            server.state_of_as("basic1", "other") == "ready"
        });
        // The client's slot is free.
        server.quick_move();
        let mut rest = Vec::new();
        assert!(
            unread.read_to_end(&mut rest).is_err(),
            "the connection is not closed cleanly"
        );
    }
}

#[test]
fn keeps_a_stream_that_is_read_slowly() {
    let server = Server::start(&slow_ai("send_timeout_ms = 1000\n"));
    let body = json!({"game": {}, "lines": 64, "limit": {"movetime_ms": 4000}}).to_string();
    let mut slow = connect_without_reading(&server);
    slow.write_all(post_text("/v1/best-move", &[LINES, "Connection: close"], &body).as_bytes())
        .unwrap();
    let (began, mut reported) = (Instant::now(), String::new());
    while began.elapsed() < Duration::from_secs(4) {
        // Reads slowly.
        std::thread::park_timeout(Duration::from_millis(100));
        let mut part = [0; 4096];
        let length = slow.read(&mut part).unwrap();
        reported.push_str(std::str::from_utf8(&part[..length]).unwrap());
    }
    // Reads the rest quickly.
    sockopt::set_socket_recv_buffer_size(&slow, 1 << 20).unwrap();
    slow.read_to_string(&mut reported).unwrap();
    assert!(reported.contains(r#""type":"result""#), "{reported}");
}

#[test]
fn continues_with_another_worker_after_a_kill() {
    let server = Server::start(&slow_ai(""));
    let body = json!({"game": {}, "limit": {"movetime_ms": 3000}, "ai": "basic1"});
    let mut streaming = Streaming::begin(&server, "/v1/best-move", &body, &[]);
    assert_eq!(streaming.next().unwrap()["type"], "start");
    let progress_record = streaming.next().unwrap();
    assert_eq!(progress_record["type"], "info", "{progress_record}");
    for worker in server.children() {
        kill(worker, Signal::KILL);
    }
    let rest = streaming.rest();
    let last = rest.last().unwrap();
    assert_eq!(last["type"], "result", "{last}");
    assert!(
        last["search"]["time_ms"].as_u64().unwrap() < Duration::from_secs(20).as_millis() as u64
    );
}
