//! Replicas behind a balancer under load, while servers are upgraded, drained and killed.

use std::{
    cell::Cell,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpStream},
    rc::Rc,
    time::{Duration, Instant},
};

use actix_web::rt;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    client::{Answer, Connection},
    foreign::balancer::Balancer,
    server::{Server, becomes_true},
    together,
};

const CLIENTS: u64 = 12;
/// The largest body that HAProxy resends with our configuration.
const BODY_BYTES: usize = 128 << 10;
const WORKERS: usize = 2;

fn configuration(client: &str) -> String {
    format!(
        "[server]\ntrusted_proxies = [\"127.0.0.1\"]\n[plugins]\ndirectories = [\".\"]\nwatch = \
         true\n[ai.basic1]\nlibrary = \"ai_basic1\"\nworkers = {WORKERS}\nlimit = {{ movetime_ms = \
         20 }}\n[client.default]\nai = \"basic1\"\n{client}"
    )
}

fn start(count: usize, client: &str) -> (Vec<Server>, Balancer) {
    let servers: Vec<_> = (0..count)
        .map(|_| Server::start(&configuration(client), &["ai_basic1"]))
        .collect();
    let addresses: Vec<_> = servers.iter().map(|server| server.address).collect();
    let balancer = Balancer::start(&addresses);
    (servers, balancer)
}

async fn best_move(connection: &mut Connection) -> Answer {
    let body = json!({"game": {"moves": ["e2e4"]}, "limit": {"movetime_ms": 20}}).to_string();
    let padding = " ".repeat(BODY_BYTES - body.len());
    connection
        .post_text("/v1/best-move", "default", &(padding + &body))
        .await
        .unwrap()
}

/// The replies of all clients.
#[derive(Default)]
struct Tally {
    replies: Cell<u64>,
    slowest: Cell<Duration>,
}

/// Sends requests until `is_over`. Every reply must be a complete move.
async fn ask(balancer: SocketAddr, is_over: Rc<Cell<bool>>, tally: Rc<Tally>) {
    let mut connection = Connection::open(balancer).await.unwrap();
    while !is_over.get() {
        let answer = best_move(&mut connection).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        tally.replies.set(tally.replies.get() + 1);
        tally.slowest.set(tally.slowest.get().max(answer.time));
    }
}

async fn fingerprint(server: SocketAddr) -> String {
    let ais = Connection::open(server)
        .await
        .unwrap()
        .get("/v1/ais")
        .await
        .unwrap()
        .body;
    ais[0]["library"]["sha256"]
        .as_str()
        .unwrap_or_else(|| panic!("no hash in {ais}"))
        .to_owned()
}

/// Waits for this many further replies, so that each change happens under load.
async fn await_replies(tally: &Tally, count: u64) {
    let enough = tally.replies.get() + count;
    let arrived = becomes_true(Duration::from_secs(30), async || {
        tally.replies.get() >= enough
    })
    .await;
    assert!(
        arrived,
        "{} replies, expected {enough}",
        tally.replies.get()
    );
}

#[test]
fn replicas_are_upgraded_drained_and_killed_without_a_lost_reply() {
    together(async {
        let (mut servers, balancer) = start(3, "");
        let (is_over, tally) = (Rc::new(Cell::new(false)), Rc::new(Tally::default()));
        let ask = |_| {
            rt::spawn(ask(
                balancer.address,
                Rc::clone(&is_over),
                Rc::clone(&tally),
            ))
        };
        let clients: Vec<_> = (0..CLIENTS).map(ask).collect();
        await_replies(&tally, 100).await;

        let before = fingerprint(servers[0].address).await;
        servers[0].replace_library("ai_basic1", 1);
        let is_upgraded = async || fingerprint(servers[0].address).await != before;
        let is_upgraded = becomes_true(Duration::from_secs(20), is_upgraded).await;
        assert!(is_upgraded, "{}", servers[0].log_tail());
        await_replies(&tally, 100).await;

        // The server continues for `drain_delay_ms`, so that the balancer notices the drain in
        // time.
        let mut drained = servers.remove(1);
        assert!(
            rt::task::spawn_blocking(move || drained.stop())
                .await
                .unwrap()
                .success()
        );
        await_replies(&tally, 100).await;

        servers[1].signal(Signal::KILL);
        await_replies(&tally, 100).await;
        is_over.set(true);
        for client in clients {
            client.await.unwrap();
        }
        eprintln!(
            "{} replies, the slowest after {:?}",
            tally.replies.get(),
            tally.slowest.get()
        );
    });
}

/// Opens a stream for a long search. Returns a reader of its records.
fn open_stream(balancer: SocketAddr) -> impl Iterator<Item = (Duration, Value)> {
    let body = json!({"game": {}, "limit": {"movetime_ms": 1500}}).to_string();
    let mut socket = TcpStream::connect(balancer).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    write!(
        socket,
        "POST /v1/best-move HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let started = Instant::now();
    // Chunks end with their records, so each line is a record or part of a head or chunk.
    let lines = BufReader::new(socket).lines().map_while(Result::ok);
    lines.filter_map(move |line| {
        Some((
            started.elapsed(),
            serde_json::from_str(&line).ok().filter(Value::is_object)?,
        ))
    })
}

#[test]
fn replicas_stream_at_once_and_a_stream_breaks_with_its_server() {
    together(async {
        let (servers, balancer) = start(1, "");
        let records: Vec<_> = open_stream(balancer.address).collect();
        let (first, last) = (records.first().unwrap(), records.last().unwrap());
        assert_eq!(
            (&first.1["type"], &last.1["type"]),
            (&json!("start"), &json!("result"))
        );
        assert!(
            first.0 + Duration::from_secs(1) < last.0,
            "the first came with the last: {records:?}"
        );

        let mut broken = open_stream(balancer.address);
        assert_eq!(broken.next().unwrap().1["type"], "start");
        servers[0].signal(Signal::KILL);
        let records: Vec<_> = broken.map(|(_, record)| record["type"].clone()).collect();
        assert!(
            records.iter().all(|of| of == "info"),
            "a result or a second start: {records:?}"
        );
    });
}

#[test]
fn replicas_count_clients_by_their_own_address() {
    together(async {
        let (_servers, balancer) = start(1, "rate = \"3/h\"\n");
        let mut statuses = Vec::new();
        for from in [2, 2, 2, 2, 3] {
            let from = [127, 0, 0, from].into();
            let mut connection = Connection::open_from(from, balancer.address).await.unwrap();
            statuses.push(best_move(&mut connection).await.status);
        }
        assert_eq!(statuses, [200, 200, 200, 429, 200]);
    });
}

#[test]
fn replicas_that_are_gone_cause_the_usual_error() {
    together(async {
        let (servers, balancer) = start(1, "");
        servers[0].signal(Signal::KILL);
        let answer = best_move(&mut Connection::open(balancer.address).await.unwrap()).await;
        assert_eq!((answer.status, answer.code()), (503, "server_busy"));
    });
}
