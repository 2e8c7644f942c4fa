//! Clients and gateways that leave, and gateways that share nodes.

use std::time::{Duration, Instant};

use actix_web::rt;
use futures_util::StreamExt as _;
use rustix::process::Signal;
use serde_json::{Value, json};
use test_kit::Nats;

use super::{
    LOST_WITHIN, Load, PATIENCE, await_busy, await_nodes, best_move, faulty, gateway, ms, start,
    subscribe,
};
use crate::{
    alone,
    client::Connection,
    percentile,
    server::{Server, becomes_true},
    setting, together,
};

/// How long a slot is idle between two requests.
const TURNAROUND: Duration = Duration::from_millis(30);

/// Asks for the shortest search from an AI that searches until it is stopped. Returns how long the
/// answer took.
async fn shortest_search(server: &Server) -> Duration {
    let mut connection = Connection::open(server.address).await.unwrap();
    let body = json!({"game": {}, "limit": {"movetime_ms": 1}});
    let answer = connection
        .post("/v1/best-move", "default", &body)
        .await
        .unwrap();
    assert_eq!(answer.status, 200, "{answer:?}: {}", server.log_tail());
    answer.time
}

/// Asks for a long search, and waits until it is running.
async fn begin_search(server: &Server) -> rt::task::JoinHandle<()> {
    let address = server.address;
    let search = rt::spawn(async move {
        let mut connection = Connection::open(address).await.unwrap();
        let _ = connection
            .post("/v1/best-move", "default", &json!({"game": {}}))
            .await;
    });
    await_busy(server, 1).await;
    search
}

#[test]
fn fleet_frees_the_slot_of_a_client_or_gateway_that_leaves() {
    alone(async {
        let nats = Nats::start();
        let (_nodes, first) = start(&nats, 1, &faulty("wait_for_stop", 1, 1)).await;
        let second = Server::start(&gateway(&nats.url(), ""), &[]);
        await_nodes(&second, 1).await;
        let mut left = Duration::MAX;
        for _ in 0..5 {
            let search = begin_search(&first).await;
            search.abort();
            left = left.min(shortest_search(&first).await);
        }
        let _search = begin_search(&first).await;
        first.signal(Signal::KILL);
        let killed = shortest_search(&second).await;
        eprintln!(
            "fleet: slot free {:.0} ms after its client, {:.0} ms after its gateway",
            ms(left),
            ms(killed)
        );
        assert!(left <= Duration::from_millis(150), "{left:?}");
        assert!(killed <= LOST_WITHIN, "{killed:?}");
    });
}

#[test]
fn fleet_divides_a_node_between_gateways() {
    alone(async {
        let search = Duration::from_millis(100);
        let nats = Nats::start();
        let (_nodes, crowded) = start(&nats, 1, &faulty("sleep", 100, 2)).await;
        let quiet = Server::start(&gateway(&nats.url(), ""), &[]);
        await_nodes(&quiet, 1).await;
        let (load, clients) = Load::start(crowded.address, 60);
        load.replies(10, &crowded).await;
        let mut connection = Connection::open(quiet.address).await.unwrap();
        let mut waits = Vec::new();
        for _ in 0..20 {
            let answer = best_move(&mut connection).await;
            assert_eq!(answer.status, 200, "{answer:?}");
            waits.push(answer.time.saturating_sub(search));
        }
        load.stop(clients, &crowded).await;
        let (median, longest) = (percentile(&waits, 50), percentile(&waits, 100));
        eprintln!(
            "fleet: next to sixty requests from another gateway, one waits {:.0} ms, \
             at most {:.0} ms",
            ms(median),
            ms(longest)
        );
        assert!(longest <= 2 * (search + TURNAROUND), "{waits:?}");
    });
}

#[test]
fn fleet_cleans_up_after_cancelled_requests() {
    together(async {
        let count = setting("FLEET_CANCELLATIONS", 500);
        let nats = Nats::start();
        let (nodes, server) = start(&nats, 2, &faulty("sleep", 2000, 4)).await;
        let client = async_nats::connect(nats.url()).await.unwrap();
        let mut announcements = subscribe(&client, "rookery.v1.node.n0.announcement").await;
        let address = server.address;
        let leave = |first, count| {
            rt::spawn(async move {
                for number in (first..count).step_by(8) {
                    let mut connection = Connection::open(address).await.unwrap();
                    let body = json!({"game": {}});
                    let asked = connection.post("/v1/best-move", "default", &body);
                    let stay = Duration::from_millis(number * 7 % 40);
                    assert!(
                        rt::time::timeout(stay, asked).await.is_err(),
                        "answered within {stay:?}"
                    );
                }
            })
        };
        // The first request creates the subscription for replies.
        leave(0, 1).await.unwrap();
        let (subscriptions, workers) = (nats.number("subscriptions"), nodes[0].workers().len());
        let leaving: Vec<_> = (0..8).map(|first| leave(first, count)).collect();
        for client in leaving {
            client.await.unwrap();
        }
        let (began, mut announced) = (Instant::now(), Value::Null);
        while announced["jobs"] != json!([]) || announced["ais"][0]["free"] != 4 {
            assert!(began.elapsed() < PATIENCE, "{announced}");
            let announcement = announcements.next().await.unwrap();
            announced = serde_json::from_slice(&announcement.payload).unwrap();
        }
        eprintln!(
            "fleet: {count} cancelled requests: nothing left after {:.0} ms",
            ms(began.elapsed())
        );
        await_busy(&server, 0).await;
        assert_eq!(nats.number("subscriptions"), subscriptions);
        // A worker that stops too late is replaced.
        let has_all = becomes_true(PATIENCE, async || nodes[0].workers().len() == workers).await;
        assert!(has_all, "{}", nodes[0].folder.log());
        let answer = best_move(&mut Connection::open(server.address).await.unwrap()).await;
        assert_eq!(answer.status, 200, "{answer:?}");
    });
}
