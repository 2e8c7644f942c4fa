//! Logs and metrics of a real server.

use std::{io::Read as _, process::Stdio, thread::JoinHandle};

use config::api_key::{KeyDigest, generate};
use rustix::process::Signal;
use serde_json::{Value, json};
use test_kit::{run, wait_until};

use super::{Server, command, listening, logging, post_text, reload_command, timed_search};
use crate::support::{ConfigFile, ai, assert_has, library};

fn end(mut server: Server, log: JoinHandle<String>) -> String {
    server.stop(Signal::INT);
    log.join().unwrap()
}

fn panicking() -> ConfigFile {
    ai("panics", "panic", "")
}

/// Returns whether a JSON log line has this field, itself or in one of its spans.
pub(super) fn has_field(line: &Value, key: &str, value: &Value) -> bool {
    let spans = line["spans"].as_array().cloned().unwrap_or_default();
    line[key] == *value || spans.iter().any(|span| span[key] == *value)
}

#[test]
fn logs_the_messages_of_an_ai_with_the_request() {
    let file = ai(
        "logging",
        "logging",
        "threads = 7\nmemory_mb = 300\nallow_read = [\"granted\"]",
    );
    let granted = file.folder().join("granted");
    std::fs::write(&granted, "").unwrap();
    let (server, log) = logging(&file, "info,rookery::ai::log=debug", &[]);
    for game in [
        json!({}),
        json!({"moves": ["e2e4"]}),
        json!({"fen": "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"}),
    ] {
        let (status, body) = server.post(
            "/v1/best-move",
            &json!({"game": game, "limit": {"movetime_ms": 1000}}),
        );
        assert_eq!(status, 200, "{body}");
    }
    let log = end(server, log);
    let lines = |part: &str| {
        log.lines()
            .filter(|line| line.contains(part))
            .collect::<Vec<_>>()
    };
    let [created] = lines("created with")[..] else {
        panic!("{log}")
    };
    let grants = format!("threads: 7, memory_mb: Some(300), paths: [{granted:?}]");
    assert!(
        created.contains("INFO") && created.contains(&grants),
        "{created}"
    );
    assert_eq!(
        (lines("WARN").len(), lines("searching").len()),
        (3, 3),
        "{log}"
    );
    assert_eq!(lines("from a thread").len(), 3, "{log}");
    for line in lines("searching") {
        assert!(
            line.contains("request_id") && line.contains("logging"),
            "{line}"
        );
    }
    // The third game does not continue the second. A message occupies one line.
    let [new_game] = lines("new game")[..] else {
        panic!("{log}")
    };
    assert!(
        new_game.contains("ERROR") && new_game.contains("forged line") && !log.contains('\u{1b}'),
        "{log}"
    );
    assert_eq!(
        ["flood 0", "flood 96", "flood 98"].map(|part| lines(part).len()),
        [3, 3, 0],
        "{log}"
    );
}

#[test]
fn json_logs_link_request_ai_and_worker() {
    let file = panicking();
    for (arguments, variable) in [(&["--log-format", "json"][..], None), (&[], Some("json"))] {
        let mut command = listening(&file);
        command.args(arguments).env("ROOKERY_LOG", "debug");
        command
            .envs(variable.map(|format| ("ROOKERY_LOG_FORMAT", format)))
            .stderr(Stdio::piped());
        let mut server = Server::spawn(&mut command);
        let mut stderr = server.take_stderr();
        let worker = server.children()[0];
        assert_eq!(server.get("/healthz?secret=1").0, 200);
        let (status, body) = server.post("/v1/best-move", &json!({"game": {}}));
        assert_eq!(
            (status, &body["code"]),
            (502, &json!("ai_failed")),
            "{body}"
        );
        run(&mut reload_command(&file, &[]));
        server.stop(Signal::INT);
        let mut log = String::new();
        stderr.read_to_string(&mut log).unwrap();
        let lines: Vec<Value> = log
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            })
            .collect();
        let of_request: Vec<_> = lines
            .iter()
            .filter(|line| has_field(line, "request_id", &body["request_id"]))
            .collect();
        let find = |part: &str| {
            let line = of_request
                .iter()
                .find(|line| line["message"].as_str().unwrap().contains(part));
            *line.unwrap_or_else(|| panic!("no line with {part} in {log}"))
        };
        for part in ["request failed", "panicked at"] {
            let line = find(part);
            assert!(
                has_field(line, "ai", &json!("panics"))
                    && has_field(line, "worker", &json!(worker)),
                "{line}"
            );
        }
        let answered = find("request finished");
        assert_eq!(
            (&answered["status"], &answered["code"]),
            (&json!(502), &json!("ai_failed")),
            "{answered}"
        );
        assert!(
            has_field(answered, "route", &json!("/v1/best-move")),
            "{answered}"
        );
        assert!(
            answered["time_ms"].as_f64().is_some_and(|time| time > 0.0),
            "{answered}"
        );
        assert!(!log.contains("secret"), "{log}");
    }
}

#[test]
fn logs_startup_errors_as_json() {
    for (text, part) in [
        ("[ai.a]\n", "[ai.a] has no `library`"),
        ("[server]\nlisten = \"192.0.2.1:1\"\n", "cannot listen on"),
    ] {
        let file = ConfigFile::verbatim(text);
        let output = command(&file)
            .args(["--log-format", "json"])
            .output()
            .unwrap();
        let log = String::from_utf8(output.stderr).unwrap();
        let lines: Vec<Value> = log
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            })
            .collect();
        let last = lines.last().unwrap();
        assert!(
            last["level"] == "ERROR" && last["message"].as_str().unwrap().contains(part),
            "{log}"
        );
        assert!(!output.status.success());
    }
}

#[test]
fn rejects_an_unknown_log_format() {
    let output = command(&panicking())
        .args(["--log-format", "xml"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_has(
        str::from_utf8(&output.stderr).unwrap(),
        &["'xml'", "[possible values: text, json]"],
    );
}

#[test]
fn counts_disconnected_clients() {
    let server = Server::start(&ai("basic1", "ai_basic1", "move_timeout_ms = 600000"));
    let pending = server.send(&post_text(
        "/v1/best-move",
        &[],
        &timed_search(500_000).to_string(),
    ));
    wait_until("the AI is busy", || {
        server
            .metrics()
            .contains("rookery_ai_workers{ai=\"basic1\",state=\"busy\"} 1\n")
    });
    assert!(server.metrics().contains("rookery_http_requests_open 2\n"));
    drop(pending);
    let left = "rookery_http_requests_total\
                {route=\"/v1/best-move\",status=\"499\",code=\"client_gone\"} 1\n";
    wait_until("the disconnect is counted", || {
        server.metrics().contains(left)
    });
    assert!(server.metrics().contains("rookery_http_requests_open 1\n"));
}

#[test]
fn counts_reloads_by_outcome() {
    let file = panicking();
    let server = Server::start(&file);
    assert!(!server.metrics().contains("rookery_reloads_total{"));
    let last = || {
        let metrics = server.metrics();
        let value = |name: &str| {
            let line = metrics
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.unwrap_or_else(|| panic!("{metrics}"))
                .parse::<f64>()
                .unwrap()
        };
        let successful = value("rookery_config_last_reload_successful");
        (
            successful > 0.0,
            value("rookery_config_last_reload_timestamp_seconds"),
        )
    };
    let start = last();
    server.signal(Signal::HUP);
    wait_until("the reload is applied", || {
        server
            .metrics()
            .contains("rookery_reloads_total{outcome=\"applied\"} 1\n")
    });
    let applied = last();
    assert!(
        start.0 && applied.0 && applied.1 > start.1,
        "{start:?} {applied:?}"
    );
    std::fs::write(file.path(), "nonsense").unwrap();
    server.signal(Signal::HUP);
    wait_until("the reload fails", || {
        server
            .metrics()
            .contains("rookery_reloads_total{outcome=\"failed\"} 1\n")
    });
    let failed = last();
    assert!(!failed.0 && failed.1 > applied.1, "{applied:?} {failed:?}");
    assert!(
        server
            .metrics()
            .contains("rookery_reloads_total{outcome=\"applied\"} 1\n")
    );
}

#[test]
fn logs_and_replies_disclose_no_secrets() {
    for filter in ["trace", "info,rookery=debug"] {
        check_secrets(filter);
    }
}

/// Requests by path, headers and body, with the status of their replies. `KEY` is the client's
/// generated key, and `CAPITALS` is the same key in capitals.
const WITH_KEYS: &[(&str, &[&str], &str, u16)] = &[
    ("/v1/best-move", &[BEARER], QUICK, 200),
    (
        "/v1/best-move",
        &[BEARER, "X-Client-Id: secretive"],
        QUICK,
        200,
    ),
    (
        "/v1/best-move",
        &[BEARER],
        r#"{"game": {}, "ai": "crashes"}"#,
        502,
    ),
    (
        "/v1/best-move",
        &[BEARER],
        r#"{"game": {}, "ai": "panics"}"#,
        502,
    ),
    (
        "/v1/best-move",
        &[BEARER],
        r#"{"game": {}, "ai": "KEY"}"#,
        404,
    ),
    ("/v1/best-move", &[BEARER], r#"{"game": {}, "KEY": 1}"#, 400),
    (
        "/v1/best-move",
        &[BEARER],
        r#"{"game": {"fen": "KEY"}}"#,
        422,
    ),
    ("/v1/validate", &[BEARER], r#"{"game": {"fen": "x"}}"#, 422),
    ("/v1/validate", &[BEARER], "{", 400),
    ("/v1/validate", &[BEARER, "X-Request-Id: KEY"], "{}", 400),
    ("/v1/validate?key=KEY", &[BEARER], "{}", 400),
    ("/v1/KEY", &[BEARER], "{}", 404),
    ("/KEY", &[], "{}", 404),
    ("/v1/validate", &[BEARER, BEARER], "{}", 401),
    ("/v1/validate", &["Authorization: Basic KEY"], "{}", 401),
    ("/v1/validate", &["Authorization: KEY"], "{}", 401),
    (
        "/v1/validate",
        &[BEARER, "X-Client-Id: bystander"],
        "{}",
        401,
    ),
    ("/v1/validate", &["X-Client-Id: KEY"], "{}", 401),
    ("/v1/validate", &["X-Client-Id: secretive"], "{}", 401),
    ("/v1/validate", &["X-Client-Id: secretivf"], "{}", 401),
    ("/v1/validate", &[], "{}", 401),
    (
        "/v1/best-move",
        &["Authorization: Bearer the-own-key"],
        QUICK,
        200,
    ),
    (
        "/v1/validate",
        &["Authorization: Bearer the-wrong-key"],
        "{}",
        401,
    ),
    ("/v1/validate", &["Authorization: the-wrong-key"], "{}", 401),
    (
        "/v1/validate",
        &["Authorization: Bearer CAPITALS"],
        "{}",
        401,
    ),
    ("/v1/validate", &["X-Request-Id: CAPITALS"], "{}", 401),
];
const BEARER: &str = "Authorization: Bearer KEY";
const QUICK: &str = r#"{"game": {}, "limit": {"depth": 1}}"#;

fn check_secrets(filter: &str) {
    let key = generate().unwrap();
    let capitals = key.to_uppercase();
    let [digest, own_digest] =
        [key.as_str(), "the-own-key"].map(|key| KeyDigest::of(key.as_bytes()).to_string());
    let file = ConfigFile::new(&format!(
        "[ai.basic1]\nlibrary = \
         \"ai_basic1\"\n[ai.panics]\n{}[ai.crashes]\n{}[client.secretive]\nai = \"basic1\"\nadmin \
         = true\nrate = \"1/h burst 20\"\nmax_concurrent = 2\napi_key_sha256 = \
         [\"{digest}\", \"{own_digest}\"]\n[client.bystander]\nai = \"basic1\"\n",
        library("panic"),
        library("segfault"),
    ));
    let (server, log) = logging(&file, filter, &[]);
    let mut replies = String::new();
    for &(path, headers, body, status) in WITH_KEYS {
        let headers = [headers, &["Connection: close"]].concat().join("\r\n");
        let [path, headers, body] = [path, &headers, body]
            .map(|text| text.replace("KEY", &key).replace("CAPITALS", &capitals));
        let sent = post_text(&path, &[&headers], &body);
        let reply = server.exchange(&sent);
        assert!(
            reply.starts_with(&format!("HTTP/1.1 {status}")),
            "{path} {headers:?}: {reply}"
        );
        assert_eq!(reply.matches("HTTP/1.1 ").count(), 1, "{reply}");
        replies.push_str(&reply);
    }
    let bearer = [("Authorization", &*format!("Bearer {key}"))];
    let (status, ais) = server.get_with("/v1/ais", &bearer);
    assert_eq!(status, 200, "{ais}");
    replies.push_str(&ais.to_string());
    let folder = file.folder().to_str().unwrap();
    for part in [folder, "target/", ".rs"] {
        assert!(!replies.contains(part), "a reply shows {part}: {replies}");
    }
    let (status, fault) = server.get_with("/v1/ais/panics", &bearer);
    assert!(
        status == 200 && fault["last_fault"]["code"] == json!("ai_failed"),
        "{fault}"
    );
    replies.push_str(&fault.to_string());
    let log = end(server, log);
    let is_trace = filter == "trace";
    assert_has(
        &log,
        &[
            "/v1/best-move",
            "ai_crashed",
            "panicked at",
            if is_trace { "TRACE" } else { "DEBUG" },
        ],
    );

    // Only one line names the file.
    let names_file = |line: &&str| line.contains("configuration file=");
    assert_eq!(log.lines().filter(names_file).count(), 1, "{log}");
    let lines: Vec<_> = log.lines().filter(|line| !names_file(line)).collect();
    let log = lines.join("\n");

    let secrets = [&key, &capitals].map(|key| &key[key.len() - 32..]);
    let secrets = [
        &secrets[..],
        &["the-own-key", "the-wrong-key", &digest, &own_digest],
    ]
    .concat();
    for (name, text) in [("a reply", &replies), ("the log", &log)] {
        for part in &secrets {
            assert!(!text.contains(part), "{name} shows {part}: {text}");
        }
        for part in [folder, "target/debug"] {
            // At this level, log lines from libraries name files.
            let is_allowed = is_trace && name == "the log";
            assert!(
                is_allowed || !text.contains(part),
                "{name} shows {part}: {text}"
            );
        }
    }
    let other_lines: String = log
        .lines()
        .filter(|line| !line.contains(" access: "))
        .collect();
    for client in ["bystander", "secretive"] {
        assert!(is_trace || !other_lines.contains(client), "{log}");
        // The name is only in the reply to the request that contained it.
        assert_eq!(replies.matches(client).count(), 1, "{replies}");
    }
}
