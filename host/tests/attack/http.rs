//! Ambiguous and oversized requests, and those of other protocols.

use std::{
    io::{Read as _, Write as _},
    thread,
    time::Duration,
};

use crate::{
    runner::{Arena, Attack, Outcome},
    server::{Server, Setup},
};

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new("HTTP/1.0 gets no chunks", "every kind of reply by HTTP/1.0", http_1_0),
    Attack::new(
        "a request is parsed in one way or rejected",
        "two lengths, lengths and chunks, folded and spaced headers, odd numbers",
        ambiguous_requests,
    ),
    Attack::new("a head is bounded", "a mebibyte of target, header and headers", huge_heads),
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

fn http_1_0(arena: &Arena) -> Outcome {
    let server = Setup::good().start(arena);
    let game = r#"{"game":{},"limit":{"depth":3}}"#;
    let post = |accept: &str| {
        format!(
            "POST /v1/best-move HTTP/1.0\r\nAccept: {accept}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{game}",
            game.len()
        )
    };
    let mut requests =
        vec![post("application/json"), post("application/x-ndjson"), post("text/event-stream")];
    for path in
        ["/", "/docs", "/openapi.json", "/healthz", "/metrics", "/v1/ais", "/nothing", "/v1/board.svg"]
    {
        requests.push(format!("GET {path} HTTP/1.0\r\n\r\n"));
    }
    let mut wrong = Vec::new();
    for request in &requests {
        let mut connection = server.connect();
        let reply = connection.exchange(request.as_bytes())?;
        let line = request.lines().next().unwrap_or_default();
        if reply.header("transfer-encoding").is_some() {
            wrong.push(format!("{line} {:?}", request.lines().nth(1)));
        }
    }
    if wrong.is_empty() {
        Ok(format!("{} replies", requests.len()))
    } else {
        Err(format!("chunks for {}", wrong.join(", ")))
    }
}

/// Sends bytes on a new connection. Returns the replies until the server closes or is silent.
pub(crate) fn answers(server: &Server, bytes: &[u8]) -> String {
    let mut socket = server.socket();
    socket.set_read_timeout(Some(Duration::from_millis(1500))).unwrap();
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
    text.split("HTTP/1.").skip(1).filter_map(|answer| answer.split(' ').nth(1)).collect()
}

fn ambiguous_requests(arena: &Arena) -> Outcome {
    let server = Setup::good().server("body_timeout_ms = 1000").start(arena);
    let smuggled = "GET /v1/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let body = r#"{"game":{}}"#;
    let chunk = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let length = body.len();
    let cases = [
        (
            "length and chunks",
            format!("Content-Length: {}\r\nTransfer-Encoding: chunked\r\n", chunk.len() + smuggled.len()),
            chunk.clone() + smuggled,
        ),
        (
            "two lengths",
            format!("Content-Length: {length}\r\nContent-Length: {}\r\n", length + smuggled.len()),
            body.to_owned() + smuggled,
        ),
        (
            "a list of lengths",
            format!("Content-Length: {length}, {}\r\n", length + smuggled.len()),
            body.to_owned() + smuggled,
        ),
        ("a length with a sign", format!("Content-Length: +{length}\r\n"), body.to_owned()),
        ("a negative length", "Content-Length: -1\r\n".into(), body.to_owned()),
        ("a length beyond 64 bits", "Content-Length: 18446744073709551627\r\n".into(), body.to_owned()),
        ("a length in hexadecimal", "Content-Length: 0xb\r\n".into(), body.to_owned()),
        ("a space before the colon", format!("Content-Length : {length}\r\n"), body.to_owned() + smuggled),
        ("a folded length", format!("Content-Length:\r\n {length}\r\n"), body.to_owned() + smuggled),
        (
            "chunked twice",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n".into(),
            chunk.clone() + smuggled,
        ),
        ("chunked and identity", "Transfer-Encoding: chunked, identity\r\n".into(), chunk.clone() + smuggled),
        ("unknown coding", "Transfer-Encoding: xchunked\r\n".into(), chunk.clone() + smuggled),
        ("vertical tab", "Transfer-Encoding: \x0bchunked\r\n".into(), chunk.clone() + smuggled),
        ("a NUL", format!("X: a\0b\r\nContent-Length: {length}\r\n"), body.to_owned() + smuggled),
        (
            "a bare CR",
            format!("X: a\rContent-Length: {}\r\nContent-Length: {length}\r\n", length + 10),
            body.to_owned(),
        ),
        (
            "a chunk size that wraps",
            "Transfer-Encoding: chunked\r\n".into(),
            format!("1000000000000000b\r\n{body}\r\n0\r\n\r\n{smuggled}"),
        ),
        (
            "a negative chunk",
            "Transfer-Encoding: chunked\r\n".into(),
            format!("-b\r\n{body}\r\n0\r\n\r\n{smuggled}"),
        ),
        (
            "a chunk in 0x",
            "Transfer-Encoding: chunked\r\n".into(),
            format!("0xb\r\n{body}\r\n0\r\n\r\n{smuggled}"),
        ),
        (
            "a chunk without its end",
            "Transfer-Encoding: chunked\r\n".into(),
            format!("b\r\n{body}0\r\n\r\n{smuggled}"),
        ),
    ];
    let (mut wrong, count) = (Vec::new(), cases.len());
    for (name, headers, sent) in cases {
        let request = format!(
            "POST /v1/validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{headers}\r\n{sent}"
        );
        let text = answers(&server, request.as_bytes());
        let statuses = statuses(&text);
        // Every request is rejected, and its body is not parsed as another request.
        if statuses.len() > 1
            || statuses.iter().any(|status| !matches!(*status, "400" | "413" | "501" | "408"))
        {
            wrong.push(format!("{name}: {statuses:?}"));
        }
    }
    server.is_unharmed("good")?;
    if wrong.is_empty() { Ok(format!("{count} requests rejected")) } else { Err(wrong.join(", ")) }
}

fn huge_heads(arena: &Arena) -> Outcome {
    let server = Setup::good().start(arena);
    let many = "A: b\r\n".repeat(170_000);
    let long = "x".repeat(1 << 20);
    for (name, request) in [
        ("target", format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n")),
        ("query", format!("GET /v1/board.svg?fen={long} HTTP/1.1\r\nHost: localhost\r\n\r\n")),
        ("header", format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {long}\r\n\r\n")),
        ("name", format!("GET / HTTP/1.1\r\nHost: localhost\r\n{long}: x\r\n\r\n")),
        ("headers", format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n")),
        ("method", format!("{long} / HTTP/1.1\r\nHost: localhost\r\n\r\n")),
        ("key", format!("GET /v1/ais HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {long}\r\n\r\n")),
    ] {
        let text = answers(&server, request.as_bytes());
        let statuses = statuses(&text);
        if statuses.iter().any(|status| !status.starts_with('4')) || text.len() > 64 << 10 {
            return Err(format!("{name}: {statuses:?}, {} bytes", text.len()));
        }
    }
    server.is_unharmed("good")?;
    let megabytes = server.peak_mb();
    if megabytes > 300 {
        Err(format!("server {megabytes} MiB"))
    } else {
        Ok(format!("rejected; server {megabytes} MiB"))
    }
}

fn pipelined(arena: &Arena) -> Outcome {
    let server = Setup::good().start(arena);
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
    thread::sleep(Duration::from_millis(500));
    let megabytes = server.resident_mb();
    for number in 0..10_000 {
        let reply = connection.read().map_err(|error| format!("reply {number}: {error}"))?;
        if reply.status != 404 || !reply.text().contains(&format!("none{number}")) {
            return Err(format!("reply {number}: {} {}", reply.status, reply.text()));
        }
    }
    writing.join().unwrap();
    server.is_unharmed("good")?;
    if megabytes > 300 {
        Err(format!("server {megabytes} MiB"))
    } else {
        Ok(format!("all in order; server {megabytes} MiB"))
    }
}

fn other_protocols(arena: &Arena) -> Outcome {
    let server = Setup::good().start(arena);
    let upgrade = |to: &str| {
        format!("GET /v1/ais HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: {to}\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n").into_bytes()
    };
    for (name, bytes) in [
        ("websocket", upgrade("websocket")),
        ("h2c", upgrade("h2c")),
        ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec()),
        ("CONNECT", b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n".to_vec()),
        ("TLS", [&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..], &[0x41; 600]].concat()),
        ("TRACE", b"TRACE / HTTP/1.1\r\nHost: localhost\r\nX-Secret: y\r\n\r\n".to_vec()),
        ("HTTP/0.9", b"GET /\r\n".to_vec()),
    ] {
        let text = answers(&server, &bytes);
        if statuses(&text).contains(&"101")
            || text.contains("X-Secret")
            || !text.is_empty() && !text.starts_with("HTTP/1.")
        {
            return Err(format!("{name}: {text:.200}"));
        }
        if name == "CONNECT" && statuses(&text).iter().any(|status| status.starts_with('2')) {
            return Err(format!("{name}: {text:.200}"));
        }
    }
    server.is_unharmed("good")?;
    Ok("none".into())
}
