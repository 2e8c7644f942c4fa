//! The fleet: nodes behind NATS, while processes and connections fail.

mod arena;
mod clients;
mod failures;
mod matches;
mod messages;
mod security;
mod speed;
mod upgrade;

use std::{
    cell::{Cell, RefCell},
    net::SocketAddr,
    rc::Rc,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use actix_web::rt;
use async_nats::{Client, Subscriber};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use test_kit::Nats;

use crate::{
    client::{Answer, Connection},
    foreign::node::Node,
    server::{Server, becomes_true},
    setting,
};

/// The time after which a silent process counts as lost, plus the time to notice the loss.
const LOST_WITHIN: Duration = Duration::from_millis(3500);
/// The longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(30);

/// Returns the duration of the tests that `FLEET_SECONDS` can extend.
fn duration() -> Duration {
    Duration::from_secs(setting("FLEET_SECONDS", 10))
}

fn is_long() -> bool {
    duration() >= Duration::from_mins(1)
}

/// Returns the configuration of an AI with this fault of `fault_injector` and this `time_ms`.
fn faulty(fault: &str, time_ms: u64, workers: usize) -> String {
    format!(
        "[plugins]\ndirectories = [\".\"]\n[ai.ai]\nlibrary = \"ai\"\nworkers = {workers}\n\
         options.fault = \"{fault}\"\noptions.time_ms = {time_ms}\n"
    )
}

/// Returns the configuration of a gateway with a new name and its own AIs.
fn gateway(nats: &str, ais: &str) -> String {
    static GATEWAYS: AtomicUsize = AtomicUsize::new(0);
    let name = GATEWAYS.fetch_add(1, Ordering::Relaxed);
    let names: Vec<_> = (0..16).map(|number| format!("\"n{number}\"")).collect();
    format!(
        "[server]\ncache = \"off\"\n[fleet]\nnats = \"{nats}\"\nname = \"web{name}\"\nnodes = \
         [{}]\n{ais}[client.default]\nai = \"ai\"\n",
        names.join(", ")
    )
}

fn start_nodes(nats: &str, count: usize, ais: &str) -> Vec<Node> {
    (0..count)
        .map(|number| Node::start(&format!("n{number}"), nats, ais, &["ai"]))
        .collect()
}

/// Starts nodes with this AI, and a gateway that has heard from them.
async fn start(nats: &Nats, count: usize, ais: &str) -> (Vec<Node>, Server) {
    let nodes = start_nodes(&nats.url(), count, ais);
    let server = Server::start(&gateway(&nats.url(), ""), &[]);
    await_nodes(&server, count).await;
    (nodes, server)
}

/// Returns one of the counts, such as `slots` or `busy`, of each node that offers the AI.
async fn slots(server: SocketAddr, count: &str) -> Vec<u64> {
    // A gateway may not know the AI yet.
    let answer = Connection::open(server)
        .await
        .unwrap()
        .get("/v1/ais/ai")
        .await;
    let nodes = answer.map_or(Value::Null, |answer| answer.body["nodes"].clone());
    nodes
        .as_array()
        .into_iter()
        .flatten()
        .map(|node| node[count].as_u64().unwrap())
        .collect()
}

async fn await_nodes(server: &Server, count: usize) {
    let has_nodes = async || slots(server.address, "slots").await.len() == count;
    assert!(
        becomes_true(PATIENCE, has_nodes).await,
        "expected {count} nodes: {}",
        server.log_tail()
    );
}

async fn await_busy(server: &Server, count: u64) {
    let is_busy = async || slots(server.address, "busy").await.iter().sum::<u64>() == count;
    assert!(
        becomes_true(PATIENCE, is_busy).await,
        "expected {count} busy slots: {}",
        server.log_tail()
    );
}

async fn fleet_metrics(server: SocketAddr) -> String {
    let get = move || test_kit::Connection::open(server).unwrap().get("/metrics");
    let reply = rt::task::spawn_blocking(get).await.unwrap().unwrap();
    String::from_utf8(reply.body).unwrap()
}

async fn best_move(connection: &mut Connection) -> Answer {
    connection
        .post("/v1/best-move", "default", &json!({"game": {}}))
        .await
        .unwrap()
}

/// Clients that send requests without a pause.
#[derive(Default)]
struct Load {
    is_over: Cell<bool>,
    replies: RefCell<Vec<Answer>>,
}

impl Load {
    fn start(server: SocketAddr, clients: usize) -> (Rc<Self>, Vec<rt::task::JoinHandle<()>>) {
        let load = Rc::new(Self::default());
        let ask = |_| {
            let load = Rc::clone(&load);
            rt::spawn(async move {
                let mut connection = Connection::open(server).await.unwrap();
                while !load.is_over.get() {
                    let answer = best_move(&mut connection).await;
                    load.replies.borrow_mut().push(answer);
                }
            })
        };
        let clients = (0..clients).map(ask).collect();
        (load, clients)
    }

    /// Waits until this many further replies have arrived.
    async fn replies(&self, count: usize, server: &Server) {
        let enough = self.replies.borrow().len() + count;
        let has_arrived = async || self.replies.borrow().len() >= enough;
        assert!(
            becomes_true(PATIENCE, has_arrived).await,
            "expected {count} replies: {}",
            server.log_tail()
        );
    }

    /// Stops the load. Returns the times of all replies, which must be moves.
    async fn stop(
        self: Rc<Self>,
        clients: Vec<rt::task::JoinHandle<()>>,
        server: &Server,
    ) -> Vec<Duration> {
        self.is_over.set(true);
        for client in clients {
            client.await.unwrap();
        }
        let replies = self.replies.borrow();
        let failed: Vec<_> = replies
            .iter()
            .filter(|answer| answer.status != 200)
            .collect();
        assert!(
            failed.is_empty(),
            "{} of {} failed, such as {:?}: {}",
            failed.len(),
            replies.len(),
            failed[0],
            server.log_tail()
        );
        replies.iter().map(|answer| answer.time).collect()
    }

    /// Returns the time of the slowest reply so far, and forgets all times.
    fn slowest(&self) -> Duration {
        let replies = self.replies.take();
        let failed = replies.iter().find(|answer| answer.status != 200);
        assert!(failed.is_none(), "{failed:?}");
        replies
            .iter()
            .map(|answer| answer.time)
            .max()
            .unwrap_or_default()
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Subscribes, and waits until the NATS server knows the subscription. A flush would only send it.
async fn subscribe(client: &Client, subject: &str) -> Subscriber {
    let subscriber = client.subscribe(subject.to_owned()).await.unwrap();
    let inbox = client.new_inbox();
    let mut echo = client.subscribe(inbox.clone()).await.unwrap();
    // The NATS server removes the inbox before it sends the message, so tests never count it.
    echo.unsubscribe_after(1).await.unwrap();
    client.publish(inbox, "".into()).await.unwrap();
    rt::time::timeout(PATIENCE, echo.next())
        .await
        .expect("an echo")
        .unwrap();
    subscriber
}

/// Returns how many of the orders that have arrived ask a node for a move.
async fn asks(orders: &mut Subscriber) -> usize {
    let mut asks = 0;
    while let Ok(Some(order)) = rt::time::timeout(Duration::from_millis(200), orders.next()).await {
        let order: Value = serde_json::from_slice(&order.payload).unwrap();
        asks += usize::from(order["order"].get("ask").is_some());
    }
    asks
}
