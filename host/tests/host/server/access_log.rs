//! The access log.

use std::{net::Shutdown, thread::JoinHandle};

use rustix::process::Signal;
use serde_json::{Value, json};
use test_kit::wait_until;

use super::{Server, logging, observability::has_field, post_text, timed_search};
use crate::support::{ConfigFile, ai, basic1_and, keyed_client};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

fn file() -> ConfigFile {
    basic1_and(&(keyed_client("bob", "basic1") + "rate = \"1/h\"\n"))
}

fn start(file: &ConfigFile) -> (Server, JoinHandle<String>) {
    logging(file, "info", &["--log-format", "json"])
}

/// Stops the server and returns the lines of its log.
fn lines(mut server: Server, log: JoinHandle<String>) -> Vec<Value> {
    server.stop(Signal::INT);
    let log = log.join().unwrap();
    log.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect()
}

/// Returns the access lines without the parts that differ from run to run.
fn access(lines: &[Value]) -> Vec<Value> {
    let access = lines
        .iter()
        .filter(|line| line["target"] == "access")
        .cloned();
    let access = access.map(|mut line| {
        let fields = line.as_object_mut().unwrap();
        assert!(fields.remove("timestamp").is_some() && fields.remove("target").is_some());
        assert_eq!(
            (fields.remove("level"), fields.remove("address")),
            (Some(json!("INFO")), Some(json!("127.0.0.1")))
        );
        for time in ["time_ms", "queue_ms", "ai_ms"] {
            assert!(
                fields
                    .remove(time)
                    .is_none_or(|time| time.as_f64().unwrap() >= 0.0),
                "{line}"
            );
        }
        line
    });
    access.collect()
}

fn exchange(server: &Server, path: &str, headers: &[&str], body: &str) -> String {
    server.exchange(&post_text(
        path,
        &[headers, &["Connection: close"]].concat(),
        body,
    ))
}

fn body_bytes(reply: &str) -> usize {
    reply.split_once("\r\n\r\n").unwrap().1.len()
}

#[test]
fn logs_each_request_with_its_client_and_its_work() {
    let (server, log) = start(&file());
    let worker = server.children()[0].to_string();
    let quick = json!({"game": {}, "limit": {"depth": 1}}).to_string();
    let named = |id: &'static str| format!("X-Request-Id: {id}");
    let moved = exchange(
        &server,
        "/v1/best-move",
        &["Authorization: Bearer bob", &named("r1")],
        &quick,
    );
    let limited = exchange(
        &server,
        "/v1/best-move",
        &["Authorization: Bearer bob", &named("r2")],
        &quick,
    );
    let unknown = exchange(
        &server,
        "/v1/best-move",
        &["X-Client-Id: e\u{202e}ve", &named("r3")],
        &quick,
    );
    let listed = exchange(
        &server,
        "/v1/legal-moves",
        &[&named("r4")],
        r#"{"game": {}}"#,
    );
    let missing = exchange(&server, "/secret?secret=secret", &[&named("r5")], "");
    let lines = lines(server, log);
    let expected = [
        json!({
            "client": "bob",
            "route": "/v1/best-move",
            "status": 200,
            "code": "ok",
            "bytes_in": quick.len(),
            "bytes_out": body_bytes(&moved),
            "ai": "basic1",
            "worker": worker,
            "request_id": "r1",
        }),
        json!({
            "client": "bob",
            "route": "/v1/best-move",
            "status": 429,
            "code": "rate_limited",
            "bytes_in": 0,
            "bytes_out": body_bytes(&limited),
            "request_id": "r2",
        }),
        json!({
            "route": "/v1/best-move",
            "status": 401,
            "code": "unknown_client",
            "bytes_in": 0,
            "bytes_out": body_bytes(&unknown),
            "request_id": "r3",
        }),
        json!({
            "client": "default",
            "route": "/v1/legal-moves",
            "status": 200,
            "code": "ok",
            "bytes_in": 12,
            "bytes_out": body_bytes(&listed),
            "request_id": "r4",
        }),
        json!({
            "route": "none",
            "status": 404,
            "code": "not_found",
            "bytes_in": 0,
            "bytes_out": body_bytes(&missing),
            "request_id": "r5",
        }),
    ]
    .map(|mut line| {
        line["method"] = "POST".into();
        line["message"] = "request finished".into();
        line
    });
    assert_eq!(access(&lines), expected);
    assert!(
        lines
            .iter()
            .all(|line| !line.to_string().contains("secret")),
        "{lines:#?}"
    );
}

#[test]
fn the_filter_switches_the_text_log_off() {
    for (filter, count) in [
        ("info", 1),
        ("info,access=off", 0),
        ("warn", 0),
        ("off,access=info", 1),
    ] {
        let (mut server, log) = logging(&file(), filter, &[]);
        server.quick_move();
        server.stop(Signal::INT);
        let log = log.join().unwrap();
        let lines: Vec<_> = log
            .lines()
            .filter(|line| line.contains(" access: "))
            .collect();
        assert_eq!(lines.len(), count, "{filter}: {log}");
        let has = |part: &str| lines.iter().all(|line| line.contains(part));
        assert!(
            has(
                "request finished client=\"default\" address=127.0.0.1 method=\"POST\" \
                 route=\"/v1/best-move\""
            ),
            "{log}"
        );
        assert!(
            has(" ai=\"basic1\" worker=\"") && has(" queue_ms=") && has(" ai_ms="),
            "{log}"
        );
    }
}

#[test]
fn includes_streams_and_clients_that_disconnect() {
    let (server, log) = start(&file());
    let quick = json!({"game": {}, "limit": {"depth": 1}}).to_string();
    let stream = exchange(
        &server,
        "/v1/best-move",
        &["Accept: application/x-ndjson", "X-Request-Id: r1"],
        &quick,
    );
    let search = timed_search(5000).to_string();
    let pending = server.send(&post_text("/v1/best-move", &["X-Request-Id: r2"], &search));
    wait_until("the AI is busy", || server.state_of("basic1") == "busy");
    pending.shutdown(Shutdown::Both).unwrap();
    let gone = "status=\"499\",code=\"client_gone\"} 1\n";
    wait_until("the disconnect is counted", || {
        server.metrics().contains(gone)
    });
    let lines = lines(server, log);
    let find = |id: &str| {
        let line = lines
            .iter()
            .find(|line| line["target"] == "access" && line["request_id"] == id);
        line.unwrap_or_else(|| panic!("{lines:#?}"))
    };
    let streamed = find("r1");
    assert!(
        streamed["bytes_out"].as_u64().unwrap() > 100 && stream.contains("\"result\""),
        "{streamed}"
    );
    assert_eq!(
        (&streamed["ai"], &streamed["status"]),
        (&json!("basic1"), &json!(200))
    );
    let gone = find("r2");
    assert_eq!(
        (&gone["message"], &gone["status"]),
        (&json!("client disconnected"), &json!(499))
    );
    assert_eq!(gone["ai"], json!("basic1"));
    assert!(gone["ai_ms"].as_f64().unwrap() > 0.0, "{gone}");
}

#[test]
fn log_lines_contain_the_request_trace_if_it_is_valid() {
    let (server, log) = start(&ai("panics", "panic", ""));
    let valid = format!("traceparent: 00-{TRACE}-b7ad6b7169203331-01");
    let malformed = format!("traceparent: 00-{TRACE}-0000000000000000-01");
    for (id, headers) in [
        ("r1", &[&*valid][..]),
        ("r2", &[&malformed]),
        ("r3", &[&valid, &valid]),
    ] {
        let id = format!("X-Request-Id: {id}");
        let reply = exchange(
            &server,
            "/v1/best-move",
            &[headers, &[&*id]].concat(),
            r#"{"game": {}}"#,
        );
        assert!(reply.starts_with("HTTP/1.1 502"), "{reply}");
    }
    let lines = lines(server, log);
    let traces: Vec<_> = access(&lines)
        .into_iter()
        .map(|line| line["trace_id"].clone())
        .collect();
    assert_eq!(traces, [json!(TRACE), Value::Null, Value::Null]);
    // The worker's lines contain the trace.
    let of_worker: Vec<_> = lines
        .iter()
        .filter(|line| {
            line["message"] == "request failed" && has_field(line, "ai", &"panics".into())
        })
        .map(|line| {
            (
                has_field(line, "request_id", &"r1".into()),
                has_field(line, "trace_id", &TRACE.into()),
            )
        })
        .collect();
    assert_eq!(
        of_worker,
        [(true, true), (false, false), (false, false)],
        "{lines:#?}"
    );
}
