//! The time until a reload takes effect, and how much it delays requests in the meantime.

use std::{
    fs,
    io::Write as _,
    process::Command,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use test_kit::{Connection, built, rookery};

use crate::{
    percentiles,
    server::{Server, best_move, configuration, post},
};

const RELOADS: u32 = 100;
const CLIENTS: usize = 4;
const LIBRARIES: usize = 20;
const DISCONNECTS: usize = 100;
const AI: &str = "GET /v1/ais/own HTTP/1.1\r\nHost: localhost\r\n\r\n";

pub(crate) fn measure() {
    reloads();
    new_libraries();
    let request = post("{\"game\":{},\"limit\":{\"movetime_ms\":50000}}");
    let stream = request.replacen("\r\n\r\n", "\r\nAccept: application/x-ndjson\r\n\r\n", 1);
    disconnects("disconnect to idle AI", &request);
    disconnects("stream disconnect to idle AI", &stream);
}

/// Measures `rookery reload` with a changed option, which restarts all workers, while clients send
/// requests without a pause.
fn reloads() {
    let server = Server::with("policy = \"configured\"\n", 2);
    let (is_over, answered, failed) = (
        AtomicBool::new(false),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    let send_requests = |mut connection: Connection| {
        while !is_over.load(Ordering::Relaxed) {
            let counter = if connection.exchange(best_move(1)).unwrap().status == 200 {
                &answered
            } else {
                &failed
            };
            counter.fetch_add(1, Ordering::Relaxed);
        }
    };
    let mut times = vec![];
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            let connection = server.connect();
            scope.spawn(|| send_requests(connection));
        }
        for round in 0..RELOADS {
            let text = configuration("policy = \"configured\"\n", 2, 1 + round % 2);
            fs::write(server.folder().join("rookery.toml"), text).unwrap();
            let mut reload = Command::new(rookery());
            reload
                .arg("reload")
                .arg("--config")
                .arg(server.folder().join("rookery.toml"));
            reload.env("XDG_RUNTIME_DIR", server.folder());
            let started = Instant::now();
            let output = reload.output().unwrap();
            times.push(started.elapsed());
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let (answered, failed) = (answered.into_inner(), failed.into_inner());
    println!("{RELOADS} reloads under load: {answered} requests answered, {failed} failed");
    println!(
        "rookery reload, under load              {}",
        percentiles(&mut times)
    );
}

/// Measures the time from a new library's appearance in a watched directory to its first reply.
fn new_libraries() {
    let mut server = Server::with("watch = true\n", 1);
    let (beside, library) = (
        server.folder().join("new"),
        server.folder().join("ais/libnew.so"),
    );
    let request = post("{\"game\":{},\"ai\":\"basic1\",\"limit\":{\"depth\":1}}");
    let mut times = vec![];
    for _ in 0..LIBRARIES {
        fs::copy(built("ai_basic1"), &beside).unwrap();
        fs::rename(&beside, &library).unwrap();
        times.push(time_until(|| server.call(&request).status == 200));
        fs::remove_file(&library).unwrap();
        time_until(|| server.call(&request).status == 404);
    }
    println!(
        "new library to first reply              {}",
        percentiles(&mut times)
    );
}

/// Measures the time from a disconnect during a search until the AI is idle.
fn disconnects(name: &str, request: &str) {
    let mut server = Server::start();
    let is = |server: &mut Server, state: &str| server.call(AI).json()["state"] == state;
    let mut times = vec![];
    for _ in 0..DISCONNECTS {
        let mut client = server.connect();
        client.stream.write_all(request.as_bytes()).unwrap();
        time_until(|| is(&mut server, "busy"));
        drop(client);
        times.push(time_until(|| is(&mut server, "ready")));
    }
    println!("{name:<40}{}\n", percentiles(&mut times));
}

/// Polls a condition and returns the time until it is true.
fn time_until(mut is_true: impl FnMut() -> bool) -> Duration {
    let started = Instant::now();
    while !is_true() {
        assert!(
            started.elapsed() < Duration::from_mins(1),
            "the condition was false for a minute"
        );
        thread::sleep(Duration::from_micros(200));
    }
    started.elapsed()
}
