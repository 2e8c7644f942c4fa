//! Memory limits: bodies within the size limit that would need much more memory.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::{Ipv4Addr, TcpStream},
    time::Duration,
};

use serde_json::json;
use test_kit::{processes::status_kb, wait_until};

use super::{Server, exchange, one_ai, post_text};
use crate::support::basic1_and;

/// Far above what the server needs, and far below what half a million issues would take.
const MAX_KB: u64 = 300 << 10;

/// Returns the peak memory of the server.
fn peak_kb(server: &Server) -> u64 {
    status_kb(server.id(), "VmHWM")
}

/// A connection from one of the loopback addresses.
fn connect_from(server: &Server, last: u8) -> TcpStream {
    let stream = test_kit::connect_from(Ipv4Addr::new(127, 0, 0, last), server.address).unwrap();
    stream
        .set_write_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    stream
}

/// Returns whether a reply has arrived.
pub(super) fn is_answered(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let is_answered =
        !matches!(stream.peek(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock);
    stream.set_nonblocking(false).unwrap();
    is_answered
}

#[test]
fn rejects_bodies_above_the_share_of_an_address() {
    let server = Server::start(&basic1_and(
        "[server]\nmax_body_bytes = 65536\nmax_body_bytes_total = 524288",
    ));
    let body = format!("{{\"game\": {{}}{}}}", " ".repeat(60_000));
    let request = post_text("/v1/validate", &["Connection: close"], &body).into_bytes();
    let (most, rest) = request.split_at(request.len() - 10);
    let ask = |last: u8| exchange(connect_from(&server, last), &request);
    let mut rejected = String::new();
    let mut half = loop {
        let mut half = connect_from(&server, 2);
        half.write_all(most).unwrap();
        // Waits until the server counts the bytes of this half request. If they arrive while the
        // bytes of the other request still count, the half request is rejected instead.
        wait_until("one of two requests is rejected", || {
            rejected = ask(2);
            rejected.starts_with("HTTP/1.1 503 Service Unavailable\r\n") || is_answered(&half)
        });
        if !is_answered(&half) {
            break half;
        }
    };
    assert!(rejected.contains("retry-after: 1\r\n"), "{rejected}");
    assert!(rejected.contains(r#""code":"server_busy""#), "{rejected}");
    let other = ask(3);
    assert!(other.starts_with("HTTP/1.1 200 OK\r\n"), "{other}");
    half.write_all(rest).unwrap();
    let mut answer = String::new();
    half.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    let again = ask(2);
    assert!(again.starts_with("HTTP/1.1 200 OK\r\n"), "{again}");
}

#[test]
fn rejects_many_games_without_collecting_issues() {
    let server = Server::start(&one_ai());
    for (form, text) in [
        ("epd", "x\n".repeat(330_000)),
        ("pgn", "*\n".repeat(330_000)),
        ("pgn", "a *\n".repeat(200_000)),
        ("svg", "data-fen=\"".repeat(94_000)),
        ("text", "pppppppp\n".repeat(100_000)),
        ("any", "e2e4\n".repeat(140_000)),
    ] {
        let (status, body) = server.post("/v1/validate", &json!({"game": {form: text}}));
        assert_eq!(
            (status, &body["code"]),
            (400, &json!("malformed_request")),
            "{form}: {body}"
        );
        assert_eq!(body["pointer"], format!("/game/{form}"), "{body}");
        let read_as = if form == "any" { ", read as uci," } else { "" };
        assert_eq!(
            body["detail"],
            format!("the text{read_as} contains more than one game; send exactly one")
        );
        let peak = peak_kb(&server);
        assert!(peak < MAX_KB, "{peak} kB after {form}");
    }
}

#[test]
fn rejects_html_that_multiplies_attributes() {
    let server = Server::start(&one_ai());
    let attributes = (0..26)
        .map(|number| format!(" a{number}=1"))
        .collect::<Vec<_>>()
        .concat();
    let open: Vec<_> = (0..900)
        .map(|number| format!("<b x={number}{attributes}>"))
        .collect();
    let page = open.concat() + &"<p>".repeat(1000);
    assert!(page.len() < 256 << 10);
    let (status, body) = server.post("/v1/validate", &json!({"game": {"html": page}}));
    assert_eq!(status, 422, "{body}");
    let message = body["issues"][0]["message"].as_str().unwrap();
    assert!(message.contains("no square"), "{message}");
}
