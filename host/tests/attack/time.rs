//! Timing attacks and clock jumps.

use std::{
    fs,
    os::unix::fs::FileExt as _,
    time::{Duration, Instant, UNIX_EPOCH},
};

use config::api_key::KeyDigest;
use fastrand::Rng;
use serde_json::json;

use crate::{
    library,
    runner::{Attack, Attempt, Outcome},
    server::{Server, Setup},
};

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        "the time of a rejection reveals nothing about keys and names",
        "wrong keys whose digests share a prefix with a right one, wrong and right names",
        key_timing,
    )
    .alone()
    .within(240),
    Attack::new(
        "a jump of the clock changes no deadline, rate or state",
        "the time of day jumps by years during requests",
        clock_jumps,
    )
    .within(90),
    Attack::new(
        "a panic in a server thread stops the server, and the log gives the reason",
        "a time of day before 1970, at which the HTTP library panics",
        panic_of_a_thread,
    ),
];

const KEY: &str = "the right key of ann";

/// Wrong keys whose digests share the first bytes of the right key's digest, or none of them.
fn wrong_keys(count: usize, shares_prefix: bool) -> Vec<String> {
    let right = KeyDigest::of(KEY.as_bytes()).to_string();
    let keys = (0_u64..).map(|number| format!("wrong key {number:012}"));
    let belongs = |key: &String| {
        let digest = KeyDigest::of(key.as_bytes()).to_string();
        // The digests share the first 16 bits, or differ in the first hexadecimal digit.
        if shares_prefix {
            digest[..4] == right[..4]
        } else {
            digest[..1] != right[..1]
        }
    };
    keys.filter(belongs).take(count).collect()
}

/// Two kinds of requests whose reply times must not differ.
struct Pair {
    name: &'static str,
    headers: [Vec<String>; 2],
}

fn key_timing(attempt: &Attempt) -> Outcome {
    let mut setup = Setup::good();
    let [old, right] = ["the old key of ann", KEY].map(|key| KeyDigest::of(key.as_bytes()));
    setup = setup.client(
        "ann",
        "good",
        &format!("api_key_sha256 = [\"{old}\", \"{right}\"]\nexpires = 2099-12-31"),
    );
    for number in 0..20 {
        let digest = KeyDigest::of(format!("another {number}").as_bytes());
        setup = setup.client(
            &format!("other{number}"),
            "good",
            &format!("api_key_sha256 = \"{digest}\""),
        );
    }
    let server = setup.start(attempt);
    let bearer = |keys: Vec<String>, name: &str| -> Vec<String> {
        keys.iter()
            .map(|key| format!("Authorization: Bearer {key}\r\n{name}"))
            .collect()
    };
    let (near, far) = (wrong_keys(4, true), wrong_keys(4, false));
    let pairs = [
        Pair {
            name: "digests with 16 equal bits",
            headers: [bearer(near.clone(), ""), bearer(far.clone(), "")],
        },
        Pair {
            name: "the same with the right name",
            headers: [
                bearer(near, "X-Client-Id: ann\r\n"),
                bearer(far.clone(), "X-Client-Id: ann\r\n"),
            ],
        },
        Pair {
            name: "a right name and a wrong one",
            headers: [
                bearer(far.clone(), "X-Client-Id: ann\r\n"),
                bearer(far, "X-Client-Id: amm\r\n"),
            ],
        },
        Pair {
            name: "names without keys",
            headers: [
                vec!["X-Client-Id: ann\r\n".into()],
                vec!["X-Client-Id: amm\r\n".into()],
            ],
        },
    ];
    let count = if Attempt::is_long() { 10_000 } else { 1500 };
    let mut seen = Vec::new();
    let mut failed = false;
    for pair in &pairs {
        // A real difference shows in every round.
        let mut rounds = Vec::new();
        while rounds.len() < 3 && rounds.iter().all(|(_, differs): &(String, bool)| *differs) {
            rounds.push(measure(&server, pair, count)?);
        }
        let (text, differs) = rounds.pop().unwrap();
        failed |= differs;
        seen.push(format!("{}: {text}", pair.name));
    }
    if failed {
        Err(seen.join("; "))
    } else {
        Ok(seen.join("; "))
    }
}

/// Compares the times of both kinds, sent in random order. Returns whether they differ.
fn measure(server: &Server, pair: &Pair, count: usize) -> Result<(String, bool), String> {
    let mut random = Rng::new();
    let mut connection = server.connect();
    let requests: [Vec<Vec<u8>>; 2] = [0, 1].map(|kind: usize| {
        let request = |header: &String| {
            format!("GET /v1/ais HTTP/1.1\r\nHost: localhost\r\n{header}\r\n").into_bytes()
        };
        pair.headers[kind].iter().map(request).collect()
    });
    let mut times: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..count {
        let first = random.usize(..2);
        for kind in [first, 1 - first] {
            let request = &requests[kind][random.usize(..requests[kind].len())];
            let started = Instant::now();
            let reply = connection.exchange(request)?;
            times[kind].push(started.elapsed());
            if reply.status != 401 {
                return Err(format!("{}: {} {}", pair.name, reply.status, reply.text()));
            }
        }
    }
    Ok(compare(&mut times))
}

/// Runs a Mann-Whitney test. Returns a summary, and whether the times differ significantly.
#[expect(clippy::cast_precision_loss, reason = "counts of a few thousand")]
fn compare(times: &mut [Vec<Duration>; 2]) -> (String, bool) {
    let kinds = times.iter().enumerate();
    let mut all: Vec<(Duration, usize)> = kinds
        .flat_map(|(kind, times)| times.iter().map(move |&time| (time, kind)))
        .collect();
    all.sort();
    let [first, second] = [0, 1].map(|kind: usize| times[kind].len() as f64);
    let ranks = all
        .iter()
        .enumerate()
        .filter(|(_, (_, kind))| *kind == 0)
        .map(|(rank, _)| rank as f64 + 1.0);
    let longer = (ranks.sum::<f64>() - first * (first + 1.0) / 2.0) / (first * second);
    let deviation = ((first + second + 1.0) / (12.0 * first * second)).sqrt();
    let deviations = (longer - 0.5) / deviation;
    for times in times.iter_mut() {
        times.sort();
    }
    let medians = [0, 1].map(|kind: usize| times[kind][times[kind].len() / 2]);
    let share = longer * 100.0;
    let text = format!(
        "medians {medians:.1?}, the first longer in {share:.1} %, {deviations:.1} deviations"
    );
    // The times differ if the difference exceeds five standard deviations and is large enough to
    // exploit.
    (text, deviations.abs() > 5.0 && (longer - 0.5).abs() > 0.03)
}

const YEAR: i64 = 365 * 24 * 3600;

/// Starts a server. Returns it with the file that shifts its time of day.
fn with_clock(setup: Setup, attempt: &Attempt) -> (Server, fs::File) {
    let shim = library::compile("clock.c", setup.folder(), &[]);
    let offset = setup.folder().join("offset");
    fs::write(&offset, 0_i64.to_ne_bytes()).unwrap();
    let clock = fs::OpenOptions::new().write(true).open(&offset).unwrap();
    let setup = setup
        .environment("ROOKERY_LOG", "info")
        .environment("LD_PRELOAD", shim.to_str().unwrap())
        .environment("CLOCK_OFFSET", offset.to_str().unwrap());
    (setup.start(attempt), clock)
}

fn panic_of_a_thread(attempt: &Attempt) -> Outcome {
    let (mut server, clock) = with_clock(Setup::good(), attempt);
    server.is_unharmed("good")?;
    let began = UNIX_EPOCH.elapsed().unwrap().as_secs().cast_signed();
    clock.write_at(&(-3600 - began).to_ne_bytes(), 0).unwrap();
    let status = server.ended(Duration::from_secs(20));
    let log = server.log();
    let reason = log
        .lines()
        .find(|line| line.contains("the server stops because of a bug"));
    match (status.and_then(|status| status.code()), reason) {
        (Some(101), Some(reason)) if reason.contains("all times should be after the epoch") => {
            Ok("exit status 101, with the reason in the log".into())
        }
        (code, reason) => Err(format!("exit status {code:?}, {reason:?}")),
    }
}

fn clock_jumps(attempt: &Attempt) -> Outcome {
    let setup = Setup::good().server("shutdown_grace_ms = 3000").client(
        "slow",
        "good",
        "rate = \"1/h burst 2\"",
    );
    let (mut server, clock) = with_clock(setup, attempt);
    let jump = |seconds: i64| clock.write_at(&seconds.to_ne_bytes(), 0).unwrap();
    let mut seen = Vec::new();
    let rounds = if Attempt::is_long() { 12 } else { 4 };
    for round in 0..rounds {
        // Two jumps approach the limits of the clock: beyond 2106, and to a minute after the epoch.
        let began = UNIX_EPOCH.elapsed().unwrap().as_secs().cast_signed();
        let to = [YEAR, -YEAR, 170 * YEAR, 60 - began][round % 4];
        let mut asking = server.connect();
        let reply = std::thread::scope(|scope| {
            let body = json!({"game": {}, "limit": {"movetime_ms": 600}}).to_string();
            let answer = scope.spawn(move || asking.post("/v1/best-move", "", body.as_bytes()));
            server.await_search("good");
            jump(to);
            answer.join().unwrap()
        })?;
        let time_ms = reply.json()["search"]["time_ms"]
            .as_u64()
            .unwrap_or(u64::MAX);
        seen.push(format!(
            "{to} s: {} after {:.1?} (time_ms {time_ms})",
            reply.status, reply.time
        ));
        if reply.status != 200 || reply.time > Duration::from_secs(5) || time_ms > 5000 {
            return Err(seen.pop().unwrap());
        }
        let rated = server
            .post_with(
                "/v1/best-move",
                "X-Client-Id: slow\r\n",
                &json!({"game": {}}),
            )
            .status;
        if rated != if round < 2 { 200 } else { 429 } {
            return Err(format!(
                "request {round} of a client with a rate of two per hour: {rated}"
            ));
        }
        server.is_unharmed("good")?;
    }
    if let Some(line) = server.log().lines().find(|line| line.contains("panicked")) {
        return Err(line.to_owned());
    }
    let ended = server.stop(Duration::from_secs(20));
    if ended.is_none_or(|status| !status.success()) {
        return Err(format!("the server did not exit cleanly: {ended:?}"));
    }
    Ok(seen.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(random: &mut Rng, extra_ns: u64) -> Vec<Duration> {
        (0..3000)
            .map(|_| Duration::from_nanos(30_000 + random.u64(..4000) + extra_ns))
            .collect()
    }

    #[test]
    fn detects_a_timing_difference_of_a_tenth_of_the_spread() {
        let mut random = Rng::with_seed(1);
        let (same, other) = (times(&mut random, 0), times(&mut random, 0));
        assert!(!compare(&mut [same.clone(), other]).1);
        assert!(compare(&mut [same, times(&mut random, 400)]).1);
    }
}
