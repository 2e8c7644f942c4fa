//! Messages that no real node or gateway sends.

use actix_web::rt;
use async_nats::{Client, Subscriber};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use test_kit::Nats;

use super::{PATIENCE, await_nodes, best_move, faulty, fleet_metrics, slots, start, subscribe};
use crate::{client::Connection, together};

const FINGERPRINT: &str = "00000000000000000000000000000000000000000000000000000000000000ff";

fn id(number: u64) -> String {
    format!("{number:032x}")
}

fn announcement(instance: u64, number: u64, slots: u64) -> Value {
    json!({
        "instance": id(instance),
        "number": number,
        "tick_ms": 1000 * number,
        "ais": [
            {
                "id": "ai",
                "fingerprint": FINGERPRINT,
                "slots": slots,
                "free": slots,
            },
        ],
        "jobs": [],
    })
}

async fn publish(client: &Client, subject: &str, message: &Value) {
    publish_bytes(client, subject, message.to_string().into_bytes()).await;
}

async fn publish_bytes(client: &Client, subject: &str, message: Vec<u8>) {
    client
        .publish(subject.to_owned(), message.into())
        .await
        .unwrap();
    client.flush().await.unwrap();
}

/// Waits for a message that contains this field.
async fn next_with(subscriber: &mut Subscriber, pointer: &str) -> (String, Value) {
    loop {
        let message = rt::time::timeout(PATIENCE, subscriber.next())
            .await
            .expect(pointer)
            .unwrap();
        if let Ok(message_value) = serde_json::from_slice::<Value>(&message.payload)
            && message_value.pointer(pointer).is_some()
        {
            return (message.subject.to_string(), message_value);
        }
    }
}

#[test]
fn fleet_gateway_survives_bad_nodes() {
    together(async {
        let nats = Nats::start();
        let (_nodes, server) = start(&nats, 1, &faulty("sleep", 300, 1)).await;
        let client = async_nats::connect(nats.url()).await.unwrap();
        let mut orders = subscribe(&client, "rookery.v1.orders.>").await;
        // Learns the name of the gateway, and the id of a running job.
        let address = server.address;
        let asking =
            rt::spawn(
                async move { best_move(&mut Connection::open(address).await.unwrap()).await },
            );
        let (subject, ask) = next_with(&mut orders, "/order/ask").await;
        let (name, job) = (
            subject.rsplit('.').next().unwrap(),
            &ask["order"]["ask"]["job"],
        );
        let reply = |node: &str| format!("rookery.v1.node.{node}.to.{name}");

        // Sends results from another node and for unknown jobs, each twice, and messages that are
        // not results.
        let result = json!({"result": {"job": job, "response": {"best_move": null}}});
        let fault = |job: &Value| {
            json!({
                "fault": {
                    "job": job,
                    "fault": {
                        "kind": "crashed",
                        "summary": "\u{1b}[2J".repeat(5000),
                    },
                },
            })
        };
        for _ in 0..2 {
            publish(&client, &reply("n9"), &result).await;
            publish(&client, &reply("n9"), &fault(job)).await;
            publish(&client, &reply("n9"), &json!({"busy": {"job": job}})).await;
            publish(&client, &reply("n0"), &fault(&json!(id(7)))).await;
        }
        let long = vec![b' '; 1_000_000];
        for text in [
            b"".to_vec(),
            b"\xff\0".to_vec(),
            b"{}".to_vec(),
            b"[".repeat(100_000),
            long,
        ] {
            for subject in [
                "rookery.v1.node.n8.announcement",
                "rookery.v1.node.n0.announcement",
                &reply("n0"),
            ] {
                publish_bytes(&client, subject, text.clone()).await;
            }
        }
        let answer = asking.await.unwrap();
        assert_eq!(answer.status, 200, "{answer:?}: {}", server.log_tail());

        // Sends announcements with a forbidden name, too many slots and an outdated number.
        publish(
            &client,
            "rookery.v1.node.N-0.announcement",
            &announcement(1, 1, 1),
        )
        .await;
        publish(
            &client,
            "rookery.v1.node.n7.announcement",
            &announcement(1, 9, 1_000_000),
        )
        .await;
        publish(
            &client,
            "rookery.v1.node.n7.announcement",
            &announcement(1, 8, 5),
        )
        .await;
        let (subject, _) = next_with(&mut orders, "/order/describe").await;
        assert_eq!(subject, format!("rookery.v1.orders.n7.{name}"));
        let metrics = fleet_metrics(server.address).await;
        assert!(!metrics.contains("N-0"), "{metrics}");

        // Sends contradictory descriptions, made from a good one.
        let mut described = subscribe(&client, "rookery.v1.node.n0.to.other").await;
        let describe = json!({"gateway": id(5), "order": {"describe": "ai"}});
        publish(&client, "rookery.v1.orders.n0.other", &describe).await;
        let (_, good) = next_with(&mut described, "/description").await;
        let options = good["description"]["options"].as_array().unwrap();
        let mut range_without_numbers = options
            .iter()
            .find(|option| option["name"] == "time_ms")
            .unwrap()
            .clone();
        range_without_numbers["kind"] = json!({"Integer": {"min": 9, "max": 1}});
        for change in [
            json!({"values": []}),
            json!({"searcher": false, "evaluator": false}),
            json!({"library": {"file": "x", "sha256": "12"}}),
            json!({"options": [range_without_numbers]}),
        ] {
            let mut description = good.clone();
            let changed = description["description"].as_object_mut().unwrap();
            changed.extend(
                json!({"fingerprint": FINGERPRINT})
                    .as_object()
                    .unwrap()
                    .clone(),
            );
            changed.extend(change.as_object().unwrap().clone());
            publish(&client, &reply("n7"), &description).await;
        }
        let answer = best_move(&mut Connection::open(server.address).await.unwrap()).await;
        assert_eq!(answer.status, 200, "{answer:?}: {}", server.log_tail());
        await_nodes(&server, 1).await;
        assert_eq!(slots(server.address, "slots").await, [1]);
    });
}

#[test]
fn fleet_asks_a_node_again_after_a_lost_request() {
    together(async {
        let nats = Nats::start();
        let (_nodes, server) = start(&nats, 1, &faulty("sleep", 2500, 1)).await;
        let client = async_nats::connect(nats.url()).await.unwrap();
        let mut orders = subscribe(&client, "rookery.v1.orders.>").await;
        let address = server.address;
        let ask = || {
            rt::spawn(async move { best_move(&mut Connection::open(address).await.unwrap()).await })
        };
        // The only other node is busy.
        let first = ask();
        let (_, asked) = next_with(&mut orders, "/order/ask").await;
        let announced = |number| {
            let mut announced = announcement(1, number, 1);
            announced["ais"][0]["fingerprint"] = asked["order"]["ask"]["fingerprint"].clone();
            announced
        };
        publish(&client, "rookery.v1.node.n7.announcement", &announced(1)).await;
        let second = ask();
        let (lost, _) = next_with(&mut orders, "/order/ask").await;
        publish(&client, "rookery.v1.node.n7.announcement", &announced(2)).await;
        let (again, _) = next_with(&mut orders, "/order/ask").await;
        assert_eq!(again, lost, "{}", server.log_tail());
        assert!(again.contains(".n7."), "{again}");
        for asking in [first, second] {
            let answer = asking.await.unwrap();
            assert_eq!(answer.status, 200, "{answer:?}: {}", server.log_tail());
        }
    });
}

#[test]
fn fleet_node_survives_bad_gateways() {
    together(async {
        let nats = Nats::start();
        let (nodes, server) = start(&nats, 1, &faulty("sleep", 300, 1)).await;
        let client = async_nats::connect(nats.url()).await.unwrap();
        let mut orders = subscribe(&client, "rookery.v1.orders.n0.*").await;
        let mut replies = subscribe(&client, "rookery.v1.node.n0.>").await;
        let mut connection = Connection::open(server.address).await.unwrap();
        assert_eq!(best_move(&mut connection).await.status, 200);
        let (_, good) = next_with(&mut orders, "/order/ask").await;

        let long = vec![b'x'; 1_000_000];
        for text in [
            b"".to_vec(),
            b"\xff\0".to_vec(),
            b"{}".to_vec(),
            b"{\"gateway\":\"*\"}".to_vec(),
            long,
        ] {
            publish_bytes(&client, "rookery.v1.orders.n0.bad", text).await;
        }
        // A node that has just started accepts any tick.
        let mut now = 0;
        while now < 1000 {
            let (_, announced) = next_with(&mut replies, "/tick_ms").await;
            now = announced["tick_ms"].as_u64().unwrap();
        }
        let ask = |number: u64, tick_ms: u64, fingerprint: &Value| {
            let mut ask = good.clone();
            ask["gateway"] = json!(id(number));
            ask["order"]["ask"]["job"] = json!(id(number));
            ask["order"]["ask"]["tick_ms"] = json!(tick_ms);
            ask["order"]["ask"]["fingerprint"] = fingerprint.clone();
            ask
        };
        let fingerprint = good["order"]["ask"]["fingerprint"].clone();
        let mut answers = subscribe(&client, "rookery.v1.node.n0.to.bad").await;
        let now_ms = now + 300;
        for (number, ask, expected) in [
            (1, ask(1, 0, &fingerprint), "/busy"),
            (2, ask(2, now_ms, &json!(FINGERPRINT)), "/busy"),
            (3, ask(3, u64::MAX, &fingerprint), "/accepted"),
        ] {
            publish(&client, "rookery.v1.orders.n0.bad", &ask).await;
            let (_, answer) = next_with(&mut answers, expected).await;
            assert_eq!(
                answer.pointer(&format!("{expected}/job")),
                Some(&json!(id(number)))
            );
        }
        // Another server can neither stop nor forget a job, whatever it knows about the job.
        let (_, announced) = next_with(&mut replies, "/jobs/0").await;
        let hash = &announced["jobs"][0]["job"];
        for (order, job) in [
            ("stop", &json!(id(3))),
            ("cancel", hash),
            ("ack", &json!(id(3))),
            ("ponder_hit", &json!(id(3))),
        ] {
            let order = json!({"gateway": id(3), "order": {order: job}});
            publish(&client, "rookery.v1.orders.n0.other", &order).await;
        }
        let (_, result) = next_with(&mut answers, "/result").await;
        assert_eq!(result["result"]["job"], json!(id(3)));
        publish(
            &client,
            "rookery.v1.orders.n0.bad",
            &json!({"gateway": id(3), "order": {"ack": id(3)}}),
        )
        .await;
        let answer = best_move(&mut connection).await;
        assert_eq!(answer.status, 200, "{answer:?}: {}", nodes[0].folder.log());
    });
}
