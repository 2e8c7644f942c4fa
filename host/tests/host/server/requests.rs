//! Requests to a real server: concurrency, bodies and connections.

use std::{
    fmt::Write as _,
    io::{Read as _, Write as _},
    time::Duration,
};

use serde_json::json;
use test_kit::wait_until;

use super::{Server, exchange, last_get, listening, one_ai, post_head, post_text, timed_search};
use crate::support::{ai, assert_has, basic1_and};

#[test]
fn prints_only_the_address_on_stdout() {
    let mut server = Server::start(&one_ai());
    let (status, body) = server.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 2}}));
    assert_eq!(
        (status, &body["ai"]["id"]),
        (200, &json!("basic1")),
        "{body}"
    );
    assert_eq!(server.get("/healthz").0, 200);
    assert_eq!(server.get("/readyz").0, 200);
    assert_eq!(server.get("/nowhere").0, 404);
    server.stop(rustix::process::Signal::TERM);
    assert_eq!(server.rest_of_stdout(), "");
}

#[test]
fn a_closed_stderr_does_not_stop_the_server() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let server = Server::spawn(
        listening(&one_ai())
            .env("ROOKERY_LOG", "trace")
            .stderr(writer),
    );
    for _ in 0..3 {
        server.quick_move();
        assert_eq!(server.post("/v1/best-move", &json!({"game": []})).0, 400);
    }
}

#[test]
fn two_workers_answer_fifty_clients() {
    let file = ai("basic1", "ai_basic1", "workers = 2\nlimit = { depth = 3 }");
    let server = Server::start(&file);
    let game = |index: usize| {
        let first = [
            "a2a3", "b2b3", "c2c3", "d2d3", "e2e3", "f2f3", "g2g3", "h2h3",
        ][index % 8];
        json!({"game": {"moves": [first]}})
    };
    let answers: Vec<_> = std::thread::scope(|scope| {
        let (server, game) = (&server, &game);
        let ask = |index| scope.spawn(move || server.post("/v1/best-move", &game(index)));
        let pending: Vec<_> = (0..50).map(ask).collect();
        pending
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    for (index, (status, body)) in answers.iter().enumerate() {
        assert_eq!(*status, 200, "{body}");
        // Each client receives its own result, whichever worker computed it.
        assert_eq!(body["game"]["moves"][0], game(index)["game"]["moves"][0]);
        assert_eq!(body["game"], answers[index % 8].1["game"]);
        assert_eq!(
            body["search"]["nodes"],
            answers[index % 8].1["search"]["nodes"]
        );
    }
    assert_eq!(server.children().len(), 2);
}

#[test]
fn two_workers_search_concurrently() {
    let file = ai("basic1", "ai_basic1", "workers = 2");
    let server = Server::start(&file);
    let started = std::time::Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(server.post("/v1/best-move", &timed_search(1500)).0, 200));
        }
    });
    assert!(
        started.elapsed() < std::time::Duration::from_millis(2900),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn a_slow_body_blocks_no_other_request() {
    let server = Server::start(&one_ai());
    let body = r#"{"game": {"moves": ["e2e4"]}, "limit": {"depth": 1}}"#;
    let mut slow = server.socket();
    for piece in post_text("/v1/best-move", &["Connection: close"], body)
        .as_bytes()
        .chunks(10)
    {
        slow.write_all(piece).unwrap();
        assert_eq!(server.post("/v1/validate", &json!({"game": {}})).0, 200);
    }
    let answer = exchange(slow, b"");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains(r#""moves":["e2e4","#), "{answer}");
}

fn chunked(path: &str, body: &str) -> String {
    let mut request = post_head(path, &["Connection: close", "Transfer-Encoding: chunked"]);
    for piece in body.as_bytes().chunks(1000) {
        write!(
            request,
            "{:x}\r\n{}\r\n",
            piece.len(),
            std::str::from_utf8(piece).unwrap()
        )
        .unwrap();
    }
    request + "0\r\n\r\n"
}

#[test]
fn reads_and_bounds_chunked_bodies() {
    let file = basic1_and("[server]\nmax_body_bytes = 5000");
    let server = Server::start(&file);
    let sized = |spaces: usize| format!("{{\"game\": {{}}{}}}", " ".repeat(spaces));
    let good = server.exchange(&chunked("/v1/validate", &sized(4000)));
    assert!(good.starts_with("HTTP/1.1 200 OK\r\n"), "{good}");
    let large = server.exchange(&chunked("/v1/validate", &sized(6000)));
    assert!(
        large.starts_with("HTTP/1.1 413 Payload Too Large\r\n"),
        "{large}"
    );
    assert!(large.contains(r#""code":"body_too_large""#), "{large}");
    // The limit applies to the announced length before any byte arrives.
    let announced = post_head(
        "/v1/validate",
        &["Connection: close", "Content-Length: 5001"],
    );
    let large = server.exchange(&announced);
    assert!(large.starts_with("HTTP/1.1 413 "), "{large}");
}

#[test]
fn answers_each_request_that_arrives_during_a_search() {
    let server = Server::start(&one_ai());
    let mut connection = server.send(&post_text(
        "/v1/best-move",
        &[],
        &timed_search(1500).to_string(),
    ));
    wait_until("the search runs", || server.state_of("basic1") == "busy");
    for number in 0..60 {
        let request = format!("GET /v1/ais/none{number} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        connection.write_all(request.as_bytes()).unwrap();
        // The server reads each request separately.
        std::thread::park_timeout(Duration::from_millis(2));
    }
    connection
        .write_all(last_get("/healthz").as_bytes())
        .unwrap();
    let mut replies = vec![0; 12];
    connection.read_exact(&mut replies).unwrap();
    // Without another reason to look, the server would notice the next request only when it closes
    // idle connections.
    connection
        .set_read_timeout(Some(Duration::from_secs(2)))
        .unwrap();
    connection
        .read_to_end(&mut replies)
        .expect("the rest follows at once");
    let replies = String::from_utf8(replies).unwrap();
    let statuses: Vec<_> = replies
        .lines()
        .filter_map(|line| line.rsplit_once("HTTP/1.1 ").map(|(_, status)| status))
        .collect();
    assert_eq!(
        statuses
            .iter()
            .filter(|status| status.starts_with("404"))
            .count(),
        60,
        "{statuses:?}"
    );
    assert_eq!(statuses.last(), Some(&"200 OK"));
}

#[test]
fn head_replies_have_no_body() {
    let server = Server::start(&one_ai());
    for path in ["/healthz", "/v1/ais", "/v1/ais/basic1"] {
        let answer = server.exchange(&last_get(path).replace("GET", "HEAD"));
        assert!(
            answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\n"),
            "{answer}"
        );
    }
}

#[test]
fn returns_408_for_a_late_body_and_frees_its_slot() {
    let file = basic1_and("max_concurrent = 1\n[server]\nbody_timeout_ms = 100");
    let server = Server::start(&file);
    let answer = server.exchange(&(post_head("/v1/validate", &["Content-Length: 100"]) + "{"));
    assert!(
        answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"),
        "{answer}"
    );
    assert_has(&answer, &["the body did not arrive within 100 ms"]);
    assert_eq!(server.post("/v1/validate", &json!({"game": {}})).0, 200);
}
