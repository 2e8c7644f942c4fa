//! The connection limit per address.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::TcpStream,
};

use test_kit::wait_until;

use super::{HEALTH, Server, last_get, post_head, post_text, timed_search};
use crate::support::with_ais;

fn server(most: usize) -> Server {
    Server::start(&with_ais(
        &[(
            "basic1",
            "ai_basic1",
            "workers = 4\nmove_timeout_ms = 600000",
        )],
        &format!("[server]\nmax_connections_per_address = {most}"),
    ))
}

/// An idle connection after one reply.
fn idle(server: &Server) -> TcpStream {
    let mut connection = server.send(HEALTH);
    let mut part = [0; 4096];
    assert!(connection.read(&mut part).unwrap() > 0);
    connection
}

/// A connection with a long search that has started.
fn searching(server: &Server) -> TcpStream {
    let body = timed_search(500_000).to_string();
    let accept = "Accept: application/x-ndjson";
    let mut connection = server.send(&post_text("/v1/best-move", &[accept], &body));
    let mut first = [0; 12];
    connection.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    connection
}

/// A connection with a request whose body the server awaits. Connections that are opened together
/// may be admitted in either order.
fn slow(server: &Server) -> TcpStream {
    let headers = ["Content-Length: 2", "Expect: 100-continue"];
    let mut connection = server.send(&post_head("/v1/validate", &headers));
    let mut continues = [0; 25];
    connection.read_exact(&mut continues).unwrap();
    assert_eq!(&continues, b"HTTP/1.1 100 Continue\r\n\r\n");
    connection
}

/// Returns whether the server has closed this connection.
fn is_closed(connection: &mut TcpStream) -> bool {
    connection.set_nonblocking(true).unwrap();
    let mut part = [0; 4096];
    let closed = loop {
        match connection.read(&mut part) {
            Ok(0) => break true,
            Ok(_) => {}
            Err(error) => break error.kind() != ErrorKind::WouldBlock,
        }
    };
    connection.set_nonblocking(false).unwrap();
    closed
}

#[test]
fn evicts_the_oldest_idle_connection() {
    let server = server(3);
    let mut busy = searching(&server);
    let (mut first, mut second) = (idle(&server), idle(&server));
    let answer = server.exchange(&last_get("/healthz"));
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    wait_until("the oldest is closed", || is_closed(&mut first));
    assert!(!is_closed(&mut busy) && !is_closed(&mut second));
}

#[test]
fn evicts_a_slow_request() {
    let server = server(2);
    let mut busy = searching(&server);
    let mut slow = slow(&server);
    let answer = server.exchange(&last_get("/healthz"));
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    wait_until("the slow connection is closed", || is_closed(&mut slow));
    assert!(!is_closed(&mut busy));
}

#[test]
fn closes_a_new_connection_when_all_are_busy() {
    let server = server(2);
    let mut busy = [searching(&server), searching(&server)];
    let mut rejected = server.socket();
    wait_until("the new connection is closed", || is_closed(&mut rejected));
    assert!(busy.iter_mut().all(|connection| !is_closed(connection)));
    // A closed connection frees its slot.
    let [left, mut kept] = busy;
    drop(left);
    wait_until("a new connection is accepted", || {
        let mut connection = server.socket();
        let mut status = [0; 15];
        let sent = connection.write_all(HEALTH.as_bytes());
        sent.and_then(|()| connection.read_exact(&mut status))
            .is_ok()
            && &status == b"HTTP/1.1 200 OK"
    });
    assert!(!is_closed(&mut kept));
}
