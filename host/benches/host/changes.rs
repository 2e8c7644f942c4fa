//! How soon a change is in force, and what it costs those who ask meanwhile.

use std::{
    fs,
    process::Command,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::{
    built, percentiles,
    server::{Connection, Server, best_move, configuration, post},
};

const SWAPS: u32 = 100;
const CLIENTS: usize = 4;
const DROPS: usize = 20;
const LEAVERS: usize = 100;
const AI: &str = "GET /v1/ais/own HTTP/1.1\r\nHost: localhost\r\n\r\n";

pub(crate) fn measure() {
    swaps();
    drops();
    let question = post("{\"game\":{},\"limit\":{\"movetime_ms\":50000}}");
    let stream = question.replacen("\r\n\r\n", "\r\nAccept: application/x-ndjson\r\n\r\n", 1);
    leavers("a client gone, to the AI being free", &question);
    leavers("a stream left, to the AI being free", &stream);
}

/// `rookery reload` with another option, so that all workers are started anew, while clients ask without a pause.
fn swaps() {
    let server = Server::of("policy = \"configured\"\n", 2);
    let (is_over, answered, failed) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let ask_on = |mut connection: Connection| {
        while !is_over.load(Ordering::Relaxed) {
            let told = if connection.call(&best_move(1)).status == 200 { &answered } else { &failed };
            told.fetch_add(1, Ordering::Relaxed);
        }
    };
    let mut times = vec![];
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            let connection = server.connect();
            scope.spawn(|| ask_on(connection));
        }
        for swap in 0..SWAPS {
            let text = configuration("policy = \"configured\"\n", 2, 1 + swap % 2);
            fs::write(server.folder().join("rookery.toml"), text).unwrap();
            let mut reload = Command::new(env!("CARGO_BIN_EXE_rookery"));
            reload.arg("reload").arg("--config").arg(server.folder().join("rookery.toml"));
            reload.env("XDG_RUNTIME_DIR", server.folder());
            let started = Instant::now();
            let told = reload.output().unwrap();
            times.push(started.elapsed());
            assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        }
        is_over.store(true, Ordering::Relaxed);
    });
    let (answered, failed) = (answered.into_inner(), failed.into_inner());
    println!("{SWAPS} swaps under load: {answered} requests answered, {failed} failed");
    println!("rookery reload, under load              {}", percentiles(&mut times));
}

/// From a library's being put into a directory that is watched to its first answer.
fn drops() {
    let mut server = Server::of("watch = true\n", 1);
    let (beside, library) = (server.folder().join("new"), server.folder().join("ais/libdropped.so"));
    let ask = post("{\"game\":{},\"ai\":\"basic1\",\"limit\":{\"depth\":1}}");
    let mut times = vec![];
    for _ in 0..DROPS {
        fs::copy(built().join("libai_basic1.so"), &beside).unwrap();
        fs::rename(&beside, &library).unwrap();
        times.push(until(|| server.call(&ask).status == 200));
        fs::remove_file(&library).unwrap();
        until(|| server.call(&ask).status == 404);
    }
    println!("a library dropped in, to its answer     {}", percentiles(&mut times));
}

/// From a client's going away in the middle of a search to the AI's being free.
fn leavers(what: &str, question: &str) {
    let mut server = Server::start();
    let is =
        |server: &mut Server, state: &str| server.call(AI).body.contains(&format!("\"state\":\"{state}\""));
    let mut times = vec![];
    for _ in 0..LEAVERS {
        let mut leaver = server.connect();
        leaver.send(question);
        until(|| is(&mut server, "busy"));
        drop(leaver);
        times.push(until(|| is(&mut server, "ready")));
    }
    println!("{what}     {}\n", percentiles(&mut times));
}

/// How long it takes until something is true.
fn until(mut is_true: impl FnMut() -> bool) -> Duration {
    let started = Instant::now();
    while !is_true() {
        assert!(started.elapsed() < Duration::from_mins(1), "what is waited for never comes");
        thread::sleep(Duration::from_micros(200));
    }
    started.elapsed()
}
