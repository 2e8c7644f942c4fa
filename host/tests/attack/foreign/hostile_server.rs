//! A server that stops other servers' jobs, listens to their games, floods nodes and replays
//! orders.

use std::{thread, time::Duration};

use serde_json::{Value, json};

use super::fleet::{Fleet, answers, fingerprint, garbage, id, is_calm};
use crate::runner::{Attack, Attempt, Outcome};

const ORDERS: &str = "rookery.v1.orders.n0.evil";
const PRESENCE: &str = "rookery.v1.gateway.evil";
const REPLIES: &str = "rookery.v1.node.n0.to.evil";
const SEARCH_MS: u64 = 1500;
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "only the server that asked can end a job",
        "stop, cancel, acknowledgement and ponder hit for each announced job, under both names",
        ends_jobs,
    ),
    Attack::new(
        "a server hears no other server's orders or replies",
        "subscriptions to every order and reply during four searches",
        listens,
    ),
    Attack::new(
        "a server takes little of a node's time and log",
        "10,000 orders, truncated messages, and runs of itself that join",
        flood,
    )
    .within(90),
    Attack::new(
        "a replayed request runs once",
        "a request, 100 times while it runs and 100 times later",
        replays,
    ),
];

/// Returns the node's next announcement with this many jobs.
fn jobs(
    hostile: &super::fleet::Hostile,
    announcements: &mut async_nats::Subscriber,
    count: usize,
) -> Option<Value> {
    std::iter::from_fn(|| hostile.next(announcements, PATIENCE))
        .map(|(_, announced)| announced)
        .find(|announced| {
            announced["jobs"]
                .as_array()
                .is_some_and(|jobs| jobs.len() == count)
        })
}

fn ends_jobs(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start(attempt, &[("good", 4)]);
    let server = fleet.server(attempt, "");
    let hostile = fleet.hostile_server();
    let mut announcements = hostile.subscribe("rookery.v1.node.*.announcement");
    let body = json!({"game": {}, "limit": {"movetime_ms": SEARCH_MS}});
    let ask = || server.post("/v1/best-move", &body);
    let replies = thread::scope(|scope| {
        let asking = [(); 4].map(|()| scope.spawn(ask));
        let announced =
            jobs(&hostile, &mut announcements, 4).ok_or("no announcement of four jobs")?;
        for job in announced["jobs"].as_array().unwrap() {
            for gateway in [&job["gateway"], &json!(id(1))] {
                for order in ["stop", "cancel", "ack", "ponder_hit"] {
                    let order = json!({"gateway": gateway, "order": {order: job["job"]}});
                    hostile.publish(ORDERS, &order);
                    hostile.publish("rookery.v1.orders.n0.main", &order);
                }
            }
        }
        hostile.flush();
        Ok::<_, String>(asking.map(|asking| asking.join().unwrap()))
    })?;
    let times: Vec<_> = replies
        .iter()
        .map(|reply| (reply.status, reply.time.as_millis() as u64))
        .collect();
    if times
        .iter()
        .all(|(status, ms)| *status == 200 && *ms >= SEARCH_MS)
    {
        Ok(format!(
            "4 of 4 searches ended by their own limit: {times:?}"
        ))
    } else {
        Err(format!("{times:?}"))
    }
}

fn listens(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start(attempt, &[("good", 1)]);
    let server = fleet.server(attempt, "");
    let hostile = fleet.hostile_server();
    let mut heard = [
        "rookery.v1.>",
        "rookery.v1.orders.>",
        "rookery.v1.orders.n0.main",
        "rookery.v1.node.*.to.*",
        "rookery.v1.node.n0.to.main",
        "rookery.v1.gateway.*",
    ]
    .map(|subject| hostile.subscribe(subject));
    let mut announcements = hostile.subscribe("rookery.v1.node.*.announcement");
    answers(&server, "good", 4)?;
    let messages: Vec<_> = heard
        .iter_mut()
        .flat_map(|subscriber| hostile.received(subscriber))
        .collect();
    if let Some(message) = messages.first() {
        return Err(format!(
            "it heard {} messages, such as {message:?}",
            messages.len()
        ));
    }
    let announced = hostile.received(&mut announcements).len();
    if announced == 0 {
        Err("it hears nothing at all".into())
    } else {
        Ok(format!("only {announced} announcements"))
    }
}

fn ask(number: usize, tick_ms: u64, fingerprint: &str) -> Value {
    json!({
        "gateway": id(1),
        "order": {
            "ask": {
                "job": id(number),
                "ai": "good",
                "fingerprint": fingerprint,
                "tick_ms": tick_ms,
                "time": {
                    "left_ms": 9000,
                    "preparation_ms": 5000,
                },
                "question": {
                    "fen": "4k3/8/8/8/8/8/8/4K2R w - - 0 1",
                    "moves": [],
                    "task": {
                        "Search": {
                            "depth": null,
                            "nodes": null,
                            "mate_plies": null,
                            "soft_ms": null,
                            "hard_ms": 500,
                        },
                    },
                    "params": {
                        "lines": 1,
                        "trace_nodes": 0,
                        "root_moves": [],
                        "clocks": null,
                        "ponder": false,
                    },
                    "options": [],
                },
            },
        },
    })
}

fn flood(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start(attempt, &[("good", 2)]);
    let server = fleet.server(attempt, "");
    let hostile = fleet.hostile_server();
    let question = ask(1, 0, &fingerprint(1));
    let mut slowest = Duration::ZERO;
    for round in 0..20 {
        for number in 0..500 {
            hostile.publish(ORDERS, &ask(number, u64::MAX, &fingerprint(1)));
            hostile.publish(
                PRESENCE,
                &json!({"gateway": id(1000 * round + number), "joins": true}),
            );
        }
        for message in garbage(&question) {
            hostile.publish_bytes(ORDERS, message.clone());
            hostile.publish_bytes(PRESENCE, message);
        }
        hostile.flush();
        slowest = slowest.max(answers(&server, "good", 2)?);
    }
    let log = fleet.node_log();
    is_calm(&log)?;
    if !log.contains("ignored a") || !log.contains("dropped_lines=") {
        return Err(format!("no event: {log}"));
    }
    is_calm(&server.log())?;
    Ok(format!(
        "{} bytes of log, the slowest of 40 answers after {} ms",
        log.len(),
        slowest.as_millis()
    ))
}

fn replays(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start(attempt, &[("good", 4)]);
    let hostile = fleet.hostile_server();
    let mut announcements = hostile.subscribe("rookery.v1.node.n0.announcement");
    let mut replies = hostile.subscribe(REPLIES);
    // A node that has just started accepts any tick.
    let announced = std::iter::from_fn(|| hostile.next(&mut announcements, PATIENCE))
        .map(|(_, announced)| announced)
        .find(|announced| announced["tick_ms"].as_u64() > Some(1000))
        .ok_or("no announcement")?;
    let stated = announced["ais"][0]["fingerprint"].as_str().unwrap();
    let question = ask(1, announced["tick_ms"].as_u64().unwrap() + 100, stated);
    let mut received = Vec::new();
    for _ in 0..100 {
        hostile.publish(ORDERS, &question);
    }
    hostile.flush();
    loop {
        let (_, reply) = hostile
            .next(&mut replies, PATIENCE)
            .ok_or_else(|| format!("no result: {received:?}"))?;
        let is_end = reply.get("result").is_some() || reply.get("fault").is_some();
        received.push(reply);
        if is_end {
            break;
        }
    }
    hostile.publish(ORDERS, &json!({"gateway": id(1), "order": {"ack": id(1)}}));
    // Waits until the node is one second older.
    let now = announced["tick_ms"].as_u64().unwrap();
    std::iter::from_fn(|| hostile.next(&mut announcements, PATIENCE))
        .find(|(_, announced)| announced["tick_ms"].as_u64() > Some(now + 1000))
        .ok_or("no announcement")?;
    for _ in 0..100 {
        hostile.publish(ORDERS, &question);
    }
    hostile.flush();
    for _ in 0..100 {
        received.extend(hostile.next(&mut replies, PATIENCE).map(|(_, reply)| reply));
    }
    received.extend(
        hostile
            .received(&mut replies)
            .into_iter()
            .map(|(_, reply)| reply),
    );
    let count = |kind: &str| {
        received
            .iter()
            .filter(|reply| reply.get(kind).is_some())
            .count()
    };
    let (accepted, busy) = (count("accepted"), count("busy"));
    if accepted == 1 && busy == 100 {
        Ok(format!("{accepted} accepted, {busy} declined"))
    } else {
        Err(format!(
            "{accepted} accepted, {busy} declined: {:?}",
            received.first()
        ))
    }
}
