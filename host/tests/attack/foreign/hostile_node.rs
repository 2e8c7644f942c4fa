//! A node that poses as others, floods servers and replays messages.

use std::{
    fs,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use async_nats::Subscriber;
use serde_json::{Value, json};
use test_kit::{poll, rookery};

use super::fleet::{
    Fleet, Hostile, announcement, answers, description, fingerprint, garbage, id, is_calm, offered,
};
use crate::{
    operations::{reload, run_within},
    runner::{Attack, Attempt, Outcome, judge},
    server::{Server, Setup},
};

pub(super) const ANNOUNCEMENT: &str = "rookery.v1.node.gpu1.announcement";
pub(super) const REPLIES: &str = "rookery.v1.node.gpu1.to.main";
const ORDERS: &str = "rookery.v1.orders.gpu1.*";
pub(super) const GUEST: &str = "guests = [\"gpu1\"]\n";
/// Longer than the time for which an AI is remembered.
const SILENCE: Duration = Duration::from_secs(30);

const HIDDEN: &str = "without authentication a forged message hides a node for seconds at most";

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new(
        "a server asks only the nodes that it lists",
        "an unlisted node offers an AI with the id and the fingerprint of a listed node's AI",
        stranger_poses,
    ),
    Attack::new(
        "a guest never answers for the operator's AI",
        "guest gpu1 offers `good` with the fingerprint of a listed node's AI `gpu1-good`",
        guest_poses,
    ),
    Attack::new(
        "a node speaks only for itself and hears only messages to itself",
        "other nodes' announcements, results, orders and presences; a subscription to everything",
        others_subjects,
    ),
    Attack::new(
        "a guest takes little of a server's memory, time and log, and leaves nothing behind",
        "10,000 announcements of 32 new AIs each, with descriptions",
        flood,
    )
    .within(240),
    Attack::new(
        "logs show what a node sends without control characters, shortened and rarely",
        "truncated messages, terminal sequences, unknown fields of 900 kB, 50 times each",
        bad_messages,
    ),
    Attack::new(
        "a replayed announcement has no effect",
        "an AI that is gone, announced 1,000 times",
        replays,
    ),
    Attack::new(
        HIDDEN,
        "announcements in its name: numbers ahead, another run, no AIs, draining",
        forged_announcements,
    ),
    Attack::new(
        HIDDEN,
        "bad descriptions in its name while a server starts",
        forged_descriptions,
    ),
    Attack::new(
        "NATS on another machine is refused without a login",
        "a server, a node and a status command, with the URL in the file and in a flag",
        open_nats,
    ),
    Attack::new(
        "a reload reports what it changes",
        "`rookery reload` of a server with AIs of nodes",
        reload_in_a_fleet,
    ),
];

fn stated_fingerprint(server: &Server, ai: &str) -> String {
    server.get(&format!("/v1/ais/{ai}")).json()["fingerprint"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn ais(server: &Server) -> Vec<String> {
    let list = server.get("/v1/ais").json();
    list.as_array()
        .unwrap()
        .iter()
        .map(|ai| ai["id"].as_str().unwrap().to_owned())
        .collect()
}

fn stranger_poses(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start(attempt, &[("good", 1)]);
    let server = fleet.server(attempt, "");
    let hostile = fleet.hostile_node();
    let mut orders = hostile.subscribe(ORDERS);
    let posed = offered("good", &stated_fingerprint(&server, "good"));
    for number in 1..=40 {
        hostile.publish(
            ANNOUNCEMENT,
            &announcement(number, std::slice::from_ref(&posed)),
        );
        hostile.flush();
        answers(&server, "good", 1)?;
    }
    let (orders, ais) = (hostile.received(&mut orders), ais(&server));
    if !orders.is_empty() || ais != ["good"] {
        return Err(format!(
            "{} orders to it, such as {:?}; AIs {ais:?}",
            orders.len(),
            orders.first()
        ));
    }
    Ok("40 of 40 answers of the listed node, no order to the other".into())
}

fn guest_poses(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start(attempt, &[("good", 1), ("gpu1-good", 1)]);
    let server = fleet.server(attempt, GUEST);
    let hostile = fleet.hostile_node();
    let mut orders = hostile.subscribe(ORDERS);
    let posed = [
        offered("good", &stated_fingerprint(&server, "gpu1-good")),
        offered("own", &fingerprint(7)),
    ];
    for number in 1..=40 {
        hostile.publish(ANNOUNCEMENT, &announcement(number, &posed));
        hostile.publish(REPLIES, &description("good", &fingerprint(7)));
        hostile.publish(REPLIES, &description("own", &fingerprint(7)));
        hostile.flush();
        answers(&server, "gpu1-good", 1)?;
    }
    let orders = hostile.received(&mut orders);
    let asked = orders
        .iter()
        .filter(|(_, order)| order["order"].get("ask").is_some())
        .count();
    let listed = ais(&server);
    if asked > 0 || listed != ["good", "gpu1-good", "gpu1-own"] {
        return Err(format!("{asked} questions to the guest; AIs {listed:?}"));
    }
    let refused = server
        .log()
        .lines()
        .filter(|line| line.contains("not serving a node's AI"))
        .count();
    if refused == 1 {
        Ok("40 of 40 answers of the listed node, one event".into())
    } else {
        Err(server.log())
    }
}

fn others_subjects(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start(attempt, &[("good", 2)]);
    let server = fleet.server(attempt, GUEST);
    let hostile = fleet.hostile_node();
    let mut heard = [
        "rookery.v1.>",
        "rookery.v1.orders.>",
        "rookery.v1.node.n0.>",
        "rookery.v1.orders.n0.main",
    ]
    .map(|subject| hostile.subscribe(subject));
    for number in 1..50 {
        let leaving = json!({
            "instance": id(number),
            "number": number,
            "tick_ms": 0,
            "draining": true,
            "ais": [],
            "jobs": [],
        });
        hostile.publish("rookery.v1.node.n0.announcement", &leaving);
        hostile.publish(
            "rookery.v1.node.n0.to.main",
            &description("good", &fingerprint(1)),
        );
        hostile.publish(
            "rookery.v1.orders.n0.main",
            &json!({"gateway": id(1), "order": {"describe": "good"}}),
        );
        hostile.publish(
            "rookery.v1.gateway.main",
            &json!({"gateway": id(number), "joins": true}),
        );
        hostile.flush();
        answers(&server, "good", 1)?;
    }
    let received: usize = heard
        .iter_mut()
        .map(|subscriber| hostile.received(subscriber).len())
        .sum();
    if received > 0 || server.log().contains("restarted") {
        return Err(format!("{received} messages of others; {}", server.log()));
    }
    is_calm(&fleet.node_log())?;
    Ok("49 of 49 answers; it heard nothing".into())
}

fn flood(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start(attempt, &[("good", 2)]);
    let server = fleet.server(attempt, GUEST);
    let hostile = fleet.hostile_node();
    let mut orders = hostile.subscribe(ORDERS);
    let before = server.resident_mb();
    let is_over = AtomicBool::new(false);
    let (slowest, most) = thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let mut slowest = Duration::ZERO;
            while !is_over.load(Ordering::Relaxed) {
                slowest = slowest.max(answers(&server, "good", 5)?);
            }
            Ok::<_, String>(slowest)
        });
        let most = (0..10)
            .map(|round| flood_once(&server, &hostile, &mut orders, 1 + 1000 * round))
            .max();
        is_over.store(true, Ordering::Relaxed);
        (asking.join().unwrap(), most.unwrap())
    });
    let slowest = slowest?;
    let grown = server.resident_mb().saturating_sub(before);
    let log = server.log().len();
    is_calm(&server.log())?;
    if !(33..=65).contains(&most) || grown > 64 || slowest > Duration::from_secs(2) {
        return Err(format!(
            "{most} AIs listed, {grown} MiB more, the slowest answer after {slowest:?}"
        ));
    }
    let remaining = || (ais(&server) == ["good"]).then_some(());
    poll(SILENCE, remaining).ok_or_else(|| format!("its AIs remain: {:?}", ais(&server)))?;
    Ok(format!(
        "at most {most} AIs listed, {grown} MiB more, {log} bytes of log, the slowest answer after \
         {} ms; then 1 AI",
        slowest.as_millis()
    ))
}

/// Describes 32 new AIs until they are served, then announces 32 others 999 times. Returns how many
/// AIs were listed.
fn flood_once(server: &Server, hostile: &Hostile, orders: &mut Subscriber, first: usize) -> usize {
    let new = |number: usize| -> Vec<_> {
        (0..32)
            .map(|ai| offered(&format!("a{number}-{ai}"), &fingerprint(number)))
            .collect()
    };
    // For one second, the server ignores a guest that has sent too much.
    thread::park_timeout(Duration::from_millis(1100));
    hostile.publish(ANNOUNCEMENT, &announcement(first, &new(first)));
    hostile.flush();
    let own = format!("a{first}-");
    let mut described = 0;
    while described < 32
        && let Some((_, order)) = hostile.next(orders, Duration::from_secs(1))
    {
        let Some(ai) = order["order"]["describe"]
            .as_str()
            .filter(|ai| ai.starts_with(&own))
        else {
            continue;
        };
        hostile.publish(REPLIES, &description(ai, &fingerprint(first)));
        described += 1;
    }
    hostile.flush();
    let all = || Some(ais(server).len()).filter(|&listed| listed > 32);
    let listed = poll(Duration::from_secs(1), all).unwrap_or_else(|| ais(server).len());
    for number in first + 1..first + 1000 {
        hostile.publish(ANNOUNCEMENT, &announcement(number, &new(number)));
    }
    hostile.flush();
    listed.max(ais(server).len())
}

fn bad_messages(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start(attempt, &[("good", 2)]);
    let server = fleet.server(attempt, GUEST);
    let hostile = fleet.hostile_node();
    let announced = announcement(1, &[offered("own", &fingerprint(7))]);
    for _ in 0..50 {
        for (subject, good) in [
            (ANNOUNCEMENT, &announced),
            (REPLIES, &description("own", &fingerprint(7))),
        ] {
            for message in garbage(good) {
                hostile.publish_bytes(subject, message);
            }
        }
        hostile.flush();
    }
    let slowest = answers(&server, "good", 10)?;
    let was_logged = || {
        server
            .log()
            .contains("ignored a message from a node")
            .then_some(())
    };
    poll(SILENCE, was_logged).ok_or("no event")?;
    is_calm(&server.log())?;
    Ok(format!(
        "{} bytes of log, the slowest answer after {} ms",
        server.log().len(),
        slowest.as_millis()
    ))
}

fn replays(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start(attempt, &[("good", 1)]);
    let server = fleet.server(attempt, GUEST);
    let hostile = fleet.hostile_node();
    let mut orders = hostile.subscribe(ORDERS);
    let first = announcement(1, &[offered("own", &fingerprint(7))]);
    hostile.publish(ANNOUNCEMENT, &first);
    hostile
        .next(&mut orders, SILENCE)
        .ok_or("no order to describe the AI")?;
    hostile.publish(REPLIES, &description("own", &fingerprint(7)));
    hostile.flush();
    let is_served = || ais(&server).contains(&"gpu1-own".to_owned());
    poll(SILENCE, || is_served().then_some(())).ok_or("it is not served")?;
    let mut number = 2;
    poll(SILENCE, || {
        // The node is still announced, but without the AI.
        hostile.publish(ANNOUNCEMENT, &announcement(number, &[]));
        hostile.flush();
        number += 1;
        (!is_served()).then_some(())
    })
    .ok_or("it is still served")?;
    for _ in 0..1000 {
        hostile.publish(ANNOUNCEMENT, &first);
        hostile.publish(REPLIES, &description("own", &fingerprint(7)));
    }
    hostile.flush();
    answers(&server, "good", 5)?;
    if is_served() {
        Err("it is served again".into())
    } else {
        Ok("it stays away".into())
    }
}

fn reload_in_a_fleet(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start(attempt, &[("good", 1)]);
    let server = fleet.server(attempt, "");
    let output = reload(&server, Duration::from_secs(20)).ok_or("`rookery reload` did not end")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    answers(&server, "good", 1)?;
    judge(
        output.status.success() && text.contains("unchanged: good") && !text.contains("removed"),
        text,
    )
}

/// Returns an announcement from the honest node with changed members.
fn forged(honest: &Value, further: &Value) -> Value {
    let mut forged = honest.clone();
    forged
        .as_object_mut()
        .unwrap()
        .extend(further.as_object().unwrap().clone());
    forged
}

const OF_NODE: &str = "rookery.v1.node.n0.announcement";

/// Returns an announcement from the honest node.
fn honest(hostile: &Hostile) -> Result<Value, String> {
    let mut announcements = hostile.subscribe(OF_NODE);
    let heard = hostile.next(&mut announcements, Duration::from_secs(10));
    Ok(heard.ok_or("the node is silent")?.1)
}

fn forged_announcements(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start_open(attempt, &[("good", 1)]);
    let server = fleet.server(attempt, "lost_after_ms = 1000\n");
    let hostile = fleet.hostile_node();
    let honest = honest(&hostile)?;
    let number = honest["number"].as_u64().unwrap();
    let mut slowest = Duration::ZERO;
    for further in [
        json!({"number": u64::MAX, "ais": []}),
        json!({"number": number + 3_600_000, "draining": true}),
        json!({"number": u64::MAX, "instance": id(7), "ais": []}),
        json!({"number": 1, "instance": id(8), "ais": []}),
        json!({"number": u64::MAX - 1, "ais": [offered("other", &fingerprint(1))]}),
    ] {
        hostile.publish(OF_NODE, &forged(&honest, &further));
        hostile.flush();
        let started = Instant::now();
        let is_hidden = || (server.get("/v1/ais/good").json()["state"] != "ready").then_some(());
        // The server may hear from the node again before the check.
        let _ = poll(Duration::from_millis(500), is_hidden);
        let answers = || (server.best_move("good").status == 200).then_some(());
        poll(Duration::from_secs(8), answers)
            .ok_or_else(|| format!("the AI is not served 8 s after {further}: {}", server.log()))?;
        slowest = slowest.max(started.elapsed());
    }
    Ok(format!("served again within {slowest:.1?}"))
}

fn forged_descriptions(attempt: &Attempt) -> Outcome {
    let fleet = Fleet::start_open(attempt, &[("good", 1)]);
    let hostile = fleet.hostile_node();
    let stated = honest(&hostile)?["ais"][0]["fingerprint"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut bad = description("good", &stated);
    bad["description"]["searcher"] = false.into();
    let is_over = AtomicBool::new(false);
    let (server, sent) = thread::scope(|scope| {
        let flood = scope.spawn(|| {
            let hostile = fleet.hostile_node();
            let mut sent = 0;
            // The flood stops before the server asks the node again.
            while sent < 10_000 && !is_over.load(Ordering::Relaxed) {
                hostile.publish("rookery.v1.node.n0.to.main", &bad);
                hostile.flush();
                sent += 1;
            }
            sent
        });
        // Waits until the AI is served.
        let server = fleet.server(attempt, "");
        is_over.store(true, Ordering::Relaxed);
        (server, flood.join().unwrap())
    });
    Ok(format!(
        "{sent} descriptions; {:?}",
        answers(&server, "good", 1)?
    ))
}

fn open_nats(_: &Attempt) -> Outcome {
    let file = Setup::good();
    let path = file.folder().join("rookery.toml");
    let url = "tls://nats.example:4222";
    let mut refused = 0;
    for in_file in [true, false] {
        let fleet = if in_file { url } else { "nats://127.0.0.1:1" };
        fs::write(
            &path,
            format!("{}[fleet]\nnats = \"{fleet}\"\n", file.text()),
        )
        .unwrap();
        let flag: &[&str] = if in_file { &[] } else { &["--nats", url] };
        for words in [
            &["serve", "--listen", "127.0.0.1:0"][..],
            &["node"],
            &["fleet", "status"],
        ] {
            if words[0] == "serve" && !in_file {
                continue;
            }
            let mut command = Command::new(rookery());
            let command = command.args(words).args(flag).arg("--config").arg(&path);
            let output = run_within(command, Duration::from_secs(10));
            let output = output.ok_or_else(|| format!("{words:?} keeps running"))?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.code() != Some(2) || !said.contains("insecure = true") {
                return Err(format!("{words:?}: {:?} {said}", output.status));
            }
            refused += 1;
        }
    }
    Ok(format!("{refused} commands refused"))
}
