//! Access control: rates, files, metrics and queues.

use std::{io::Write as _, time::Duration};

use serde_json::json;

use crate::{
    http::{answers, statuses},
    runner::{Attack, Attempt, Outcome, judge},
    server::Setup,
};

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        "a rate counts by sender, whatever the headers say",
        "a new `X-Forwarded-For`, `Forwarded` and user agent with each request",
        forged_addresses,
    ),
    Attack::new(
        "no file outside the page is served",
        "paths with `..`, encoded once and twice, absolute and with NUL",
        climbing_paths,
    ),
    Attack::new(
        "requests of clients do not grow the metrics",
        "thousands of unknown URLs, methods, clients and AIs",
        growing_metrics,
    ),
    Attack::new(
        "one client cannot fill an AI's queue for the others",
        "200 concurrent requests of one client",
        full_queue,
    ),
];

fn forged_addresses(attempt: &Attempt) -> Outcome {
    let server = Setup::good()
        .client("slow", "good", "rate = \"5/h burst 5\"")
        .start(attempt);
    let mut answered = 0;
    for number in 0..40 {
        let headers = format!(
            "X-Client-Id: slow\r\nX-Forwarded-For: 10.0.0.{number}\r\nForwarded: \
             for=10.0.1.{number}\r\nX-Real-IP: 10.0.2.{number}\r\nTrue-Client-IP: \
             10.0.3.{number}\r\nUser-Agent: {number}\r\n"
        );
        let reply = server.post_with("/v1/validate", &headers, &json!({"game": {}}));
        answered += usize::from(reply.status == 200);
    }
    let seen = format!("{answered} of 40 answered, 5 allowed");
    judge(answered == 5, seen)
}

fn climbing_paths(attempt: &Attempt) -> Outcome {
    let server = Setup::good().start(attempt);
    let targets = [
        "/../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%252e%252e/etc/passwd",
        "//etc/passwd",
        "/./../Cargo.toml",
        "/assets/../../Cargo.toml",
        "/assets/%2e%2e/index.html%00.js",
        "/..%5c..%5cetc%5cpasswd",
        "/.git/config",
        "/rookery.toml",
        "/assets/",
        "/%00",
        "/..;/etc/passwd",
        "http://localhost/../etc/passwd",
        "/v1/../rookery.toml",
    ];
    for target in targets {
        let request =
            format!("GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let text = answers(&server, request.as_bytes());
        let leaks = ["root:", "[package]", "[server]", "[core]"]
            .iter()
            .any(|inside| text.contains(inside));
        if leaks
            || !statuses(&text)
                .iter()
                .all(|status| matches!(*status, "404" | "400"))
        {
            return Err(format!("{target}: {:?} {text:.200}", statuses(&text)));
        }
    }
    Ok(format!("{} paths", targets.len()))
}

fn growing_metrics(attempt: &Attempt) -> Outcome {
    let server = Setup::good().start(attempt);
    server.is_unharmed("good")?;
    let size = || server.get("/metrics").body.len();
    let before = size();
    let mut connection = server.connect();
    for number in 0..if Attempt::is_long() { 20_000 } else { 2000 } {
        let line = match number % 4 {
            0 => format!("GET /unknown/{number} HTTP/1.1\r\n"),
            1 => format!("M{number} /v1/best-move HTTP/1.1\r\n"),
            2 => format!("GET /v1/ais HTTP/1.1\r\nX-Client-Id: c{number}\r\n"),
            _ => format!("GET /v1/ais/a{number} HTTP/1.1\r\n"),
        };
        connection.exchange(format!("{line}Host: localhost\r\n\r\n").as_bytes())?;
    }
    let (after, megabytes) = (size(), server.resident_mb());
    let seen = format!("{before} bytes before, {after} after; server {megabytes} MiB");
    judge(after <= before + 8192 && megabytes <= 200, seen)
}

fn full_queue(attempt: &Attempt) -> Outcome {
    let server = Setup::good()
        .client("greedy", "good", "")
        .keyed_client("ann", "good")
        .start(attempt);
    let body = json!({"game": {}, "limit": {"movetime_ms": 200}}).to_string();
    let request = test_kit::post("/v1/best-move", "X-Client-Id: greedy\r\n", body.as_bytes());
    let _greedy: Vec<_> = (0..200)
        .map(|_| {
            let mut socket = server.socket();
            socket.write_all(&request).unwrap();
            socket
        })
        .collect();
    let mut slowest = Duration::ZERO;
    for _ in 0..5 {
        let body = json!({"game": {}, "limit": {"depth": 1}, "fresh": true});
        let reply = server.post_with("/v1/best-move", "Authorization: Bearer ann\r\n", &body);
        if reply.status != 200 {
            return Err(format!("ann: {} {}", reply.status, reply.text()));
        }
        slowest = slowest.max(reply.time);
    }
    let seen = format!("ann received a reply within {slowest:.1?}");
    judge(slowest <= Duration::from_secs(4), seen)
}
