//! A command that is killed and restarted, two commands with one name, and a decided test.

use std::time::{Duration, Instant};

use serde_json::json;
use test_kit::poll;

use super::{
    AI, Broker, MATCH_TIME, Organizer, PLAYERS, SOON, are_idle, playing, start_node, start_nodes,
};
use crate::{foreign::node::Node, together_blocking};

/// A node considers a match over after this time without an announcement.
const LOST_WITHIN: Duration = Duration::from_millis(4500);

/// Waits until no node has a worker. Returns how long that took.
#[track_caller]
fn await_idle(nodes: &[Node], within: Duration) -> Duration {
    let started = Instant::now();
    let are_idle = || {
        nodes
            .iter()
            .all(|node| node.workers().is_empty())
            .then_some(())
    };
    let workers = || nodes.iter().map(Node::workers).collect::<Vec<_>>();
    let idle = poll(SOON, are_idle);
    assert!(
        idle.is_some() && started.elapsed() <= within,
        "{:?} {:?}",
        workers(),
        started.elapsed()
    );
    started.elapsed()
}

#[test]
fn fleet_continues_the_match_of_a_killed_command() {
    together_blocking(|| {
        let broker = Broker::start();
        let nodes = start_nodes::<2>(&broker.url());
        let organizer = Organizer::new(&broker.url());
        let arguments = ["--games", "40"];
        let mut running = organizer.start(&PLAYERS, &arguments);
        for count in [4, 14] {
            running.await_games(count);
            assert!(running.is_running(), "the match is too fast for this test");
            running.kill();
            let idle = await_idle(&nodes, LOST_WITHIN);
            eprintln!("fleet: the nodes of a killed command stop after {idle:?}");
            assert!(are_idle(&broker.url()), "{:?}", playing(&broker.url()));
            running = organizer.start(&PLAYERS, &[&arguments[..], &["--resume"]].concat());
        }
        let finished = running.finish(MATCH_TIME);
        // Pairs from earlier runs are not reported again.
        let nodes = finished.report["nodes"].as_array().unwrap();
        let pairs: u64 = nodes
            .iter()
            .map(|node| node["pairs"].as_u64().unwrap())
            .sum();
        assert!((1..=14).contains(&pairs), "{nodes:?}");
        finished.assert_games(40);
    });
}

#[test]
fn fleet_plays_the_matches_of_two_commands_with_one_name() {
    together_blocking(|| {
        let broker = Broker::start();
        let _nodes = start_nodes::<2>(&broker.url());
        let organizer = Organizer::new(&broker.url());
        let arguments = ["--games", "24", "--max-moves", "20"];
        let mut one = organizer.start_into("one", &PLAYERS, &arguments);
        let other = organizer.start_into(
            "other",
            &PLAYERS,
            &[&arguments[..], &["--seed", "2"]].concat(),
        );
        one.await_games(2);
        // The matches take turns.
        assert!(other.count() <= 12, "{}", other.count());
        for running in [one, other] {
            let finished = running.finish(MATCH_TIME);
            finished.assert_counts(24);
            for name in ["n0", "n1"] {
                assert_eq!(finished.node(name)["refused"], 0, "{}", finished.log);
            }
        }
    });
}

#[test]
fn fleet_stops_all_nodes_when_a_test_is_decided() {
    together_blocking(|| {
        let broker = Broker::start();
        let nodes = [
            start_node("n0", &broker.url()),
            start_node("n1", &broker.url()),
        ];
        let fleet = format!("nats = \"{}\"\nname = \"anna\"\n", broker.url());
        let ais = format!("{AI}[ai.broken]\nlibrary = \"ai\"\noptions.fault = \"no_move\"\n");
        let organizer = Organizer::with(&fleet, &ais);
        let running = organizer.start(
            &["ai,depth=3", "broken", "--depth", "9"],
            &["--games", "1000", "--sprt", "0,100"],
        );
        let finished = running.finish(MATCH_TIME);
        let idle = await_idle(&nodes, Duration::from_secs(1));
        eprintln!("fleet: a test has decided; the last node stops {idle:?} after the command");
        assert_eq!(finished.report["finish"], json!("decided"));
        finished.assert_counts(finished.games.len());
        assert!(are_idle(&broker.url()), "{:?}", playing(&broker.url()));
    });
}
