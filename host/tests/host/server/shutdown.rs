//! Shutdown: running requests finish, and no process remains.

use std::{
    io::{Read, Write},
    time::{Duration, Instant},
};

use rustix::process::Signal;
use serde_json::json;

use super::{Server, one_ai, post_head, timed_search};
use crate::{
    support::ConfigFile,
    support::processes::{is_running, wait_until},
};

fn check_search_finishes(signal: Signal) {
    let mut server = Server::start(&one_ai());
    let workers = server.workers();
    assert_eq!(workers.len(), 1);
    let pending_search = server.post_and_wait_until_busy("basic1", timed_search(1500));
    server.signal(signal);
    let (status, body) = pending_search.join().unwrap();
    assert_eq!((status, &body["search"]["stopped_by"]), (200, &json!("movetime")), "{body}");
    assert_eq!(server.wait().code(), Some(0));
    assert!(!is_running(workers[0]));
}

#[test]
fn finishes_a_search_after_sigterm() {
    check_search_finishes(Signal::TERM);
}

#[test]
fn finishes_a_search_after_sigint() {
    check_search_finishes(Signal::INT);
}

#[test]
fn idle_connections_do_not_delay_shutdown() {
    let mut server = Server::start(&one_ai());
    let mut used = server.connect();
    used.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut answer = [0; 15];
    used.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200 OK");
    let _unused = server.connect();
    let signalled = Instant::now();
    server.signal(Signal::TERM);
    assert_eq!(server.wait().code(), Some(0));
    // Far below the grace period of ten seconds.
    assert!(signalled.elapsed() < Duration::from_secs(3), "{:?}", signalled.elapsed());
}

fn hanging(grace_ms: u64) -> ConfigFile {
    ConfigFile::new(&format!(
        "[server]\nshutdown_grace_ms = {grace_ms}\ndrain_delay_ms = 0\n[ai.hangs]\nlibrary = \"fault_injector\"\noptions.fault = \"hang\"\nmove_timeout_ms = 600000\n\
         [client.default]\nai = \"hangs\"\n"
    ))
}

/// Sends a request that is never answered.
fn send_without_reading(server: &Server) -> std::net::TcpStream {
    let mut pending = server.connect();
    let body = r#"{"game": {}}"#;
    let head = post_head("/v1/best-move", &[&format!("Content-Length: {}", body.len())]);
    pending.write_all((head + body).as_bytes()).unwrap();
    wait_until("the AI is busy", || server.state_of("hangs") == "busy");
    pending
}

#[test]
fn a_hanging_ai_delays_shutdown_by_the_grace_only() {
    let mut server = Server::start(&hanging(1000));
    let workers = server.workers();
    let _asking = send_without_reading(&server);
    let signalled = Instant::now();
    server.signal(Signal::TERM);
    assert_eq!(server.wait().code(), Some(0));
    assert!(signalled.elapsed() < Duration::from_secs(8), "{:?}", signalled.elapsed());
    wait_until("the worker exits", || !is_running(workers[0]));
}

#[test]
fn accepts_a_signal_right_after_startup() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Server::start(&one_ai());
        server.signal(signal);
        assert_eq!(server.wait().code(), Some(0));
    }
}

#[test]
fn a_second_signal_exits_immediately() {
    let mut server = Server::start(&hanging(600_000));
    let workers = server.workers();
    let _asking = send_without_reading(&server);
    let signalled = Instant::now();
    server.signal(Signal::TERM);
    // The server handled the first signal once it rejects connections.
    wait_until("the server rejects connections", || std::net::TcpStream::connect(server.address).is_err());
    server.signal(Signal::INT);
    assert_eq!(server.wait().code(), Some(0));
    assert!(signalled.elapsed() < Duration::from_secs(8), "{:?}", signalled.elapsed());
    wait_until("the worker exits", || !is_running(workers[0]));
}

#[test]
fn workers_die_with_a_killed_server() {
    for file in [one_ai(), hanging(1000)] {
        let mut server = Server::start(&file);
        let workers = server.workers();
        let _asking = file.load().ais.contains_key("hangs").then(|| send_without_reading(&server));
        server.signal(Signal::KILL);
        assert_eq!(server.wait().code(), None);
        wait_until("the worker exits", || !is_running(workers[0]));
    }
}

fn with_drain_delay(delay_ms: u64) -> ConfigFile {
    ConfigFile::new(&format!(
        "[server]\ndrain_delay_ms = {delay_ms}\n[ai.basic1]\nlibrary = \"ai_basic1\"\n\
         [client.default]\nai = \"basic1\"\n"
    ))
}

#[test]
fn is_not_ready_before_it_stops_accepting() {
    let mut server = Server::start(&with_drain_delay(600_000));
    assert_eq!(server.get("/readyz").0, 200);
    server.signal(Signal::TERM);
    wait_until("it is not ready", || server.get("/readyz").0 == 503);
    // Each request opens a new connection.
    let (status, body) = server.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 1}}));
    assert_eq!(status, 200, "{body}");
    assert_eq!(server.get("/healthz").0, 200);
    server.signal(Signal::TERM);
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn exits_after_the_drain_delay_or_at_sigint() {
    for (delay_ms, signal) in [(1, Signal::TERM), (600_000, Signal::INT)] {
        let mut server = Server::start(&with_drain_delay(delay_ms));
        server.signal(signal);
        assert_eq!(server.wait().code(), Some(0));
    }
}
