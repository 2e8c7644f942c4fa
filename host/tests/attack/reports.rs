//! What the server tells its operator and its clients, under attack: logs that nobody reads,
//! reports of reloads, files that are no libraries and no tables, lowered limits.

use std::{
    fs,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};
use test_kit::{poll, rookery};

use crate::{
    operations::reload,
    runner::{Arena, Attack, Outcome},
    server::{Server, Setup},
};

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        "a log that nobody reads delays no answer",
        "a full pipe as standard error, thousands of lines",
        unread_log,
    ),
    Attack::new(
        "nobody fills the log",
        "1,000 long errors of an AI in each request",
        log_of_an_ai,
    ),
    Attack::new(
        "nobody fills the log",
        "requests that are no HTTP",
        log_of_malformed_requests,
    ),
    Attack::new(
        "a reload reports what has changed",
        "a discovered library replaced by a text",
        replaced_library,
    ),
    Attack::new(
        "a lowered limit is told",
        "a search of a minute",
        lowered_limit,
    ),
    Attack::new(
        "a pipe named as a table blocks nobody, and the log names it",
        "a FIFO named as a table",
        table_that_is_a_fifo,
    ),
    Attack::new(
        "each line of a JSON log is JSON",
        "errors at start, requests, a reload",
        json_log,
    ),
    Attack::new(
        "a library that is no AI is named",
        "a library without a note in a plugin directory",
        library_without_note,
    ),
];

/// Returns whether the log fulfils a condition soon: it is written beside the answers.
fn logs(server: &Server, condition: impl Fn(&str) -> bool) -> bool {
    poll(Duration::from_secs(5), || {
        condition(&server.log()).then_some(())
    })
    .is_some()
}

/// The bytes that a server logs meanwhile, and what it has then logged in all.
fn logged(
    server: &Server,
    send: impl FnOnce() -> Result<(), String>,
) -> Result<(usize, String), String> {
    let before = server.log().len();
    send()?;
    // An unknown path, which is logged after all others.
    server.get("/last");
    if !logs(server, |log| log.contains("route=\"none\"")) {
        return Err("the log lacks the last request".into());
    }
    let log = server.log();
    Ok((log.len() - before, log))
}

fn log_of_an_ai(arena: &Arena) -> Outcome {
    let server = Setup::new()
        .hostile("lies.c", "logs", "")
        .environment("ROOKERY_LOG", "info")
        .start(arena);
    let began = Instant::now();
    let requests = if Arena::is_long() { 1000 } else { 50 };
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
    // Each request has a line of its own, and what the AI may log at once and each second stands
    // beside other fields.
    let most =
        requests * 600 + 2 * (100 << 10) + 2 * (5 << 10) * (1 + began.elapsed().as_secs() as usize);
    let seen = format!("{bytes} bytes in {requests} requests, at most {most}");
    if bytes > most || !log.contains("dropped_lines=") {
        Err(seen)
    } else {
        Ok(seen)
    }
}

fn log_of_malformed_requests(arena: &Arena) -> Outcome {
    let server = Setup::good()
        .environment("ROOKERY_LOG", "info")
        .start(arena);
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
    if bytes > 4000 { Err(seen) } else { Ok(seen) }
}

fn unread_log(arena: &Arena) -> Outcome {
    let server = Setup::good()
        .environment("ROOKERY_LOG", "trace")
        .unread_log()
        .start(arena);
    let dropped = || -> u64 {
        let metrics = String::from_utf8(server.get("/metrics").body).unwrap();
        let count = metrics
            .lines()
            .find_map(|line| line.strip_prefix("rookery_log_dropped_total "));
        count
            .and_then(|count| count.parse().ok())
            .unwrap_or_default()
    };
    let least = if Arena::is_long() { 100_000 } else { 1 };
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
    if slowest < Duration::from_secs(1) {
        Ok(seen)
    } else {
        Err(seen)
    }
}

fn replaced_library(arena: &Arena) -> Outcome {
    let setup = Setup::good().server("[plugins]\ndirectories = [\"plugins\"]");
    let plugins = setup.folder().join("plugins");
    fs::create_dir(&plugins).unwrap();
    let found = plugins.join("libcounts_pawns.so");
    fs::copy(test_kit::built("counts_pawns"), &found).unwrap();
    let server = setup.start(arena);
    // Discovered libraries start once the server listens.
    let is_served = || (server.best_move("counts_pawns").status == 200).then_some(());
    poll(Duration::from_secs(20), is_served).ok_or("the AI is not served")?;
    fs::remove_file(&found).unwrap();
    fs::write(&found, "no library").unwrap();
    let output = reload(&server, Duration::from_secs(20)).ok_or("the reload did not end")?;
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let answer = server.best_move("counts_pawns").status;
    let seen = format!("{text:.300}; its AI answers {answer}");
    if text.contains("its earlier bytes go on") && !text.contains("removed") && answer == 200 {
        Ok(seen)
    } else {
        Err(seen)
    }
}

fn lowered_limit(arena: &Arena) -> Outcome {
    let server = Setup::new()
        .ai("good", "ai_basic1", "move_timeout_ms = 1000")
        .start(arena);
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

fn table_that_is_a_fifo(arena: &Arena) -> Outcome {
    let setup = Setup::good().with_tables();
    let fifo = setup.tables().join("KRvK.rtbw");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    let server = setup.start(arena);
    let ending = json!({"game": {"fen": "8/8/8/8/8/4k3/8/4K2Q w - - 0 1"}});
    let started = Instant::now();
    let status = server.post("/v1/tablebase", &ending).status;
    server.is_unharmed("good")?;
    let is_named = logs(&server, |log| log.contains("KRvK.rtbw"));
    let seen = format!(
        "{status} in {:.1?}, the log names the file: {is_named}",
        started.elapsed()
    );
    if started.elapsed() < Duration::from_secs(10) && is_named {
        Ok(seen)
    } else {
        Err(seen)
    }
}

fn json_log(arena: &Arena) -> Outcome {
    let server = Setup::good()
        .environment("ROOKERY_LOG_FORMAT", "json")
        .start(arena);
    server.post("/v1/best-move", &json!({"game": {"moves": ["e2e5"]}}));
    reload(&server, Duration::from_secs(20)).ok_or("the reload did not end")?;
    let whole = || Some(server.log()).filter(|log| log.ends_with('\n') && log.lines().count() > 1);
    let log = poll(Duration::from_secs(5), whole).ok_or("no whole log")?;
    // The same configuration again, with a mistake.
    let wrong = server.folder().join("wrong.toml");
    fs::write(
        &wrong,
        format!(
            "{}\n[nonsense]\n",
            fs::read_to_string(server.configuration()).unwrap()
        ),
    )
    .unwrap();
    let mut command: Command = Command::new(rookery());
    command
        .args(["serve", "--log-format", "json", "--config"])
        .arg(&wrong)
        .stdin(Stdio::null());
    let failed = command.output().map_err(|error| error.to_string())?;
    let text = format!("{log}{}", String::from_utf8_lossy(&failed.stderr));
    let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
    let plain = lines
        .iter()
        .find(|line| serde_json::from_str::<Value>(line).is_err());
    match plain {
        None if lines.len() > 2 => Ok(format!("{} lines", lines.len())),
        _ => Err(format!("{} lines: {plain:?}", lines.len())),
    }
}

fn library_without_note(arena: &Arena) -> Outcome {
    let setup = Setup::good().server("[plugins]\ndirectories = [\"plugins\"]");
    let plugins = setup.folder().join("plugins");
    fs::create_dir(&plugins).unwrap();
    let server = setup.start(arena);
    fs::copy(test_kit::built("no_ai"), plugins.join("libforgotten.so")).unwrap();
    let output = reload(&server, Duration::from_secs(20)).ok_or("the reload did not end")?;
    server.is_unharmed("good")?;
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let seen = format!("{text:.300}");
    let is_named =
        |text: &str| text.contains("libforgotten.so is not served") && text.contains("export_ai!");
    if is_named(&text) && logs(&server, is_named) {
        Ok(seen)
    } else {
        Err(format!("{seen}; log: {:.500}", server.log()))
    }
}
