//! Nodes and servers that change under load.

use std::{
    cell::Cell, collections::BTreeMap, fs, net::SocketAddr, path::Path, rc::Rc, time::Duration,
};

use actix_web::rt;
use rustix::process::Signal;
use serde_json::{Value, json};
use test_kit::Nats;

use super::{Load, PATIENCE, await_nodes, best_move, faulty, fleet_metrics, ms, start};
use crate::{
    GAMES, alone,
    client::Connection,
    percentile,
    server::{Server, becomes_true},
    setting, together,
};

/// An AI whose answers depend on its depth.
const AI: &str = "[plugins]\ndirectories = [\".\"]\n[ai.ai]\nlibrary = \"ai_basic1\"\nworkers = \
    2\nlimit = { depth = 2 }\n";

/// Sends requests until `count` are answered and `is_over`, and counts the replies. Returns each
/// answer with a number, which is the same for equal requests.
async fn answers<T>(
    server: &Server,
    count: u64,
    is_over: &rt::task::JoinHandle<T>,
    replies: &Cell<u64>,
) -> Vec<(usize, Value)> {
    let ask = |client: u64| {
        let address = server.address;
        async move {
            let mut connection = Connection::open(address).await.unwrap();
            let mut answers = Vec::new();
            let mut number = client as usize;
            while (answers.len() as u64) < count / 8 || !is_over.is_finished() {
                let game = number % GAMES.len();
                let body = json!({
                    "game": {"moves": GAMES[game]},
                    "limit": {"depth": 1 + number / GAMES.len() % 3},
                });
                let answer = connection
                    .post("/v1/best-move", "default", &body)
                    .await
                    .unwrap();
                assert_eq!(answer.status, 200, "{answer:?}: {}", server.log_tail());
                replies.set(replies.get() + 1);
                let search = &answer.body["search"];
                let found = json!([
                    answer.body["move"]["uci"],
                    search["score"],
                    search["nodes"],
                    search["depth"]
                ]);
                answers.push((number % (3 * GAMES.len()), found));
                number += 1;
            }
            answers
        }
    };
    futures_util::future::join_all((0..8).map(ask))
        .await
        .concat()
}

/// Waits until this many further replies are counted.
async fn await_more(replies: &Cell<u64>, count: u64) {
    let enough = replies.get() + count;
    assert!(
        becomes_true(PATIENCE, async || replies.get() >= enough).await,
        "{} replies",
        replies.get()
    );
}

#[test]
fn fleet_is_upgraded_node_by_node_without_an_error() {
    together(async {
        let count = setting("FLEET_ANSWERS", 400);
        let local = Server::start(
            &format!("{AI}[client.default]\nai = \"ai\"\n"),
            &["ai_basic1"],
        );
        let expected = answers(
            &local,
            3 * 8 * GAMES.len() as u64,
            &rt::spawn(async {}),
            &Cell::default(),
        )
        .await;
        drop(local);
        let expected: BTreeMap<_, _> = expected.into_iter().collect();

        for nodes in [2, 3] {
            check_upgrade(nodes, count, &expected).await;
        }
    });
}

async fn check_upgrade(nodes: usize, count: u64, expected: &BTreeMap<usize, Value>) {
    let nats = Nats::start();
    let started: Vec<_> = (0..nodes)
        .map(|number| {
            crate::foreign::node::Node::start(
                &format!("n{number}"),
                &nats.url(),
                AI,
                &["ai_basic1"],
            )
        })
        .collect();
    let server = Server::start(&super::gateway(&nats.url(), ""), &[]);
    await_nodes(&server, nodes).await;
    let before = sha256(&server).await;
    let replies = Rc::new(Cell::new(0));
    let (answered, address) = (Rc::clone(&replies), server.address);
    let upgrade = rt::spawn(async move {
        let mut upgraded = Vec::new();
        for mut node in started {
            await_more(&answered, 20).await;
            node.folder.replace_library("ai_basic1", "ai_basic1", 1);
            let stopping = rt::task::spawn_blocking(move || {
                node.stop();
                node
            });
            let mut node = stopping.await.unwrap();
            await_ready(address, nodes - 1).await;
            let starting = rt::task::spawn_blocking(move || {
                node.restart();
                node
            });
            upgraded.push(starting.await.unwrap());
            // The next node leaves once the server has heard from this one.
            await_ready(address, nodes).await;
        }
        await_more(&answered, 60).await;
        upgraded
    });
    let found = answers(&server, count, &upgrade, &replies).await;
    for (question, found) in &found {
        assert_eq!(*found, expected[question], "question {question}");
    }
    eprintln!(
        "fleet: {nodes} nodes upgraded one by one: {} answers, all as on one machine",
        found.len()
    );
    assert_ne!(sha256(&server).await, before);
    assert!(found.len() as u64 >= count);
    // Stops the upgraded nodes, which have been running until now.
    drop(upgrade.await.unwrap());
}

/// Writes an engine that gives mate in the smoke tests and otherwise plays this move.
fn write_engine(file: &Path, chosen: &str) {
    let text = format!(
        r#"while read -r word rest; do
    case "$word" in
        uci) printf 'id name Shell\nuciok\n' ;;
        isready) echo readyok ;;
        position) position=$rest ;;
        go) case "$position" in
                *4R2K*) echo 'bestmove e1e8' ;;
                *5KQ1*) echo 'bestmove g6g7' ;;
                *) echo 'bestmove {chosen}' ;;
            esac ;;
        quit) exit ;;
    esac
done
"#
    );
    fs::write(file, text).unwrap();
}

#[test]
fn nodes_with_different_engine_scripts_do_not_serve_together() {
    together(async {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("engine.sh");
        write_engine(&script, "e2e4");
        let engine = format!(
            "[plugins]\ndirectories = [\".\"]\n[ai.ai]\nlibrary = \"ai_uci\"\nallow_exec = \
             [\"/bin/sh\"]\nallow_read = [{script:?}]\noptions.command = '/bin/sh {}'\n",
            script.display()
        );
        let nats = Nats::start();
        let mut nodes: Vec<_> = ["n0", "n1"]
            .into_iter()
            .map(|name| crate::foreign::node::Node::start(name, &nats.url(), &engine, &["ai_uci"]))
            .collect();
        let server = Server::start(&super::gateway(&nats.url(), ""), &[]);
        await_nodes(&server, 2).await;
        let mut connection = Connection::open(server.address).await.unwrap();
        assert_eq!(best_move(&mut connection).await.body["move"]["uci"], "e2e4");
        // The file keeps its length.
        write_engine(&script, "d2d4");
        for (node, together) in nodes.iter_mut().zip([1, 2]) {
            node.stop();
            node.restart();
            await_nodes(&server, together).await;
        }
        assert_eq!(best_move(&mut connection).await.body["move"]["uci"], "d2d4");
    });
}

/// Waits until the server has this number of ready nodes.
async fn await_ready(server: SocketAddr, count: usize) {
    let line = format!("rookery_fleet_nodes{{state=\"ready\"}} {count}");
    let is_ready = async || {
        fleet_metrics(server)
            .await
            .lines()
            .any(|found| found == line)
    };
    assert!(
        becomes_true(PATIENCE, is_ready).await,
        "expected {count} ready nodes"
    );
}

async fn sha256(server: &Server) -> Value {
    let answer = Connection::open(server.address)
        .await
        .unwrap()
        .get("/v1/ais/ai")
        .await
        .unwrap();
    answer.body["library"]["sha256"].clone()
}

#[test]
fn fleet_keeps_working_while_its_server_reloads() {
    alone(async {
        let nats = Nats::start();
        let (_nodes, server) = start(&nats, 2, &faulty("sleep", 50, 1)).await;
        let (load, clients) = Load::start(server.address, 4);
        for _ in 0..5 {
            load.replies(20, &server).await;
            server.signal(Signal::HUP);
        }
        load.replies(60, &server).await;
        let slowest = percentile(&load.stop(clients, &server).await, 100);
        eprintln!(
            "fleet: five reloads of the server: the slowest answer after {:.0} ms",
            ms(slowest)
        );
        assert!(slowest <= Duration::from_millis(500), "{slowest:?}");
        // Nodes without jobs announce nothing for a second.
        let mut connection = Connection::open(server.address).await.unwrap();
        for _ in 0..5 {
            server.reload().await.unwrap();
            let answer = best_move(&mut connection).await;
            assert!(
                answer.status == 200 && answer.time <= Duration::from_millis(500),
                "{answer:?}"
            );
        }
    });
}
