//! Oversized and pipelined requests, and requests in other protocols.

use std::{
    io::{Read as _, Write as _},
    thread,
    time::Duration,
};

use test_kit::poll;

use crate::{
    runner::{Attack, Attempt, Outcome, judge},
    sandbox::memory_of,
    server::{Server, Setup},
};

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        "a head is bounded",
        "a mebibyte in the target, in one header and in many headers",
        huge_heads,
    ),
    Attack::new(
        "pipelined requests receive bounded replies in order",
        "10,000 requests before the first reply is read",
        pipelined,
    ),
    Attack::new(
        "no other protocol is accepted",
        "upgrades, CONNECT, TLS and HTTP/2 prefaces",
        other_protocols,
    ),
];

/// Sends bytes on a new connection. Returns the replies until the server closes the connection or
/// goes silent.
pub(crate) fn answers(server: &Server, bytes: &[u8]) -> String {
    let mut socket = server.socket();
    socket
        .set_read_timeout(Some(Duration::from_millis(1500)))
        .unwrap();
    let _ = socket.write_all(bytes);
    let mut received = Vec::new();
    let mut buffer = [0; 1 << 14];
    while let Ok(count) = socket.read(&mut buffer) {
        if count == 0 || received.len() > 1 << 20 {
            break;
        }
        received.extend(&buffer[..count]);
    }
    String::from_utf8_lossy(&received).into_owned()
}

pub(crate) fn statuses(text: &str) -> Vec<&str> {
    text.split("HTTP/1.")
        .skip(1)
        .filter_map(|answer| answer.split(' ').nth(1))
        .collect()
}

fn huge_heads(attempt: &Attempt) -> Outcome {
    let server = Setup::good().start(attempt);
    let many = "A: b\r\n".repeat(170_000);
    let long = "x".repeat(1 << 20);
    for (name, request) in [
        (
            "target",
            format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ),
        (
            "query",
            format!("GET /v1/board.svg?fen={long} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ),
        (
            "header",
            format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {long}\r\n\r\n"),
        ),
        (
            "name",
            format!("GET / HTTP/1.1\r\nHost: localhost\r\n{long}: x\r\n\r\n"),
        ),
        (
            "headers",
            format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n"),
        ),
        (
            "method",
            format!("{long} / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ),
        (
            "key",
            format!(
                "GET /v1/ais HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {long}\r\n\r\n"
            ),
        ),
    ] {
        let text = answers(&server, request.as_bytes());
        let statuses = statuses(&text);
        if statuses.iter().any(|status| !status.starts_with('4')) || text.len() > 64 << 10 {
            return Err(format!("{name}: {statuses:?}, {} bytes", text.len()));
        }
    }
    server.is_unharmed("good")?;
    let megabytes = memory_of(&server)?;
    Ok(format!("rejected; server {megabytes} MiB"))
}

fn pipelined(attempt: &Attempt) -> Outcome {
    let server = Setup::good().start(attempt);
    let mut connection = server.connect();
    let mut writer = connection.stream.try_clone().unwrap();
    let writing = thread::spawn(move || {
        for number in 0..10_000 {
            let request = format!("GET /v1/ais/none{number} HTTP/1.1\r\nHost: localhost\r\n\r\n");
            if writer.write_all(request.as_bytes()).is_err() {
                return number;
            }
        }
        10_000
    });
    // Waits until all requests are written or the server stops reading.
    poll(Duration::from_millis(500), || {
        writing.is_finished().then_some(())
    });
    let megabytes = server.resident_mb();
    for number in 0..10_000 {
        let reply = connection
            .read()
            .map_err(|error| format!("reply {number}: {error}"))?;
        if reply.status != 404 || !reply.text().contains(&format!("none{number}")) {
            return Err(format!("reply {number}: {} {}", reply.status, reply.text()));
        }
    }
    writing.join().unwrap();
    server.is_unharmed("good")?;
    let seen = format!("all in order; server {megabytes} MiB");
    judge(megabytes <= 300, seen)
}

fn other_protocols(attempt: &Attempt) -> Outcome {
    let server = Setup::good().start(attempt);
    let upgrade = |to: &str| {
        format!(
            "GET /v1/ais HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, \
            HTTP2-Settings\r\nUpgrade: {to}\r\nHTTP2-Settings: \
            AAMAAABkAAQCAAAAAAIAAAAA\r\nSec-WebSocket-Key: \
            dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        .into_bytes()
    };
    for (name, bytes) in [
        ("websocket", upgrade("websocket")),
        ("h2c", upgrade("h2c")),
        (
            "HTTP/2",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec(),
        ),
        (
            "CONNECT",
            b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n".to_vec(),
        ),
        (
            "TLS",
            [
                &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
                &[0x41; 600],
            ]
            .concat(),
        ),
        (
            "TRACE",
            b"TRACE / HTTP/1.1\r\nHost: localhost\r\nX-Secret: y\r\n\r\n".to_vec(),
        ),
        ("HTTP/0.9", b"GET /\r\n".to_vec()),
    ] {
        let text = answers(&server, &bytes);
        let statuses = statuses(&text);
        let is_tunnel = name == "CONNECT" && statuses.iter().any(|status| status.starts_with('2'));
        let is_http = text.is_empty() || text.starts_with("HTTP/1.");
        if statuses.contains(&"101") || text.contains("X-Secret") || is_tunnel || !is_http {
            return Err(format!("{name}: {text:.200}"));
        }
    }
    server.is_unharmed("good")?;
    Ok("none".into())
}
