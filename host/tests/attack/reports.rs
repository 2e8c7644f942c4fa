//! What the server reports to its operator and its clients under attack: unread logs, an invalid
//! tablebase file, a lowered limit.

use std::{
    io::{BufRead as _, BufReader},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;
use test_kit::poll;

use crate::{
    runner::{Attack, Attempt, Outcome, judge},
    server::{Server, Setup},
};

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        "a log that nobody reads delays no answer",
        "a full pipe as standard error, thousands of lines",
        unread_log,
    ),
    Attack::new(
        "neither an AI nor a client fills the log",
        "1,000 long errors of an AI in each request",
        log_of_an_ai,
    ),
    Attack::new(
        "neither an AI nor a client fills the log",
        "requests that are not HTTP",
        log_of_malformed_requests,
    ),
    Attack::new(
        "a lowered limit is reported",
        "a search of a minute",
        lowered_limit,
    ),
    Attack::new(
        "a pipe in place of a table blocks nobody, and the log names it",
        "a FIFO with the name of a table",
        table_that_is_a_fifo,
    ),
];

/// Returns whether the log soon meets a condition. The log is written independently of the answers.
fn logs(server: &Server, condition: impl Fn(&str) -> bool) -> bool {
    poll(Duration::from_secs(5), || {
        condition(&server.log()).then_some(())
    })
    .is_some()
}

/// Returns the number of bytes that a server logs during a call, and its complete log.
fn logged(
    server: &Server,
    send: impl FnOnce() -> Result<(), String>,
) -> Result<(usize, String), String> {
    let before = server.log().len();
    send()?;
    // Requests an unknown path, which is logged after all other requests.
    server.get("/last");
    if !logs(server, |log| log.contains("route=\"none\"")) {
        return Err("the log lacks the last request".into());
    }
    let log = server.log();
    Ok((log.len() - before, log))
}

fn log_of_an_ai(attempt: &Attempt) -> Outcome {
    let server = Setup::new()
        .hostile("lies.c", "logs", "")
        .environment("ROOKERY_LOG", "info")
        .start(attempt);
    let began = Instant::now();
    let requests = if Attempt::is_long() { 1000 } else { 50 };
    let (bytes, log) = logged(&server, || {
        for _ in 0..requests {
            let reply = server.best_move("bad");
            if reply.status != 200 {
                return Err(reply.text());
            }
        }
        Ok(())
    })?;
    server.is_unharmed("good")?;
    // Allows a line for each request, and twice what the AI may log in a burst and per second,
    // because its lines have additional fields.
    let most =
        requests * 600 + 2 * (100 << 10) + 2 * (5 << 10) * (1 + began.elapsed().as_secs() as usize);
    let seen = format!("{bytes} bytes in {requests} requests, at most {most}");
    judge(bytes <= most && log.contains("dropped_lines="), seen)
}

fn log_of_malformed_requests(attempt: &Attempt) -> Outcome {
    let server = Setup::good()
        .environment("ROOKERY_LOG", "info")
        .start(attempt);
    let malformed: [&[u8]; 4] = [
        b"GARBAGE\r\n\r\n",
        b"\x16\x03\x01\x02\x00",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x\r\n\r\n",
    ];
    let (bytes, _) = logged(&server, || {
        for request in malformed.into_iter().cycle().take(400) {
            let status = server.connect().exchange(request)?.status;
            if status != 400 {
                return Err(format!("{status} for a malformed request"));
            }
        }
        Ok(())
    })?;
    server.is_unharmed("good")?;
    let seen = format!("{bytes} bytes for 400 requests");
    judge(bytes <= 4000, seen)
}

fn unread_log(attempt: &Attempt) -> Outcome {
    let mut server = Setup::good()
        .environment("ROOKERY_LOG", "trace")
        .unread_log()
        .start(attempt);
    let stderr = server.take_stderr();
    let dropped = || -> u64 {
        let metrics = String::from_utf8(server.get("/metrics").body).unwrap();
        let count = metrics
            .lines()
            .find_map(|line| line.strip_prefix("rookery_log_dropped_total "));
        count
            .and_then(|count| count.parse().ok())
            .unwrap_or_default()
    };
    let least = if Attempt::is_long() { 100_000 } else { 1 };
    let (mut requests, mut connection) = (0, server.connect());
    while dropped() < least {
        for _ in 0..1000 {
            connection
                .post("/v1/best-move", "", b"{")
                .map_err(|error| format!("no answer: {error}"))?;
        }
        requests += 1000;
    }
    let slowest = (0..20).map(|_| server.health()).max().unwrap_or_default();
    server.is_unharmed("good")?;
    let seen = format!(
        "{requests} requests, {} lines dropped, health within {slowest:.1?}",
        dropped()
    );
    // Once the log is read again, it reports the dropped lines.
    let (sender, told) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            if line.contains("log lines were dropped") {
                let _ = sender.send(());
            }
        }
    });
    if told.recv_timeout(Duration::from_secs(20)).is_err() {
        return Err(format!("{seen}; the log does not report it"));
    }
    judge(slowest < Duration::from_secs(1), seen)
}

fn lowered_limit(attempt: &Attempt) -> Outcome {
    let server = Setup::new()
        .ai("good", "ai_basic1", "move_timeout_ms = 1000")
        .start(attempt);
    let body = json!({"game": {}, "limit": {"movetime_ms": 60_000}});
    let reply = server.post("/v1/best-move", &body).json();
    let told = &reply["search"]["limit"]["movetime_ms"];
    let seen = format!("limit {told}, stopped by {}", reply["search"]["stopped_by"]);
    if told.as_u64().is_some_and(|ms| ms < 1000) {
        Ok(seen)
    } else {
        Err(format!("{seen}: {reply}"))
    }
}

fn table_that_is_a_fifo(attempt: &Attempt) -> Outcome {
    let setup = Setup::good().with_tables();
    let fifo = setup.tables().join("KRvK.rtbw");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    let server = setup.start(attempt);
    let ending = json!({"game": {"fen": "8/8/8/8/8/4k3/8/4K2Q w - - 0 1"}});
    let started = Instant::now();
    let status = server.post("/v1/tablebase", &ending).status;
    server.is_unharmed("good")?;
    let is_named = logs(&server, |log| log.contains("KRvK.rtbw"));
    let seen = format!(
        "{status} in {:.1?}, the log names the file: {is_named}",
        started.elapsed()
    );
    judge(
        started.elapsed() < Duration::from_secs(10) && is_named,
        seen,
    )
}
