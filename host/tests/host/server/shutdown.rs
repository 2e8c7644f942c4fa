//! Shutdown: running requests finish, and no process remains.

use std::{
    io::Read,
    time::{Duration, Instant},
};

use rustix::process::Signal;
use serde_json::json;
use test_kit::{processes::is_running, wait_until};

use super::{HEALTH, Server, logging, one_ai, post_text, timed_search};
use crate::support::{ConfigFile, basic1_and, with_ais};

#[test]
fn finishes_a_search_after_sigterm_or_sigint() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Server::start(&one_ai());
        let workers = server.children();
        assert_eq!(workers.len(), 1);
        let pending_search = server.post_and_wait_until_busy("basic1", timed_search(1500));
        server.stop(signal);
        let (status, body) = pending_search.join().unwrap();
        assert_eq!(
            (status, &body["search"]["stopped_by"]),
            (200, &json!("movetime")),
            "{signal:?}: {body}"
        );
        assert!(!is_running(workers[0]), "{signal:?}");
    }
}

#[test]
fn idle_connections_do_not_delay_shutdown() {
    let mut server = Server::start(&one_ai());
    let mut used = server.send(HEALTH);
    let mut answer = [0; 15];
    used.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200 OK");
    let _unused = server.socket();
    let signalled = Instant::now();
    server.stop(Signal::TERM);
    // This is far below the grace period of ten seconds.
    assert!(
        signalled.elapsed() < Duration::from_secs(3),
        "{:?}",
        signalled.elapsed()
    );
}

#[test]
fn an_idle_server_stops_at_once_after_the_drain_delay() {
    const LEEWAY: Duration = Duration::from_millis(200);
    for (signal, delay_ms) in [
        (Signal::TERM, 0),
        (Signal::TERM, 300),
        (Signal::INT, 600_000),
    ] {
        let delay = if signal == Signal::INT { 0 } else { delay_ms };
        let took = || {
            let mut server = Server::start(&with_drain_delay(delay_ms));
            let mut used = server.send(HEALTH);
            used.read_exact(&mut [0; 15]).unwrap();
            let _unused = server.socket();
            let signalled = Instant::now();
            server.stop(signal);
            signalled.elapsed()
        };
        let allowed = Duration::from_millis(delay) + LEEWAY;
        // The test makes several attempts, because the machine may be loaded.
        let mut attempts = std::iter::repeat_with(took).take(10);
        assert!(
            attempts.any(|took| took < allowed),
            "{signal:?} after {delay_ms} ms: never within {allowed:?}"
        );
    }
}

fn hanging(grace_ms: u64) -> ConfigFile {
    with_ais(
        &[("hangs", "hang", "move_timeout_ms = 600000")],
        &format!("[server]\nshutdown_grace_ms = {grace_ms}\ndrain_delay_ms = 0"),
    )
}

/// Sends a request that is never answered.
fn send_without_reading(server: &Server) -> std::net::TcpStream {
    let pending = server.send(&post_text("/v1/best-move", &[], r#"{"game": {}}"#));
    wait_until("the AI is busy", || server.state_of("hangs") == "busy");
    pending
}

#[test]
fn a_hanging_ai_delays_shutdown_only_by_the_grace_period() {
    let mut server = Server::start(&hanging(1000));
    let workers = server.children();
    let _asking = send_without_reading(&server);
    let signalled = Instant::now();
    server.stop(Signal::TERM);
    assert!(
        signalled.elapsed() < Duration::from_secs(8),
        "{:?}",
        signalled.elapsed()
    );
    wait_until("the worker exits", || !is_running(workers[0]));
}

#[test]
fn accepts_a_signal_right_after_startup() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Server::start(&one_ai());
        server.stop(signal);
    }
}

#[test]
fn a_second_signal_exits_immediately() {
    let mut server = Server::start(&hanging(600_000));
    let workers = server.children();
    let _asking = send_without_reading(&server);
    let signalled = Instant::now();
    server.signal(Signal::TERM);
    // Once the server rejects connections, it has handled the first signal.
    wait_until("the server rejects connections", || {
        std::net::TcpStream::connect(server.address).is_err()
    });
    server.stop(Signal::INT);
    assert!(
        signalled.elapsed() < Duration::from_secs(8),
        "{:?}",
        signalled.elapsed()
    );
    wait_until("the worker exits", || !is_running(workers[0]));
}

#[test]
fn workers_die_with_a_killed_server() {
    for file in [one_ai(), hanging(1000)] {
        let mut server = Server::start(&file);
        let workers = server.children();
        let _asking = file
            .load()
            .ais
            .contains_key("hangs")
            .then(|| send_without_reading(&server));
        server.signal(Signal::KILL);
        assert_eq!(server.wait().code(), None);
        wait_until("the worker exits", || !is_running(workers[0]));
    }
}

fn with_drain_delay(delay_ms: u64) -> ConfigFile {
    basic1_and(&format!("[server]\ndrain_delay_ms = {delay_ms}"))
}

#[test]
fn is_not_ready_before_it_stops_accepting() {
    let (mut server, log) = logging(&with_drain_delay(600_000), "info", &[]);
    assert_eq!(server.get("/readyz").0, 200);
    server.signal(Signal::TERM);
    wait_until("the server is not ready", || server.get("/readyz").0 == 503);
    // Each request opens a new connection.
    server.quick_move();
    assert_eq!(server.get("/healthz").0, 200);
    server.stop(Signal::TERM);
    let log = log.join().unwrap();
    assert!(
        log.contains("draining requests") && !log.contains("WARN"),
        "{log}"
    );
}

#[test]
fn exits_after_the_drain_delay_or_on_sigint() {
    for (delay_ms, signal) in [(1, Signal::TERM), (600_000, Signal::INT)] {
        let mut server = Server::start(&with_drain_delay(delay_ms));
        server.stop(signal);
    }
}
