//! Chaos: AIs crash and hang, workers are killed, libraries change and clients disconnect, all at
//! once.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
    time::{Duration, Instant},
};

use actix_web::rt;
use config::api_key::KeyDigest;
use fastrand::Rng;
use library::SealedLibrary;
use rustix::process::Signal;
use serde_json::{Value, json};
use test_kit::processes::kill_if_running;

use crate::{
    alone,
    client::{Answer, Connection, key_of},
    percentile,
    server::{Server, becomes_true},
    setting,
};

const CLIENTS: u64 = 32;
const CLIENT_IDS: [&str; 4] = ["default", "ann", "bob", "cem"];
/// A good AI and two fault injectors, each by its id and the file name of its library.
const AIS: [&str; 3] = ["ai_basic1", "abort_every_10th", "hang_every_20th"];
const WORKERS: usize = 2;
/// The time allowed for recovery afterwards.
const REST: Duration = Duration::from_secs(20);

fn configuration() -> String {
    let ai = |(id, move_timeout_ms)| {
        let fault = if id == AIS[0] {
            String::new()
        } else {
            format!("options.fault = \"{id}\"\n")
        };
        format!(
            "[ai.{id}]\nlibrary = \"{id}\"\nworkers = {WORKERS}\nmove_timeout_ms = \
             {move_timeout_ms}\nlimit = {{ depth = 2 }}\n{fault}"
        )
    };
    let ais: String = AIS.into_iter().zip([10_000, 1000, 300]).map(ai).collect();
    // Clients without keys would count as one client, which the circuit breaker would block.
    let client = |id| {
        let key = key_of(id)
            .map(|key| format!("api_key_sha256 = \"{}\"\n", KeyDigest::of(key.as_bytes())));
        format!(
            "[client.{id}]\nai = \"ai_basic1\"\n{}",
            key.unwrap_or_default()
        )
    };
    let clients: String = CLIENT_IDS.into_iter().map(client).collect();
    format!("[plugins]\ndirectories = [\".\"]\nwatch = true\n{ais}{clients}")
}

/// The state that all tasks share.
struct Storm {
    server: Server,
    ends: Instant,
    tally: RefCell<Tally>,
    swaps: Cell<u64>,
    kills: Cell<u64>,
}

/// The outcomes of the requests by AI, and all violations.
#[derive(Default)]
struct Tally {
    outcomes: BTreeMap<(&'static str, String), Vec<Duration>>,
    left: u64,
    wrong: Vec<String>,
}

#[test]
fn chaos_answers_every_request_once_and_spares_the_good_ai() {
    alone(chaos());
}

async fn chaos() {
    let time = Duration::from_secs(setting("CHAOS_SECONDS", 8));
    let seed = setting("CHAOS_SEED", u64::from(std::process::id()));
    eprintln!("chaos of {} s, CHAOS_SEED={seed}", time.as_secs());
    let server = Server::start(&configuration(), &AIS);
    for ai in AIS {
        assert!(answers(&server, ai).await, "{}", server.log_tail());
    }
    let files_before = server.open_files();

    let ends = Instant::now() + time;
    let storm = Rc::new(Storm {
        server,
        ends,
        tally: RefCell::default(),
        swaps: Cell::default(),
        kills: Cell::default(),
    });
    let mut random = Rng::with_seed(seed);
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| rt::spawn(send_requests(Rc::clone(&storm), random.fork())))
        .collect();
    let swaps = rt::spawn(swap_libraries(Rc::clone(&storm), time / 12));
    let kills = rt::spawn(kill_workers(Rc::clone(&storm), random.fork(), time / 60));
    let memory = rt::spawn(watch(Rc::clone(&storm), time));
    for task in clients.into_iter().chain([swaps, kills]) {
        task.await.unwrap();
    }
    let (memory_early, memory_late) = memory.await.unwrap();

    let Ok(Storm {
        mut server,
        tally,
        swaps,
        kills,
        ..
    }) = Rc::try_unwrap(storm).map_err(drop)
    else {
        panic!("all tasks have ended")
    };
    let tally = tally.into_inner();
    tally.report();
    let at_rest = becomes_true(REST, async || {
        server.zombies().is_empty() && server.children().len() <= 3 * WORKERS
    })
    .await;
    let was_closed = becomes_true(REST, async || server.open_files() <= files_before).await;
    let files_after = server.open_files();
    eprintln!(
        "{} swaps, {} kills; files {files_before} before, {files_after} after; memory \
         {memory_early} MiB early, {memory_late} MiB late",
        swaps.get(),
        kills.get()
    );

    let log = server.log_tail();
    assert!(
        tally.wrong.is_empty(),
        "CHAOS_SEED={seed}: {}\n{log}",
        tally.wrong.join("\n")
    );
    assert!(
        swaps.get() >= 3 && kills.get() >= 3,
        "only {} swaps and {} kills",
        swaps.get(),
        kills.get()
    );
    assert!(
        at_rest,
        "CHAOS_SEED={seed}: processes {:?}, zombies {:?}\n{log}",
        server.children(),
        server.zombies()
    );
    assert!(
        was_closed,
        "CHAOS_SEED={seed}: {files_after} files are open, {files_before} before\n{log}"
    );
    assert!(
        memory_late < memory_early * 5 / 4 + 32,
        "{memory_early} MiB early, {memory_late} MiB late"
    );
    assert!(answers(&server, AIS[0]).await, "{log}");
    assert!(last_library_is_served(&server, AIS[0]).await, "{log}");
    assert!(server.stop().success(), "{log}");
}

/// Sends varying requests until the end.
async fn send_requests(storm: Rc<Storm>, mut random: Rng) {
    let mut connection = None;
    while Instant::now() < storm.ends {
        let mut open = match connection.take() {
            Some(open) => open,
            None => Connection::open(storm.server.address).await.unwrap(),
        };
        let ai = AIS[[0, 0, 1, 2][random.usize(..4)]];
        let moves = random_moves(&mut random);
        let client = CLIENT_IDS[random.usize(..CLIENT_IDS.len())];
        let game = json!({"game": {"moves": moves}, "ai": ai});
        let (path, body) = match random.usize(..20) {
            0 => {
                open.post_and_leave("/v1/best-move", client, &game).await;
                storm.tally.borrow_mut().left += 1;
                continue;
            }
            1 => (
                "/v1/best-move",
                json!({"game": {"moves": moves, "fenn": ""}}),
            ),
            2 => ("/v1/validate", json!({"game": {"moves": ["e2e5"]}})),
            3 => ("/v1/legal-moves", json!({"game": {"moves": moves}})),
            4 => (
                "/v1/evaluate",
                json!({"game": {"moves": moves}, "ai": "ai_basic1"}),
            ),
            _ => ("/v1/best-move", game),
        };
        let answer = open.post(path, client, &body).await;
        storm.tally.borrow_mut().add(path, ai, &moves, answer);
        connection = Some(open);
    }
}

impl Tally {
    fn add(
        &mut self,
        path: &str,
        ai: &'static str,
        moves: &[String],
        answer: Result<Answer, String>,
    ) {
        let answer = match answer {
            Ok(answer) => answer,
            Err(wrong) => return self.wrong.push(format!("{path} {ai}: {wrong}")),
        };
        let of = if path == "/v1/best-move" && answer.status != 400 {
            ai
        } else {
            "(none)"
        };
        let is_right = match (path, answer.status) {
            ("/v1/validate", status) => status == 422,
            ("/v1/legal-moves" | "/v1/evaluate", status) => status == 200,
            (_, 200) => is_move_after(&answer.body, moves),
            (_, 400) => true,
            _ => ai != AIS[0],
        };
        if !is_right {
            self.wrong
                .push(format!("{path} {ai} after {moves:?}: {answer:?}"));
        }
        let outcome = format!("{} {}", answer.status, answer.code());
        self.outcomes
            .entry((of, outcome))
            .or_default()
            .push(answer.time);
    }

    fn report(&self) {
        for ((ai, outcome), times) in &self.outcomes {
            let (median, late) = (percentile(times, 50), percentile(times, 99));
            let (count, most) = (times.len(), percentile(times, 100));
            eprintln!(
                "{ai:18} {outcome:24} {count:7}  median {median:.1?}, p99 {late:.1?}, at most \
                 {most:.1?}"
            );
        }
        eprintln!("{} clients left before their reply", self.left);
    }
}

/// Returns the moves of an unfinished game.
fn random_moves(random: &mut Rng) -> Vec<String> {
    let mut game = rules::Game::new(rules::start_position());
    for _ in 0..random.usize(..6) {
        let moves = rules::legal_moves(game.position());
        game.play(moves[random.usize(..moves.len())]).unwrap();
        if game.status().outcome.is_some() {
            return Vec::new();
        }
    }
    game.uci_moves()
}

/// Returns whether a reply contains the game of these moves plus one legal move.
fn is_move_after(body: &Value, moves: &[String]) -> bool {
    let played: Option<Vec<&str>> = body["game"]["moves"]
        .as_array()
        .and_then(|moves| moves.iter().map(Value::as_str).collect());
    played.is_some_and(|played| {
        played.len() == moves.len() + 1
            && played
                .iter()
                .zip(moves)
                .all(|(played, expected)| played == expected)
            && body["move"]["uci"] == played[moves.len()]
            && rules::Game::from_moves(None, &played).is_ok()
    })
}

/// Replaces the libraries in turn, and triggers a reload in every possible way.
async fn swap_libraries(storm: Rc<Storm>, pause: Duration) {
    for number in 0.. {
        rt::time::sleep(pause).await;
        if Instant::now() >= storm.ends {
            break;
        }
        let server = &storm.server;
        server.replace_library(AIS[number as usize % 3], number);
        match number % 3 {
            0 => {
                if let Err(reported) = server.reload().await {
                    storm
                        .tally
                        .borrow_mut()
                        .wrong
                        .push(format!("rookery reload: {reported}"));
                }
            }
            1 => server.signal(Signal::HUP),
            // `watch` detects the change.
            _ => {}
        }
        storm.swaps.set(storm.swaps.get() + 1);
    }
}

/// Kills random workers.
async fn kill_workers(storm: Rc<Storm>, mut random: Rng, pause: Duration) {
    loop {
        rt::time::sleep(pause * (50 + random.usize(..100) as u32) / 100).await;
        if Instant::now() >= storm.ends {
            break;
        }
        let workers = storm.server.children();
        if !workers.is_empty() {
            let killed = kill_if_running(workers[random.usize(..workers.len())], Signal::KILL);
            storm.kills.set(storm.kills.get() + u64::from(killed));
        }
    }
}

/// Prints the progress. Returns the memory of the server after a third of the time, and at the end.
async fn watch(storm: Rc<Storm>, time: Duration) -> (u64, u64) {
    let started = Instant::now();
    let mut early = None;
    while Instant::now() < storm.ends {
        rt::time::sleep(time / 30).await;
        let megabytes = storm.server.resident_mb();
        if early.is_none() && started.elapsed() >= time / 3 {
            early = Some(megabytes);
        }
        let requests: usize = storm.tally.borrow().outcomes.values().map(Vec::len).sum();
        eprint!(
            "\r{requests} requests, {} swaps, {} kills, {megabytes} MiB ",
            storm.swaps.get(),
            storm.kills.get()
        );
    }
    eprintln!();
    let late = storm.server.resident_mb();
    (early.unwrap_or(late), late)
}

/// Returns whether the server eventually serves the last library of an AI.
async fn last_library_is_served(server: &Server, ai: &str) -> bool {
    let expected = SealedLibrary::read(&server.library(ai))
        .unwrap()
        .sha256()
        .to_string();
    let mut connection = Connection::open(server.address).await.unwrap();
    becomes_true(REST, async || {
        let answer = connection.get(&format!("/v1/ais/{ai}")).await.unwrap();
        answer.body["library"]["sha256"] == *expected
    })
    .await
}

/// Returns whether an AI answers.
async fn answers(server: &Server, ai: &str) -> bool {
    let mut connection = Connection::open(server.address).await.unwrap();
    let answer = connection
        .post("/v1/best-move", "default", &json!({"game": {}, "ai": ai}))
        .await
        .unwrap();
    eprintln!("{ai}: {} {}", answer.status, answer.code());
    answer.status == 200
}
