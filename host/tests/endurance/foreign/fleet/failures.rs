//! Nodes, NATS servers and connections that fail under load.

use std::time::{Duration, Instant};

use actix_web::rt;
use rustix::process::Signal;
use serde_json::json;
use test_kit::Nats;

use super::{
    LOST_WITHIN, Load, PATIENCE, await_busy, await_nodes, best_move, duration, faulty, gateway, ms,
    start, start_nodes,
};
use crate::{
    alone,
    client::Connection,
    foreign::{node::Node, proxy::Proxy},
    percentile,
    server::Server,
    together,
};

const SEARCH_MS: u64 = 100;
/// The longest wait for an answer while nothing fails, with three times as many clients as slots on
/// a loaded machine.
const USUAL: Duration = Duration::from_millis(900);

#[test]
fn fleet_loses_no_answer_when_a_node_dies() {
    alone(async {
        let nats = Nats::start();
        let (mut nodes, server) = start(&nats, 4, &faulty("sleep", SEARCH_MS, 2)).await;
        let (load, clients) = Load::start(server.address, 12);
        let (began, mut kills) = (Instant::now(), 0);
        while began.elapsed() < duration() {
            let mut node = nodes.remove(0);
            node.kill();
            await_nodes(&server, 3).await;
            nodes.push(
                rt::task::spawn_blocking(move || {
                    node.restart();
                    node
                })
                .await
                .unwrap(),
            );
            await_nodes(&server, 4).await;
            // A request is retried only once, so the next node is killed only when no client waits
            // for the previous one.
            load.replies(80, &server).await;
            kills += 1;
        }
        let times = load.stop(clients, &server).await;
        let slowest = percentile(&times, 100);
        eprintln!(
            "fleet: {kills} killed nodes: {} answers, the slowest after {:.0} ms",
            times.len(),
            ms(slowest)
        );
        assert!(
            slowest <= LOST_WITHIN + USUAL,
            "{slowest:?}: {}",
            server.log_tail()
        );
    });
}

#[test]
fn fleet_survives_the_loss_of_each_nats_server() {
    alone(async {
        let mut cluster = Nats::start_cluster(3);
        let urls: Vec<_> = cluster.iter().map(Nats::url).collect();
        let _nodes = start_nodes(&urls.join(","), 3, &faulty("sleep", SEARCH_MS, 1));
        let server = Server::start(&gateway(&urls.join(","), ""), &[]);
        await_nodes(&server, 3).await;
        let (load, clients) = Load::start(server.address, 4);
        for nats in &mut cluster {
            load.slowest();
            nats.kill();
            load.replies(60, &server).await;
            let slowest = load.slowest();
            eprintln!(
                "fleet: one of three NATS servers killed: the slowest answer after {:.0} ms",
                ms(slowest)
            );
            assert!(
                slowest <= Duration::from_millis(1500),
                "{slowest:?}: {}",
                server.log_tail()
            );
            nats.restart();
            load.replies(15, &server).await;
        }
        load.stop(clients, &server).await;
    });
}

#[test]
fn fleet_reports_the_loss_of_nats_and_recovers_with_it() {
    alone(async {
        let mut cluster = Nats::start_cluster(3);
        let urls: Vec<_> = cluster.iter().map(Nats::url).collect();
        let _nodes = start_nodes(&urls.join(","), 2, &faulty("sleep", SEARCH_MS, 1));
        let server = Server::start(&gateway(&urls.join(","), ""), &[]);
        await_nodes(&server, 2).await;
        let before = rules_times(server.address, 300).await;
        // Both slots are busy when the servers are killed.
        let (load, clients) = Load::start(server.address, 4);
        await_busy(&server, 2).await;
        cluster.iter_mut().for_each(Nats::kill);
        let killed = Instant::now();
        load.is_over.set(true);
        let mut connection = Connection::open(server.address).await.unwrap();
        let mut slowest = Duration::ZERO;
        let mut during = Vec::new();
        while killed.elapsed() < Duration::from_secs(5) {
            let answer = best_move(&mut connection).await;
            assert_eq!(
                (answer.status, answer.code()),
                (503, "ai_unavailable"),
                "{answer:?}"
            );
            slowest = slowest.max(answer.time);
            during.extend(rules_times(server.address, 100).await);
        }
        cluster.iter_mut().for_each(Nats::restart);
        let restarted = Instant::now();
        while best_move(&mut connection).await.status != 200 {
            assert!(restarted.elapsed() < PATIENCE, "{}", server.log_tail());
        }
        let back = restarted.elapsed();
        for client in clients {
            client.await.unwrap();
        }
        let (before, during) = (percentile(&before, 99), percentile(&during, 99));
        eprintln!(
            "fleet: no NATS server: 503 after at most {:.0} ms; legal moves p99 {:.1} ms before, \
             {:.1} ms during; served {:.0} ms after the return",
            ms(slowest),
            ms(before),
            ms(during),
            ms(back)
        );
        assert!(
            slowest <= Duration::from_millis(1200),
            "{slowest:?}: {}",
            server.log_tail()
        );
        assert!(
            during <= before * 2 + Duration::from_millis(5),
            "{before:?}, {during:?}"
        );
        assert!(
            back <= Duration::from_secs(2),
            "{back:?}: {}",
            server.log_tail()
        );
    });
}

/// Returns how long each of some requests that need no AI took.
async fn rules_times(server: std::net::SocketAddr, count: usize) -> Vec<Duration> {
    let mut connection = Connection::open(server).await.unwrap();
    let mut times = Vec::new();
    for _ in 0..count {
        let answer = connection
            .post("/v1/legal-moves", "default", &json!({"game": {}}))
            .await
            .unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
        times.push(answer.time);
    }
    times
}

#[test]
fn fleet_notices_a_silent_node_and_ignores_its_late_results() {
    alone(async {
        let ai = faulty("sleep", SEARCH_MS, 2);
        let nats = Nats::start();
        let proxy = Proxy::start(nats.address);
        let mut nodes = start_nodes(&nats.url(), 2, &ai);
        nodes.push(Node::start(
            "n2",
            &format!("nats://{}", proxy.address),
            &ai,
            &["ai"],
        ));
        let server = Server::start(&gateway(&nats.url(), ""), &[]);
        await_nodes(&server, 3).await;
        let (load, clients) = Load::start(server.address, 6);
        load.replies(60, &server).await;

        load.slowest();
        nodes[0].signal(Signal::STOP);
        await_nodes(&server, 2).await;
        load.replies(20, &server).await;
        let stopped = load.slowest();
        nodes[0].signal(Signal::CONT);
        await_nodes(&server, 3).await;
        load.replies(60, &server).await;

        load.slowest();
        proxy.swallow(true);
        await_nodes(&server, 2).await;
        load.replies(20, &server).await;
        let cut = load.slowest();
        proxy.swallow(false);
        proxy.cut();
        await_nodes(&server, 3).await;
        load.replies(30, &server).await;
        load.stop(clients, &server).await;
        eprintln!(
            "fleet: a node is stopped, another cut off: the slowest answers after {:.0} and {:.0} \
             ms",
            ms(stopped),
            ms(cut)
        );
        for slowest in [stopped, cut] {
            assert!(
                slowest <= LOST_WITHIN + USUAL,
                "{slowest:?}: {}",
                server.log_tail()
            );
        }
    });
}

#[test]
fn fleet_answers_over_a_slow_connection() {
    together(async {
        let nats = Nats::start();
        let proxy = Proxy::start(nats.address);
        let url = format!("nats://{}", proxy.address);
        let _node = Node::start("n0", &url, &faulty("sleep", 10, 1), &["ai"]);
        let server = Server::start(&gateway(&nats.url(), ""), &[]);
        await_nodes(&server, 1).await;
        proxy.delay(Duration::from_millis(50));
        let (load, clients) = Load::start(server.address, 2);
        load.replies(10, &server).await;
        let times = load.stop(clients, &server).await;
        eprintln!(
            "fleet: 50 ms each way: {} answers, median {:.0} ms",
            times.len(),
            ms(percentile(&times, 50))
        );
    });
}
