//! Load above the server's capacity.

use std::time::{Duration, Instant};

use actix_web::rt;
use rustix::process::Signal;
use serde_json::json;
use test_kit::processes::kill;

use crate::{
    GAMES, alone,
    client::{Answer, Connection},
    percentile,
    server::{Server, becomes_true},
    setting,
};

/// How long one search takes. The worker sleeps meanwhile, so any machine runs 200 searches a
/// second.
const SEARCH_MS: u64 = 10;
const WORKERS: u64 = 2;
/// The move timeout. A request waits at most twice as long.
const MOVE_TIMEOUT: Duration = Duration::from_secs(2);
/// The tolerance for a loaded machine.
const SLACK: Duration = Duration::from_secs(2);

/// All connections come from one address.
const ONE_ADDRESS: &str = "max_connections_per_address = 100000";

fn configuration(server: &str) -> String {
    format!(
        "[server]\n{server}\n[plugins]\ndirectories = [\".\"]\n[ai.ai]\nlibrary = \"ai\"\nworkers \
         = {WORKERS}\nmove_timeout_ms = {}\noptions = {{ fault = \"sleep\", time_ms = {SEARCH_MS} \
         }}\n[client.default]\nai = \"ai\"\n",
        MOVE_TIMEOUT.as_millis()
    )
}

/// The outcomes of the requests.
#[derive(Default)]
struct Tally {
    answered: Vec<Duration>,
    rejected: Vec<Duration>,
}

#[test]
fn load_serves_half_and_rejects_half_of_twice_the_capacity() {
    alone(twice_the_load());
}

async fn twice_the_load() {
    let connections = setting("LOAD_CONNECTIONS", 1000);
    let seconds = setting("LOAD_SECONDS", 5);
    raise_own_file_limit(connections);
    let mut server = Server::start(&configuration(ONE_ADDRESS), &["ai"]);
    let mut first = Connection::open(server.address).await.unwrap();
    assert_eq!(ask(&mut first, 0).await.unwrap().status, 200);
    let before = (server.resident_mb(), server.open_files());

    let mut open = Vec::new();
    for number in 0..connections {
        let connection = Connection::open(server.address).await;
        open.push(connection.unwrap_or_else(|error| panic!("connection {number}: {error}")));
    }
    // Each connection is served while all others are open.
    for connection in &mut open {
        assert_eq!(connection.get("/healthz").await.unwrap().status, 200);
    }
    let connected_mb = server.resident_mb();
    eprintln!(
        "{connections} connections: {} MiB, before them {} MiB",
        connected_mb, before.0
    );
    assert!(server.open_files() as u64 >= connections);

    let offered_per_second = 2 * WORKERS * 1000 / SEARCH_MS;
    let (tally, mut open) = offer(open, offered_per_second, seconds).await;
    let loaded_mb = server.resident_mb();
    report(&tally, offered_per_second, seconds, loaded_mb);
    // Sends the first request after the load, when the queue is short again.
    let recovery = recover(&mut open[0]).await;
    eprintln!(
        "the next request was answered {} ms after the load",
        recovery.as_millis()
    );

    let (answered, rejected) = (tally.answered.len(), tally.rejected.len());
    assert_eq!((answered + rejected) as u64, offered_per_second * seconds);
    assert!(
        answered > 0 && rejected > 0,
        "{answered} answered, {rejected} rejected"
    );
    let slowest = tally.answered.iter().max().unwrap();
    assert!(
        *slowest < 2 * MOVE_TIMEOUT + SLACK,
        "an answer took {slowest:?}"
    );
    assert!(
        loaded_mb < before.0 + 100,
        "{loaded_mb} MiB after {} MiB",
        before.0
    );
    assert!(recovery < Duration::from_secs(1) + SLACK, "{recovery:?}");

    drop(open);
    let closed = becomes_true(Duration::from_secs(10), async || {
        server.open_files() <= before.1
    })
    .await;
    assert!(
        closed,
        "{} files are open, {} before: {}",
        server.open_files(),
        before.1,
        server.log_tail()
    );
    drop(first);
    assert!(server.stop().success(), "{}", server.log_tail());
}

#[test]
fn load_keeps_connections_waiting_without_file_descriptors() {
    alone(too_many_connections());
}

async fn too_many_connections() {
    const FILES: u64 = 200;
    const CONNECTIONS: u64 = 400;
    raise_own_file_limit(CONNECTIONS);
    let server = Server::start_with_files(FILES, &configuration(ONE_ADDRESS), &["ai"]);
    let mut open = Vec::new();
    for _ in 0..CONNECTIONS {
        open.push(Connection::open(server.address).await.unwrap());
    }
    // A new worker needs file descriptors.
    for worker in server.children() {
        kill(worker, Signal::KILL);
    }
    recover(&mut open[0]).await;
    assert!(
        (server.open_files() as u64) < FILES,
        "{} files are open",
        server.open_files()
    );
    let log = server.log_tail();
    assert!(!log.contains("oo many open files"), "{log}");
    // The waiting connections are served now.
    let mut last = open.pop().unwrap();
    open.clear();
    assert_eq!(
        ask(&mut last, 0).await.unwrap().status,
        200,
        "{}",
        server.log_tail()
    );
}

/// Sends requests at a steady rate, each on the next connection, without waiting for replies.
async fn offer(open: Vec<Connection>, per_second: u64, seconds: u64) -> (Tally, Vec<Connection>) {
    let started = Instant::now();
    let total = per_second * seconds;
    let connections = open.len() as u64;
    let asking = open.into_iter().zip(0..).map(|(mut connection, first)| {
        rt::spawn(async move {
            let mut answers = Vec::new();
            for number in (first..total).step_by(connections as usize) {
                let at = started + Duration::from_micros(number * 1_000_000 / per_second);
                rt::time::sleep_until(at.into()).await;
                answers.push(ask(&mut connection, number as usize).await.unwrap());
            }
            (answers, connection)
        })
    });
    let asking: Vec<_> = asking.collect();
    let mut tally = Tally::default();
    let mut open = Vec::new();
    for task in asking {
        let (answers, connection) = task.await.unwrap();
        for answer in &answers {
            tally.add(answer);
        }
        open.push(connection);
    }
    (tally, open)
}

impl Tally {
    fn add(&mut self, answer: &Answer) {
        match (answer.status, answer.code()) {
            (200, _) => self.answered.push(answer.time),
            (503, "queue_full") => self.rejected.push(answer.time),
            _ => panic!("neither an answer nor a full queue: {answer:?}"),
        }
    }
}

async fn ask(connection: &mut Connection, number: usize) -> Result<Answer, String> {
    let game = json!({"game": {"moves": GAMES[number % GAMES.len()]}, "fresh": true});
    connection.post("/v1/best-move", "default", &game).await
}

/// Retries until a reply arrives. Returns the elapsed time.
async fn recover(connection: &mut Connection) -> Duration {
    let started = Instant::now();
    loop {
        let answer = ask(connection, 0).await.unwrap();
        if answer.status == 200 {
            return started.elapsed();
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{answer:?}");
    }
}

fn report(tally: &Tally, per_second: u64, seconds: u64, resident_mb: u64) {
    eprintln!(
        "offered {per_second} requests a second for {seconds} s; the server has {resident_mb} MiB"
    );
    for (name, times) in [("answered", &tally.answered), ("rejected", &tally.rejected)] {
        eprintln!(
            "{name:>9}: {:6}  median {} ms, p99 {} ms",
            times.len(),
            percentile(times, 50).as_millis(),
            percentile(times, 99).as_millis()
        );
    }
}

/// Raises this process's limit on open files. It needs a file descriptor for each connection too.
fn raise_own_file_limit(connections: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            ..limit
        },
    )
    .unwrap();
    assert!(
        limit.maximum.is_none_or(|most| most > connections + 100),
        "too few files may be open: {limit:?}"
    );
}
