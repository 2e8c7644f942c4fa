//! Everything at once: crashing AIs, reloads one after the other, a hostile node and a log that
//! nobody reads.

use std::{
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use serde_json::json;
use test_kit::poll;

use super::{
    fleet::{Fleet, announcement, description, fingerprint, garbage, offered},
    hostile_node::{ANNOUNCEMENT, GUEST, REPLIES},
};
use crate::{
    operations::reload,
    runner::{Attack, Attempt, Outcome, judge},
    server::{Server, Setup},
};

pub(super) const ATTACKS: &[Attack] = &[Attack::new(
    "no answer of a good AI is lost while everything fails around it",
    "four crashing AIs, reloads one after the other, a hostile node and a full pipe as standard \
     error, for 300 s (10 s in the short form)",
    everything_fails,
)
.alone()
.within(420)];

/// A local AI and an AI of a listed node. Both must answer every request.
const GOOD: [&str; 2] = ["here", "good"];
const CRASHING: [&str; 4] = ["bad0", "bad1", "bad2", "bad3"];

/// The longest wait for a reply from a good AI on a busy machine.
const SLOWEST: Duration = Duration::from_secs(5);

/// The replies that clients received.
#[derive(Default)]
struct Seen {
    good: usize,
    bad: usize,
    slowest: Duration,
    lost: Vec<String>,
}

fn everything_fails(attempt: &Attempt) -> Outcome {
    let time = Duration::from_secs(if Attempt::is_long() { 300 } else { 10 });
    let fleet = Fleet::start(attempt, &[("good", 2)]);
    let crashing = |setup: Setup, id: &&str| {
        let fault =
            "limit = { depth = 2 }\nmove_timeout_ms = 1000\noptions.fault = \"abort_every_10th\"";
        setup.ai(id, "fault_injector", fault)
    };
    let setup = Setup::new()
        .ai("here", "ai_basic1", "limit = { depth = 1 }\nworkers = 2")
        .unread_log();
    // At the level `trace`, async-nats logs each complete message.
    let setup = setup.environment("ROOKERY_LOG", "trace,async_nats=info");
    let server = fleet.server_with(CRASHING.iter().fold(setup, crashing), attempt, GUEST);
    let (files, started) = (server.open_files(), Instant::now());
    let (ends, seen) = (started + time, Mutex::new(Seen::default()));
    let mut early = 0;
    let reloads = thread::scope(|scope| {
        for ai in GOOD.into_iter().chain(CRASHING) {
            scope.spawn(|| send_requests(&server, ai, ends, &seen));
        }
        scope.spawn(|| attack(&fleet, ends));
        let mut reloads = 0;
        while Instant::now() < ends {
            server.replace_library("fault_injector", reloads as u64);
            assert!(
                reload(&server, Duration::from_secs(20)).is_some(),
                "a reload did not end"
            );
            reloads += 1;
            if early == 0 && started.elapsed() > time / 3 {
                early = server.resident_mb();
            }
        }
        reloads
    });
    let Seen {
        good,
        bad,
        slowest,
        lost,
    } = seen.into_inner().unwrap();
    let late = server.resident_mb();
    let closed = poll(Duration::from_secs(20), || {
        (server.open_files() <= files + 8).then_some(())
    });
    let metrics = String::from_utf8(server.get("/metrics").body).unwrap();
    let dropped = metrics
        .lines()
        .find_map(|line| line.strip_prefix("rookery_log_dropped_total "));
    let seen = format!(
        "{good} answers of good AIs, {bad} of crashing ones, {} lost {:?}; {reloads} reloads; \
         memory {early} MiB after a third, {late} at the end; descriptors {files} before, {} \
         after; slowest answer {slowest:.1?}; {} lines of log dropped",
        lost.len(),
        lost.first(),
        server.open_files(),
        dropped.unwrap_or("no"),
    );
    let holds = lost.is_empty()
        && closed.is_some()
        && late <= early * 5 / 4 + 32
        && slowest < SLOWEST
        && dropped.is_some_and(|lines| lines != "0");
    judge(holds, seen)
}

/// Asks one AI until the end. Every request gets a reply, and a good AI replies with a move.
fn send_requests(server: &Server, ai: &str, ends: Instant, seen: &Mutex<Seen>) {
    let body = json!({"game": {}, "ai": ai}).to_string();
    let mut connection = server.connect();
    while Instant::now() < ends {
        let reply = connection.post("/v1/best-move", "", body.as_bytes());
        let mut seen = seen.lock().unwrap();
        match reply {
            Ok(reply) if reply.status == 200 && GOOD.contains(&ai) => {
                seen.good += 1;
                seen.slowest = seen.slowest.max(reply.time);
            }
            Ok(_) if CRASHING.contains(&ai) => seen.bad += 1,
            Ok(reply) => seen
                .lost
                .push(format!("{ai}: {} {}", reply.status, reply.text())),
            Err(error) => {
                seen.lost.push(format!("{ai}: {error}"));
                connection = server.connect();
            }
        }
    }
}

/// Announces and describes new AIs, and sends truncated messages, until the end.
fn attack(fleet: &Fleet, ends: Instant) {
    let hostile = fleet.hostile_node();
    for number in 1.. {
        if Instant::now() >= ends {
            break;
        }
        let name = format!("a{number}");
        hostile.publish(
            ANNOUNCEMENT,
            &announcement(number, &[offered(&name, &fingerprint(number))]),
        );
        hostile.publish(REPLIES, &description(&name, &fingerprint(number)));
        for message in garbage(&announcement(number, &[])) {
            hostile.publish_bytes(ANNOUNCEMENT, message);
        }
        hostile.flush();
    }
}
