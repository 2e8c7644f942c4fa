//! Logs and metrics of a real server.

use std::{io::Read as _, process::Stdio, thread::JoinHandle};

use config::api_key::{KeyDigest, generate};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{Server, agent, command, exchange, logging, post_head, read, timed_search};
use crate::{support::ConfigFile, support::processes::wait_until};

fn end(mut server: Server, log: JoinHandle<String>) -> String {
    server.signal(Signal::INT);
    server.wait();
    log.join().unwrap()
}

fn panicking() -> ConfigFile {
    ConfigFile::new(
        "[ai.panics]\nlibrary = \"fault_injector\"\noptions.fault = \"panic\"\n[client.default]\nai = \"panics\"\n",
    )
}

/// Returns whether a JSON log line has this field, itself or in one of its spans.
fn has_field(line: &Value, key: &str, value: &Value) -> bool {
    let spans = line["spans"].as_array().cloned().unwrap_or_default();
    line[key] == *value || spans.iter().any(|span| span[key] == *value)
}

#[test]
fn logs_the_messages_of_an_ai_with_the_request() {
    let file = ConfigFile::new("");
    let granted = file.folder().join("granted");
    std::fs::write(&granted, "").unwrap();
    let text = "[ai.logging]\nlibrary = \"logging\"\nthreads = 7\nmemory_mb = 300\nallow_read = [\"granted\"]\n\
         [client.default]\nai = \"logging\"\n";
    std::fs::write(file.path(), std::fs::read_to_string(file.path()).unwrap() + text).unwrap();
    let (server, log) = logging(&file, "info,rookery::ai::log=debug", &[]);
    for game in [json!({}), json!({"moves": ["e2e4"]}), json!({"fen": "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"})] {
        let (status, body) = server.post("/v1/best-move", &json!({"game": game}));
        assert_eq!(status, 200, "{body}");
    }
    let log = end(server, log);
    let lines = |part: &str| log.lines().filter(|line| line.contains(part)).collect::<Vec<_>>();
    let [created] = lines("created with")[..] else { panic!("{log}") };
    let grants = format!("threads: 7, memory_mb: Some(300), paths: [{granted:?}]");
    assert!(created.contains("INFO") && created.contains(&grants), "{created}");
    assert_eq!((lines("WARN").len(), lines("searching").len()), (3, 3), "{log}");
    assert_eq!(lines("from a thread").len(), 3, "{log}");
    for line in lines("searching") {
        assert!(line.contains("request_id") && line.contains("logging"), "{line}");
    }
    // The third game does not continue the second. A message occupies one line.
    let [new_game] = lines("new game")[..] else { panic!("{log}") };
    assert!(
        new_game.contains("ERROR") && new_game.contains("forged line") && !log.contains('\u{1b}'),
        "{log}"
    );
    assert_eq!(
        (lines("flood 0").len(), lines("flood 96").len(), lines("flood 98").len()),
        (3, 3, 0),
        "{log}"
    );
}

#[test]
fn json_logs_link_request_ai_and_worker() {
    let file = panicking();
    for (arguments, variable) in [(&["--log-format", "json"][..], None), (&[], Some("json"))] {
        let mut command = command(&file);
        command.args(["--listen", "127.0.0.1:0"]).args(arguments).env("ROOKERY_LOG", "debug");
        command.envs(variable.map(|format| ("ROOKERY_LOG_FORMAT", format))).stderr(Stdio::piped());
        let mut server = Server::spawn(&mut command);
        let mut stderr = server.child.stderr.take().unwrap();
        let worker = server.workers()[0];
        let (status, body) = server.post("/v1/best-move?secret=1", &json!({"game": {}}));
        assert_eq!((status, &body["code"]), (502, &json!("ai_failed")), "{body}");
        server.signal(Signal::INT);
        server.wait();
        let mut log = String::new();
        stderr.read_to_string(&mut log).unwrap();
        let lines: Vec<Value> = log
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect();
        let of_request: Vec<_> =
            lines.iter().filter(|line| has_field(line, "request_id", &body["request_id"])).collect();
        let find = |part: &str| {
            let line = of_request.iter().find(|line| line["message"].as_str().unwrap().contains(part));
            *line.unwrap_or_else(|| panic!("nothing of {part} in {log}"))
        };
        for part in ["request failed", "panicked at"] {
            let line = find(part);
            assert!(
                has_field(line, "ai", &json!("panics")) && has_field(line, "worker", &json!(worker)),
                "{line}"
            );
        }
        let answered = find("request finished");
        assert_eq!(
            (&answered["status"], &answered["code"]),
            (&json!(502), &json!("ai_failed")),
            "{answered}"
        );
        assert!(has_field(answered, "route", &json!("/v1/best-move")), "{answered}");
        assert!(!log.contains("secret"), "{log}");
    }
}

#[test]
fn rejects_an_unknown_log_format() {
    let output = command(&panicking()).args(["--log-format", "xml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error_output = String::from_utf8(output.stderr).unwrap();
    assert!(
        error_output.contains("'xml'") && error_output.contains("[possible values: text, json]"),
        "{error_output}"
    );
}

#[test]
fn counts_disconnected_clients() {
    let server = Server::start(&ConfigFile::new(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\nmove_timeout_ms = 600000\n[client.default]\nai = \"basic1\"\n",
    ));
    let url = format!("http://{}/metrics", server.address);
    let metrics = || agent().get(&url).call().unwrap().body_mut().read_to_string().unwrap();
    let body = timed_search(500_000).to_string();
    let head = post_head("/v1/best-move", &[&format!("Content-Length: {}", body.len())]);
    let mut pending = server.connect();
    std::io::Write::write_all(&mut pending, (head + &body).as_bytes()).unwrap();
    wait_until("the AI is busy", || {
        metrics().contains("rookery_ai_workers{ai=\"basic1\",state=\"busy\"} 1\n")
    });
    assert!(metrics().contains("rookery_http_requests_open 2\n"));
    drop(pending);
    let left = "rookery_http_requests_total{route=\"/v1/best-move\",status=\"499\",code=\"client_gone\"} 1\n";
    wait_until("the disconnect is counted", || metrics().contains(left));
    assert!(metrics().contains("rookery_http_requests_open 1\n"));
}

#[test]
fn counts_reloads_by_outcome() {
    let file = panicking();
    let server = Server::start(&file);
    let url = format!("http://{}/metrics", server.address);
    let metrics = || agent().get(&url).call().unwrap().body_mut().read_to_string().unwrap();
    assert!(!metrics().contains("rookery_reloads_total{"));
    server.signal(Signal::HUP);
    wait_until("the reload is applied", || {
        metrics().contains("rookery_reloads_total{outcome=\"applied\"} 1\n")
    });
    std::fs::write(file.path(), "nonsense").unwrap();
    server.signal(Signal::HUP);
    wait_until("the reload fails", || metrics().contains("rookery_reloads_total{outcome=\"failed\"} 1\n"));
    assert!(metrics().contains("rookery_reloads_total{outcome=\"applied\"} 1\n"));
}

#[test]
fn debug_log_discloses_no_secrets() {
    let key = generate().unwrap();
    let file = ConfigFile::new(&format!(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\n[ai.panics]\nlibrary = \"fault_injector\"\noptions.fault = \"panic\"\n[ai.crashes]\nlibrary = \"fault_injector\"\noptions.fault = \"segfault\"\n\
         [client.secretive]\nai = \"basic1\"\nadmin = true\nrate = \"1/h burst 20\"\napi_key_sha256 = \"{}\"\n\
         [client.bystander]\nai = \"basic1\"\n",
        KeyDigest::of(key.as_bytes())
    ));
    let (server, log) = logging(&file, "info,rookery=debug", &[]);
    let authorization = format!("Authorization: Bearer {key}");
    let mut replies = String::new();
    for (path, headers, body) in [
        ("/v1/best-move", &[authorization.as_str()][..], r#"{"game": {}, "limit": {"depth": 1}}"#),
        ("/v1/best-move", &[&authorization], r#"{"game": {}, "ai": "crashes"}"#),
        ("/v1/best-move", &[&authorization], r#"{"game": {}, "ai": "panics"}"#),
        ("/v1/validate", &[&authorization], r#"{"game": {"fen": "x"}}"#),
        ("/v1/validate", &[&authorization], "{"),
        ("/v1/validate", &[&authorization, &format!("X-Request-Id: {key}")], "{}"),
        ("/v1/validate", &[&authorization.replace("Bearer", "Basic")], "{}"),
        ("/v1/validate", &[&authorization, "X-Client-Id: bystander"], "{}"),
        ("/v1/validate", &["X-Client-Id: secretive"], "{}"),
        ("/v1/validate", &[], "{}"),
        (&format!("/v1/validate?key={key}"), &[&authorization], "{}"),
        (&format!("/{key}"), &[], "{}"),
        (&format!("/v1/{key}"), &[&authorization], "{}"),
        ("/v1/best-move", &[&authorization], &format!(r#"{{"game": {{}}, "ai": "{key}"}}"#)),
        ("/v1/best-move", &[&authorization], &format!(r#"{{"game": {{}}, "{key}": 1}}"#)),
        ("/v1/best-move", &[&authorization], &format!(r#"{{"game": {{"fen": "{key}"}}}}"#)),
    ] {
        let length = format!("Content-Length: {}", body.len());
        let headers = [headers, &[length.as_str(), "Connection: close"]].concat();
        replies.push_str(&exchange(server.connect(), (post_head(path, &headers) + body).as_bytes()));
    }
    assert_eq!(replies.matches("HTTP/1.1 ").count(), 16, "{replies}");
    let url = format!("http://{}/v1/ais/panics", server.address);
    let (status, fault) = read(
        "GET",
        "/v1/ais/panics",
        agent().get(url).header("Authorization", format!("Bearer {key}")).call().unwrap(),
    );
    assert!(status == 200 && fault["last_fault"]["code"] == json!("ai_failed"), "{fault}");
    replies.push_str(&fault.to_string());
    let log = end(server, log);
    assert!(log.contains("DEBUG") && log.contains("/v1/best-move"), "no log: {log}");
    assert!(log.contains("ai_crashed") && log.contains("panicked at"), "{log}");

    let secret = &key[key.len() - 32..];
    let folder = file.folder().to_str().unwrap();
    for (name, text) in [("a reply", &replies), ("the log", &log)] {
        for part in [secret, folder, "target/debug"] {
            assert!(!text.contains(part), "{name} shows {part}: {text}");
        }
    }
    for client in ["bystander", "secretive"] {
        assert!(!log.contains(client), "{log}");
        // Only in the reply to the request that contained it.
        assert_eq!(replies.matches(client).count(), 1, "{replies}");
    }
}
