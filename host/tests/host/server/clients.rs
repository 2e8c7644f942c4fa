//! Clients of a real server: rate limits, rejected bodies and secrets.

use std::{
    io::{Read, Write as _},
    net::Shutdown,
};

use config::api_key::{KeyDigest, generate};
use serde_json::json;

use super::{Server, agent, exchange, logging, post_head, read};
use crate::support::ConfigFile;

#[test]
fn returns_429_before_reading_the_body() {
    let server = Server::start(&ConfigFile::new(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.default]\nai = \"basic1\"\nrate = \"1/h\"\n",
    ));
    assert_eq!(server.get("/v1/ais").0, 200);
    // The client never sends the announced body.
    let head = post_head("/v1/best-move", &["Content-Length: 1000", "Connection: close"]);
    let mut connection = server.connect();
    connection.write_all(head.as_bytes()).unwrap();
    let mut answer = vec![0; 12];
    connection.read_exact(&mut answer).unwrap();
    assert_eq!(String::from_utf8(answer).unwrap(), "HTTP/1.1 429");
    connection.shutdown(Shutdown::Both).unwrap();
    assert_eq!(server.get("/healthz").0, 200);
}

#[test]
fn never_parses_a_rejected_body_as_a_request() {
    let server = Server::start(&ConfigFile::new(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.default]\nai = \"basic1\"\nrate = \"1/h\"\n",
    ));
    assert_eq!(server.get("/v1/ais").0, 200);
    for headers in [&[][..], &["X-Client-Id: nobody"]] {
        let body = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3);
        let length = format!("Content-Length: {}", body.len());
        let request = format!("{}{body}", post_head("/v1/best-move", &[headers, &[&length]].concat()));
        let answers = exchange(server.connect(), request.as_bytes());
        assert_eq!(answers.matches("HTTP/1.1 ").count(), 1, "{answers}");
        assert!(answers.starts_with("HTTP/1.1 4"), "{answers}");
    }
}

#[test]
fn shares_a_rate_among_all_threads() {
    let server = Server::start(&ConfigFile::new(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.default]\nai = \"basic1\"\nrate = \"1/h burst 5\"\n",
    ));
    // Each connection may belong to another thread.
    let statuses: Vec<_> = (0..20).map(|_| server.get("/v1/ais").0).collect();
    assert_eq!(statuses.iter().filter(|&&status| status == 200).count(), 5, "{statuses:?}");
    assert!(statuses[5..].iter().all(|&status| status == 429), "{statuses:?}");
}

#[test]
fn trace_log_and_replies_disclose_no_secrets() {
    let key = generate().unwrap();
    let file = ConfigFile::new(&format!(
        "[ai.basic1]\nlibrary = \"ai_basic1\"\n[ai.crashes]\nlibrary = \"fault_injector\"\noptions.fault = \"segfault\"\n\
         [client.secretive]\nai = \"basic1\"\nrate = \"1/h burst 12\"\nmax_concurrent = 2\napi_key_sha256 = \"{}\"\n\
         [client.bystander]\nai = \"basic1\"\n",
        KeyDigest::of(key.as_bytes())
    ));
    let (mut server, reading) = logging(&file, "trace", &[]);

    let mut replies = String::new();
    let authorization = format!("Authorization: Bearer {key}");
    let named = format!("X-Client-Id: {key}");
    let close = "Connection: close";
    let good = json!({"game": {}, "limit": {"depth": 1}}).to_string();
    for (headers, body, status) in [
        (&[authorization.as_str()][..], good.as_str(), "200"),
        (&[&authorization], r#"{"game": {}, "ai": "crashes"}"#, "502"),
        (&[&authorization], r#"{"game": {"fen": "x"}}"#, "422"),
        (&[&authorization], "{", "400"),
        (&[&authorization, "X-Client-Id: bystander"], &good, "401"),
        (&[&authorization, "X-Client-Id: secretive"], &good, "200"),
        (&[&authorization, &authorization], &good, "401"),
        (&[&authorization.replace("Bearer", "Basic")], &good, "401"),
        (&[&named], &good, "401"),
        (&["X-Client-Id: secretivf"], &good, "401"),
        (&[], &good, "401"),
    ] {
        let length = format!("Content-Length: {}", body.len());
        let headers = [headers, &[length.as_str(), close]].concat();
        let request = format!("{}{body}", post_head("/v1/best-move", &headers));
        let reply = exchange(server.connect(), request.as_bytes());
        assert!(reply.starts_with(&format!("HTTP/1.1 {status}")), "{headers:?}: {reply}");
        replies.push_str(&reply);
    }
    let ais = agent().get(format!("http://{}/v1/ais", server.address));
    let (status, ais) =
        read("GET", "/v1/ais", ais.header("Authorization", &format!("Bearer {key}")).call().unwrap());
    assert_eq!(status, 200);
    replies.push_str(&ais.to_string());
    server.signal(rustix::process::Signal::TERM);
    server.wait();
    let log = reading.join().unwrap();
    assert!(log.contains("TRACE") && log.contains("/v1/best-move"), "no log: {log}");

    let secret = &key[key.len() - 32..];
    let folder = file.folder().to_str().unwrap();
    for (name, text) in [("a reply", &replies), ("the log", &log)] {
        assert!(!text.contains(secret), "{name} shows the key: {text}");
    }
    for part in [folder, "target/", ".rs", "secretive"] {
        assert!(!replies.contains(part), "a reply shows {part}: {replies}");
    }
    // A reply repeats only the id that its request contained.
    assert_eq!(replies.matches("bystander").count(), 1, "{replies}");
}
