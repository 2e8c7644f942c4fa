//! Fairness among AIs and clients: processor time, timeouts, the circuit breaker, worker state.

use std::{
    io::Write as _,
    process::{Child, Command},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use test_kit::{Reply, poll, post, processes::computed};

use crate::{
    library::compile_program,
    runner::{Attack, Attempt, Outcome, judge},
    server::{Server, Setup},
};

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::new(
        "`movetime_ms` and `max_movetime_ms` hold for every AI",
        "an AI that only obeys `stop`",
        obeys_only_stop,
    ),
    Attack::new(
        "an AI computes only during a request",
        "threads that never stop computing, with a request every 0.7 s",
        burns_between_requests,
    )
    .within(90),
    Attack::new(
        "no client receives data of another client's game",
        "an AI that writes games to stderr and crashes in a later request",
        leaks_games,
    ),
    Attack::new(
        "no client learns what another client has asked",
        "the same request as another client's, during its search and afterwards",
        asks_what_another_asked,
    ),
    Attack::new(
        "no client makes an AI unavailable to the others",
        "one person as three clients without keys, with requests that kill workers",
        three_clients_without_keys,
    ),
    Attack::new(
        "several clients cannot make an AI unavailable to a client that it serves",
        "two clients with keys and one without, with requests that kill workers",
        |attempt| several_clients(attempt, true),
    ),
    Attack::new(
        "clients without keys and two with keys cannot make an AI unavailable to others",
        "the same before its first request",
        |attempt| several_clients(attempt, false),
    ),
    Attack::new(
        "an AI that keeps dying is quarantined",
        "an AI that kills itself after each result",
        dies_after_each_result,
    )
    .within(90),
    Attack::new(
        "a request at the advertised maximum is answered",
        "searches with the maximum `movetime_ms` next to four busy processes",
        searches_on_a_busy_machine,
    )
    .alone()
    .within(600),
    Attack::new(
        "an AI that never stops opens the circuit breaker on a busy machine",
        "a library and an engine that never stop computing, and an engine that floods, next to two \
         busy processes",
        never_stop,
    )
    .alone()
    .within(120)
    .long(),
    Attack::new(
        "an AI that floods does not slow down another AI",
        "endless reports and output",
        floods,
    )
    .alone(),
    Attack::new(
        "a request does not slow down another AI",
        "64 threads in one request",
        burns_with_64_threads,
    )
    .alone()
    .within(120),
];

/// Returns a request with a position that makes the AI abort.
fn deadly(number: usize) -> Value {
    json!({"game": {"fen": format!("7k/8/8/8/8/8/R7/K7 w - - {} 80", 50 + number)}, "ai": "bad"})
}

fn with(attack: &str, lines: &str) -> Setup {
    Setup::new().hostile("times.c", attack, lines)
}

fn obeys_only_stop(attempt: &Attempt) -> Outcome {
    let server = with("obeys only stop", "move_timeout_ms = 8000")
        .client("hurried", "bad", "max_movetime_ms = 400")
        .start(attempt);
    let mut seen = Vec::new();
    for (client, limit) in [
        ("", json!({"movetime_ms": 400})),
        ("X-Client-Id: hurried\r\n", json!({"depth": 30})),
        ("X-Client-Id: hurried\r\n", json!({"movetime_ms": 3000})),
    ] {
        let reply = server.post_with(
            "/v1/best-move",
            client,
            &json!({"game": {}, "ai": "bad", "limit": limit}),
        );
        let stopped_by = reply.json()["search"]["stopped_by"].clone();
        seen.push(format!(
            "{client:?} {limit}: {} after {:.1?} ({stopped_by})",
            reply.status, reply.time
        ));
        if reply.status != 200 || reply.time > Duration::from_secs(4) || stopped_by != "movetime" {
            return Err(seen.pop().unwrap());
        }
    }
    Ok(seen.join("; "))
}

fn burns_between_requests(attempt: &Attempt) -> Outcome {
    let server = with("burns between requests", "").start(attempt);
    let _ = server.best_move("bad");
    let burning = poll(Duration::from_secs(20), || {
        server
            .descendants()
            .into_iter()
            .find(|&worker| computed(worker) > Duration::from_millis(300))
    });
    let worker = burning.ok_or("nothing burns")?;
    let (mut most, mut last_request) = (Duration::ZERO, Instant::now());
    // On any machine, the supervisor checks several times before two threads compute this long.
    while most < Duration::from_secs(10) {
        // Sends requests often enough that no second is idle.
        if last_request.elapsed() > Duration::from_millis(700) {
            let _ = server.best_move("bad");
            last_request = Instant::now();
        }
        most = most.max(computed(worker));
        if !server.descendants().contains(&worker) {
            return Ok(format!(
                "the worker was replaced when it had computed {most:.1?}"
            ));
        }
        thread::sleep(Duration::from_millis(50));
    }
    Err(format!(
        "the worker had computed {most:.1?} and was not replaced"
    ))
}

fn leaks_games(attempt: &Attempt) -> Outcome {
    let server = with("leaks games", "workers = 2\nmove_timeout_ms = 1000")
        .client("ann", "bad", "")
        .client("bob", "bad", "")
        .start(attempt);
    let game = json!({"moves": ["b1c3", "g8f6", "c3b1", "f6g8", "b1a3"]});
    let secret = json!({"game": game, "ai": "bad", "fresh": true});
    let mut seen = Vec::new();
    // One request crashes the worker; the other times out.
    for number in [0, 10] {
        // Sends enough concurrent requests to reach every worker.
        thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| server.post_with("/v1/best-move", "X-Client-Id: ann\r\n", &secret));
            }
        });
        let of_bob = server.post_with("/v1/best-move", "X-Client-Id: bob\r\n", &deadly(number));
        let about = "GET /v1/ais/bad HTTP/1.1\r\nHost: localhost\r\nX-Client-Id: bob\r\n\r\n";
        let about = server.connect().exchange(about)?;
        for reply in [&of_bob, &about] {
            let text = String::from_utf8_lossy(&reply.body);
            if text.contains("leaked-5") {
                return Err(format!("bob received {text:.400}"));
            }
        }
        seen.push(format!("{} {}", of_bob.status, of_bob.code()));
    }
    Ok(format!("bob got {}", seen.join(", ")))
}

fn asks_what_another_asked(attempt: &Attempt) -> Outcome {
    let server = Setup::good()
        .keyed_client("ann", "good")
        .keyed_client("bob", "good")
        .start(attempt);
    let game = json!({"moves": ["b1c3", "g8f6", "c3b1", "f6g8", "b1a3"]});
    let body = json!({"game": game, "limit": {"nodes": 400_000}});
    let ask = |client: &str| {
        let key = format!("Authorization: Bearer {client}\r\n");
        let reply = server.post_with("/v1/best-move", &key, &body);
        assert_eq!(reply.status, 200, "{}", reply.text());
        (reply.json()["search"]["cached"] == true, reply.time)
    };
    let counted = |result: &str| {
        let name = format!("rookery_cache_requests_total{{result=\"{result}\"}} ");
        let text = String::from_utf8(server.get("/metrics").body).unwrap();
        let mut lines = text.lines();
        lines.find_map(|line| line.strip_prefix(&*name)?.parse::<u32>().ok())
    };
    let (_, searched) = ask("ann");
    let (ann_finds, found) = ask("ann");
    let (bob_finds, taken) = ask("bob");
    let [hits, joined, misses] = ["hit", "joined", "miss"].map(counted);
    let seen = format!(
        "ann {searched:.1?}, again {found:.1?}, bob {taken:.1?}; {hits:?} found, {joined:?} \
         joined, {misses:?} searched"
    );
    let is_separate = (hits, joined, misses) == (Some(1), Some(0), Some(2));
    judge(ann_finds && !bob_finds && is_separate, seen)
}

fn three_clients_without_keys(attempt: &Attempt) -> Outcome {
    let server = with("dies in some positions", "")
        .client("one", "bad", "")
        .client("two", "bad", "")
        .client("three", "bad", "")
        .keyed_client("ann", "bad")
        .start(attempt);
    let mut number = 0;
    for _ in 0..4 {
        for client in ["one", "two", "three"] {
            number += 1;
            server.post_with(
                "/v1/best-move",
                &format!("X-Client-Id: {client}\r\n"),
                &deadly(number),
            );
        }
    }
    let body = json!({"game": {}, "ai": "bad", "fresh": true});
    let reply = server.post_with("/v1/best-move", "Authorization: Bearer ann\r\n", &body);
    let seen = format!(
        "after {number} deadly requests ann got {} {}",
        reply.status,
        reply.code()
    );
    judge(reply.status == 200, seen)
}

fn several_clients(attempt: &Attempt, is_served: bool) -> Outcome {
    // Each repeated loss of a worker delays its restart.
    let mut setup = with(
        "dies in some positions",
        if is_served { "" } else { "workers = 8" },
    );
    for client in ["ann", "two", "three"] {
        setup = setup.keyed_client(client, "bad");
    }
    let server = setup.start(attempt);
    let body = json!({"game": {}, "ai": "bad", "fresh": true});
    let mut replies = Vec::new();
    let ask = || server.post_with("/v1/best-move", "Authorization: Bearer ann\r\n", &body);
    for round in 0..if is_served { 4 } else { 2 } {
        replies.extend(is_served.then(ask));
        for (number, key) in [
            "Authorization: Bearer two\r\n",
            "Authorization: Bearer three\r\n",
            "",
        ]
        .iter()
        .enumerate()
        {
            server.post_with("/v1/best-move", key, &deadly(3 * round + number));
        }
    }
    replies.push(ask());
    let failed: Vec<_> = replies
        .iter()
        .filter(|reply| reply.status != 200)
        .map(Reply::code)
        .collect();
    let seen = format!(
        "{} of {} requests of ann failed",
        failed.len(),
        replies.len()
    );
    if failed.is_empty() {
        Ok(seen)
    } else {
        Err(format!("{seen}: {failed:?}"))
    }
}

fn dies_after_each_result(attempt: &Attempt) -> Outcome {
    let server = with("dies after each result", "").start(attempt);
    let until = Instant::now() + Duration::from_mins(1);
    let mut answers = 0;
    while Instant::now() < until {
        let workers = server.descendants();
        let reply = server.best_move("bad");
        if reply.code() == "ai_unavailable" {
            return Ok(format!("quarantined after {answers} results"));
        }
        answers += usize::from(reply.status == 200);
        if answers >= 40 {
            break;
        }
        // Waits until the worker has died.
        poll(Duration::from_secs(10), || {
            (server.descendants() != workers).then_some(())
        });
    }
    Err(format!("{answers} results, each from a new worker"))
}

fn searches_on_a_busy_machine(attempt: &Attempt) -> Outcome {
    let server = Setup::new()
        .ai("good", "ai_basic1", "workers = 2\nmove_timeout_ms = 400")
        .start(attempt);
    let most =
        server.get("/v1/ais/good").json()["limit"]["properties"]["movetime_ms"]["maximum"].clone();
    let body = json!({"game": {}, "limit": {"movetime_ms": most}}).to_string();
    let burning: Vec<_> = (0..4).map(|_| Burning::start(attempt)).collect();
    let requests = if Attempt::is_long() { 100 } else { 10 };
    let ask = || {
        let mut connection = server.connect();
        (0..requests)
            .map(|_| connection.post("/v1/best-move", "", body.as_bytes()))
            .collect::<Vec<_>>()
    };
    let replies = thread::scope(|scope| {
        let clients = [(); 2].map(|()| scope.spawn(ask));
        clients
            .into_iter()
            .flat_map(|client| client.join().unwrap())
            .collect::<Result<Vec<_>, _>>()
    })?;
    drop(burning);
    let times = replies.iter().map(|reply| reply.time);
    let slowest = times.max().unwrap_or_default();
    let failed: Vec<_> = replies
        .iter()
        .filter(|reply| reply.status != 200)
        .map(Reply::code)
        .collect();
    let seen = format!(
        "{} of {} searches of {most} ms failed; the slowest reply took {slowest:.1?}",
        failed.len(),
        replies.len()
    );
    if failed.is_empty() {
        Ok(seen)
    } else {
        Err(format!("{seen}: {failed:?}"))
    }
}

fn never_stop(attempt: &Attempt) -> Outcome {
    let lines = "move_timeout_ms = 2000\nstop_grace_ms = 100";
    let setup = with("burns for ever", lines);
    let engine = compile_program("engine.c", setup.folder(), &["-DROOT=\"/\""]);
    let of_engine = |what: &str| {
        let engine = engine.display();
        format!(
            "{lines}\nallow_exec = ['{engine}']\n\
             options = {{ command = '{engine} {what}' }}"
        )
    };
    let setup = setup.ai("burning", "ai_uci", &of_engine("time"));
    let server = setup
        .ai("flooding", "ai_uci", &of_engine("reports"))
        .start(attempt);
    let burning: Vec<_> = (0..2).map(|_| Burning::start(attempt)).collect();
    let ask = |ai: &'static str| {
        let mut codes = Vec::new();
        while codes.len() < 12 && codes.last().is_none_or(|code| code != "ai_unavailable") {
            // A request that fails twice is blocked.
            let body = json!({"game": deadly(codes.len())["game"], "ai": ai, "fresh": true});
            codes.push(server.post("/v1/best-move", &body).code());
        }
        (ai, codes)
    };
    let ask = &ask;
    let codes = thread::scope(|scope| {
        let asking = ["bad", "burning", "flooding"].map(|ai| scope.spawn(move || ask(ai)));
        asking.map(|asking| asking.join().unwrap())
    });
    drop(burning);
    let seen = format!("{codes:?}");
    let is_open = |codes: &[String]| codes.last().is_some_and(|code| code == "ai_unavailable");
    judge(codes.iter().all(|(_, codes)| is_open(codes)), seen)
}

/// A process that uses a processor until it is dropped.
struct Burning(Child);

impl Burning {
    fn start(attempt: &Attempt) -> Self {
        let child = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        attempt.adopt(&child);
        Self(child)
    }
}

impl Drop for Burning {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn burns_with_64_threads(attempt: &Attempt) -> Outcome {
    let server = with(
        "burns with 64 threads",
        "move_timeout_ms = 60000\nthreads = 64",
    )
    .start(attempt);
    slowed_down_each_time(&server, BURNING)
}

fn floods(attempt: &Attempt) -> Outcome {
    let mut seen = Vec::new();
    for attack in ["endless reports", "endless output"] {
        let server = Setup::new()
            .hostile("lies.c", attack, "move_timeout_ms = 60000")
            .start(attempt);
        let outcome = slowed_down_each_time(&server, Duration::ZERO);
        let outcome = outcome.map_err(|error| format!("{attack}: {error}"))?;
        let megabytes = server.resident_mb();
        if megabytes > 200 {
            return Err(format!("{attack}: server {megabytes} MiB"));
        }
        seen.push(format!("{attack}: {outcome}; server {megabytes} MiB"));
    }
    Ok(seen.join("; "))
}

/// Once the threads have used this much processor time, all of them are running.
const BURNING: Duration = Duration::from_millis(300);

/// Other load may slow down one round, but an unfair scheduler slows down every round.
fn slowed_down_each_time(server: &Server, computing: Duration) -> Outcome {
    let again = || slowed_down(server, computing);
    again().or_else(|_| again()).or_else(|_| again())
}

/// Returns whether the good AI is slower while the bad one computes.
fn slowed_down(server: &Server, computing: Duration) -> Outcome {
    let count = if Attempt::is_long() { 400 } else { 100 };
    let quiet = answer_times(server, count);
    let body = json!({"game": {}, "ai": "bad", "limit": {"movetime_ms": 50_000}}).to_string();
    let mut asking = server.connect();
    asking
        .stream
        .write_all(&post("/v1/best-move", "", body.as_bytes()))
        .unwrap();
    let before = server
        .descendants()
        .into_iter()
        .map(computed)
        .sum::<Duration>();
    let burning = poll(Duration::from_secs(20), || {
        let now = server
            .descendants()
            .into_iter()
            .map(computed)
            .sum::<Duration>();
        (now >= before + computing).then_some(())
    });
    let busy = answer_times(server, count);
    let mut health: Vec<_> = (0..count / 4).map(|_| server.health()).collect();
    health.sort();
    drop(asking);
    let (before, during, health) = (late(&quiet), late(&busy), late(&health));
    let seen = format!(
        "p95 of the good AI {before:.2?} before, {during:.2?} during the load; health {health:.2?}"
    );
    // A loaded machine needs this tolerance.
    let most = (before * 3).max(Duration::from_millis(10));
    if burning.is_none() || during > most || health > most.max(Duration::from_millis(20)) {
        return Err(seen);
    }
    Ok(seen)
}

fn answer_times(server: &Server, count: usize) -> Vec<Duration> {
    let mut connection = server.connect();
    let body = json!({"game": {}, "ai": "good", "limit": {"depth": 1}, "fresh": true}).to_string();
    let mut times: Vec<_> = (0..count)
        .map(|_| {
            let reply = connection
                .post("/v1/best-move", "", body.as_bytes())
                .unwrap();
            assert_eq!(reply.status, 200, "{}", reply.text());
            reply.time
        })
        .collect();
    times.sort();
    times
}

/// Returns the 95th percentile.
fn late(times: &[Duration]) -> Duration {
    times[times.len() * 95 / 100]
}
