//! What the operator of a real server sees.

use std::{io::Read as _, process::Stdio, thread::JoinHandle};

use config::api_key::{KeyDigest, generate};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{Server, agent, command, exchange, logging, post_head, read, thinking_for};
use crate::{processes::wait_until, support::ConfigFile};

fn end(mut server: Server, log: JoinHandle<String>) -> String {
    server.signal(Signal::INT);
    server.wait();
    log.join().unwrap()
}

fn panicking() -> ConfigFile {
    ConfigFile::new("[ai.panics]\nlibrary = \"panics\"\n[client.default]\nai = \"panics\"\n")
}

/// Whether a line of JSON tells of this, in itself or in what it stands in.
fn tells(line: &Value, key: &str, value: &Value) -> bool {
    let spans = line["spans"].as_array().cloned().unwrap_or_default();
    line[key] == *value || spans.iter().any(|span| span[key] == *value)
}

#[test]
fn logs_the_messages_of_an_ai_with_the_request() {
    let file = ConfigFile::new("");
    let granted = file.folder().join("granted");
    std::fs::write(&granted, "").unwrap();
    let text = "[ai.logs]\nlibrary = \"logs\"\nthreads = 7\nmemory_mb = 300\nallow_read = [\"granted\"]\n\
         [client.default]\nai = \"logs\"\n";
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
        assert!(line.contains("request_id") && line.contains("logs"), "{line}");
    }
    // The third game does not continue the second. A message is one line.
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
fn the_log_in_json_ties_request_ai_and_worker_together() {
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
            lines.iter().filter(|line| tells(line, "request_id", &body["request_id"])).collect();
        let find = |part: &str| {
            let line = of_request.iter().find(|line| line["message"].as_str().unwrap().contains(part));
            *line.unwrap_or_else(|| panic!("nothing of {part} in {log}"))
        };
        for part in ["request failed", "panicked at"] {
            let line = find(part);
            assert!(tells(line, "ai", &json!("panics")) && tells(line, "worker", &json!(worker)), "{line}");
        }
        let answered = find("answered");
        assert_eq!(
            (&answered["status"], &answered["code"]),
            (&json!(502), &json!("ai_failed")),
            "{answered}"
        );
        assert!(tells(answered, "route", &json!("/v1/best-move")), "{answered}");
        assert!(!log.contains("secret"), "{log}");
    }
}

#[test]
fn a_format_that_is_not_known_is_refused_with_those_that_are() {
    let output = command(&panicking()).args(["--log-format", "xml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(
        complaint.contains("'xml'") && complaint.contains("[possible values: text, json]"),
        "{complaint}"
    );
}

#[test]
fn a_client_that_left_is_counted_as_such() {
    let server = Server::start(&ConfigFile::new(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\nmove_timeout_ms = 600000\n[client.default]\nai = \"basic1\"\n",
    ));
    let url = format!("http://{}/metrics", server.address);
    let metrics = || agent().get(&url).call().unwrap().body_mut().read_to_string().unwrap();
    let body = thinking_for(500_000).to_string();
    let head = post_head("/v1/best-move", &[&format!("Content-Length: {}", body.len())]);
    let mut asking = server.connect();
    std::io::Write::write_all(&mut asking, (head + &body).as_bytes()).unwrap();
    wait_until("the AI thinks", || {
        metrics().contains("rookery_ai_workers{ai=\"basic1\",state=\"busy\"} 1\n")
    });
    assert!(metrics().contains("rookery_http_requests_open 2\n"));
    drop(asking);
    let left = "rookery_http_requests_total{route=\"/v1/best-move\",status=\"499\",code=\"client_gone\"} 1\n";
    wait_until("it has left", || metrics().contains(left));
    assert!(metrics().contains("rookery_http_requests_open 1\n"));
}

#[test]
fn reloads_are_counted_by_how_they_went() {
    let file = panicking();
    let server = Server::start(&file);
    let url = format!("http://{}/metrics", server.address);
    let metrics = || agent().get(&url).call().unwrap().body_mut().read_to_string().unwrap();
    assert!(!metrics().contains("rookery_reloads_total{"));
    server.signal(Signal::HUP);
    wait_until("it is taken over", || metrics().contains("rookery_reloads_total{outcome=\"applied\"} 1\n"));
    std::fs::write(file.path(), "nonsense").unwrap();
    server.signal(Signal::HUP);
    wait_until("it has failed", || metrics().contains("rookery_reloads_total{outcome=\"failed\"} 1\n"));
    assert!(metrics().contains("rookery_reloads_total{outcome=\"applied\"} 1\n"));
}

#[test]
fn at_debug_the_log_gives_no_key_no_path_and_no_client_away() {
    let key = generate().unwrap();
    let file = ConfigFile::new(&format!(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\n[ai.panics]\nlibrary = \"panics\"\n[ai.crashes]\nlibrary = \"segfaults\"\n\
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
    assert!(log.contains("DEBUG") && log.contains("/v1/best-move"), "nothing is logged: {log}");
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
        // Only to whoever has named it.
        assert_eq!(replies.matches(client).count(), 1, "{replies}");
    }
}
