//! The limit of connections per address.

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::TcpStream,
};

use super::{Server, exchange, post_head, timed_search};
use crate::{support::ConfigFile, support::processes::wait_until};

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

fn server(most: usize) -> Server {
    Server::start(&ConfigFile::new(&format!(
        "[server]\nmax_connections_per_address = {most}\n[ai.basic1]\nlibrary = \"ai_basic1\"\nworkers = 4\n\
         move_timeout_ms = 600000\n[client.default]\nai = \"basic1\"\n"
    )))
}

/// An idle connection after one reply.
fn idle(server: &Server) -> TcpStream {
    let mut connection = server.connect();
    connection.write_all(HEALTH.as_bytes()).unwrap();
    let mut part = [0; 4096];
    assert!(connection.read(&mut part).unwrap() > 0);
    connection
}

/// A connection with a long search that has started.
fn searching(server: &Server) -> TcpStream {
    let body = timed_search(500_000).to_string();
    let length = format!("Content-Length: {}", body.len());
    let head = post_head("/v1/best-move", &["Accept: application/x-ndjson", &length]);
    let mut connection = server.connect();
    connection.write_all((head + &body).as_bytes()).unwrap();
    let mut first = [0; 12];
    connection.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
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
    let answer =
        exchange(server.connect(), b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    wait_until("the oldest is closed", || is_closed(&mut first));
    assert!(!is_closed(&mut busy) && !is_closed(&mut second));
}

#[test]
fn evicts_a_slow_request() {
    let server = server(2);
    let mut busy = searching(&server);
    let mut slow = server.connect();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nX-Drip: ").unwrap();
    let answer =
        exchange(server.connect(), b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    wait_until("it is closed", || is_closed(&mut slow));
    assert!(!is_closed(&mut busy));
}

#[test]
fn closes_a_new_connection_when_all_are_busy() {
    let server = server(2);
    let mut busy = [searching(&server), searching(&server)];
    let mut rejected = server.connect();
    wait_until("it is closed", || is_closed(&mut rejected));
    assert!(busy.iter_mut().all(|connection| !is_closed(connection)));
    // A closed connection frees its slot.
    let [left, mut kept] = busy;
    drop(left);
    wait_until("a new connection is accepted", || {
        let mut connection = server.connect();
        let mut status = [0; 15];
        let sent = connection.write_all(HEALTH.as_bytes());
        sent.and_then(|()| connection.read_exact(&mut status)).is_ok() && &status == b"HTTP/1.1 200 OK"
    });
    assert!(!is_closed(&mut kept));
}
