//! Slow requests that would never finish.

use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Server, last_get, post_head, post_text, timed_search};
use crate::support::{assert_has, basic1_and, with_ais};

const CHUNKED: &str = "Transfer-Encoding: chunked";
/// The pause between two pieces.
const SEND_INTERVAL: Duration = Duration::from_millis(20);
/// The server allows 5 s for a head and 2.5 s for a complete request. The rest is a margin for a
/// loaded machine.
const CLOSED_WITHIN: Duration = Duration::from_secs(15);

fn server() -> Server {
    Server::start(&with_ais(
        &[("basic1", "ai_basic1", "move_timeout_ms = 60000")],
        "[server]\nbody_timeout_ms = 500",
    ))
}

fn connect(server: &Server) -> TcpStream {
    let connection = server.socket();
    connection.set_read_timeout(Some(SEND_INTERVAL)).unwrap();
    connection
}

/// Sends a piece repeatedly until the server closes the connection. Returns the elapsed time and
/// the reply. Reads from the connection must time out after [`SEND_INTERVAL`].
fn send_slowly(mut connection: TcpStream, head: &str, piece: &str) -> (Option<Duration>, String) {
    let began = Instant::now();
    connection.write_all(head.as_bytes()).unwrap();
    let mut reply = Vec::new();
    let mut part = [0; 4096];
    while began.elapsed() < CLOSED_WITHIN {
        let closed = connection.write_all(piece.as_bytes()).is_err()
            || match connection.read(&mut part) {
                Ok(0) => true,
                Ok(length) => {
                    reply.extend_from_slice(&part[..length]);
                    false
                }
                Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
            };
        if closed {
            return (
                Some(began.elapsed()),
                String::from_utf8_lossy(&reply).into_owned(),
            );
        }
    }
    (None, String::from_utf8_lossy(&reply).into_owned())
}

#[test]
fn closes_a_slow_request_after_its_rejection() {
    let server = server();
    for headers in [&[CHUNKED, "X-Client-Id: nobody"][..], &[CHUNKED]] {
        let (closed, reply) = send_slowly(
            connect(&server),
            &post_head("/v1/validate", headers),
            "1\r\na\r\n",
        );
        assert!(
            closed.is_some() && reply.starts_with("HTTP/1.1 4"),
            "{reply}"
        );
        assert_eq!(reply.matches("HTTP/1.1 ").count(), 1, "{reply}");
    }
}

#[test]
fn finishes_a_long_search_after_a_complete_body() {
    let server = server();
    let body = timed_search(4000).to_string();
    for headers in [&[][..], &["Accept: application/x-ndjson"]] {
        let framed = [
            (format!("Content-Length: {}", body.len()), body.clone()),
            (
                CHUNKED.to_owned(),
                format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()),
            ),
        ];
        for (framing, sent) in framed {
            let head = post_head(
                "/v1/best-move",
                &[headers, &["Connection: close", &framing]].concat(),
            );
            let reply = server.exchange(&(head + &sent));
            assert!(reply.starts_with("HTTP/1.1 200 OK\r\n"), "{reply}");
            assert!(reply.contains(r#""stopped_by":"movetime""#), "{reply}");
        }
    }
}

#[test]
fn finishes_a_long_search_while_the_next_request_is_sent() {
    let server = server();
    let body = timed_search(4000).to_string();
    let answers =
        server.exchange(&(post_text("/v1/best-move", &[], &body) + &last_get("/healthz")));
    assert_eq!(
        answers.matches("HTTP/1.1 200 OK\r\n").count(),
        2,
        "{answers}"
    );
}

#[test]
fn returns_408_below_the_minimum_rate() {
    let server = Server::start(&basic1_and("[server]\nbody_timeout_ms = 600000"));
    let head = post_head("/v1/validate", &["Content-Length: 100000"]);
    let (closed, reply) = send_slowly(connect(&server), &head, "aaaa");
    assert!(closed.is_some(), "{reply}");
    assert!(
        reply.starts_with("HTTP/1.1 408 Request Timeout\r\n"),
        "{reply}"
    );
    let parts = [
        "application/problem+json",
        r#""code":"request_timeout""#,
        "min_body_bytes_per_s",
    ];
    assert_has(&reply, &parts);
    assert_eq!(server.post("/v1/validate", &json!({"game": {}})).0, 200);
}
