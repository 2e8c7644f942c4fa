//! Clients of a real server: rate limits and rejected bodies.

use std::{io::Read as _, net::Shutdown};

use super::{Server, post_head, post_text};
use crate::support::basic1_and;

#[test]
fn returns_429_before_reading_the_body() {
    let server = Server::start(&basic1_and("rate = \"1/h\""));
    assert_eq!(server.get("/v1/ais").0, 200);
    // The client never sends the announced body.
    let mut connection = server.send(&post_head(
        "/v1/best-move",
        &["Content-Length: 1000", "Connection: close"],
    ));
    let mut answer = vec![0; 12];
    connection.read_exact(&mut answer).unwrap();
    assert_eq!(String::from_utf8(answer).unwrap(), "HTTP/1.1 429");
    connection.shutdown(Shutdown::Both).unwrap();
    assert_eq!(server.get("/healthz").0, 200);
}

#[test]
fn never_parses_a_rejected_body_as_a_request() {
    let server = Server::start(&basic1_and("rate = \"1/h\""));
    assert_eq!(server.get("/v1/ais").0, 200);
    for headers in [&[][..], &["X-Client-Id: nobody"]] {
        let body = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3);
        let answers = server.exchange(&post_text("/v1/best-move", headers, &body));
        assert_eq!(answers.matches("HTTP/1.1 ").count(), 1, "{answers}");
        assert!(answers.starts_with("HTTP/1.1 4"), "{answers}");
    }
}

#[test]
fn shares_a_rate_among_all_threads() {
    let server = Server::start(&basic1_and("rate = \"1/h burst 5\""));
    // Each connection may belong to another thread.
    let statuses: Vec<_> = (0..20).map(|_| server.get("/v1/ais").0).collect();
    assert_eq!(
        statuses.iter().filter(|&&status| status == 200).count(),
        5,
        "{statuses:?}"
    );
    assert!(
        statuses[5..].iter().all(|&status| status == 429),
        "{statuses:?}"
    );
}
