//! Nodes that die or hang.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use test_kit::{is_release, poll};

use super::{Broker, Organizer, SOON, start_nodes};
use crate::{foreign::fleet::is_long, together_blocking};

/// Returns players and a limit with which a match lasts until a node has died and is back.
fn lasting_players() -> [&'static str; 4] {
    if is_release() {
        ["ai,depth=4", "ai,depth=5", "--depth", "9"]
    } else {
        ["ai,depth=3", "ai,depth=4", "--depth", "9"]
    }
}

#[test]
fn fleet_plays_each_pair_once_while_a_node_is_killed() {
    together_blocking(|| {
        let (pairs, kills, within) = if is_long() {
            (300, 100, Duration::from_mins(15))
        } else {
            (30, 8, Duration::from_mins(2))
        };
        let broker = Broker::start();
        let mut nodes = start_nodes::<3>(&broker.url());
        let organizer = Organizer::new(&broker.url());
        let games = (2 * pairs).to_string();
        let (mut running, started) = (
            organizer.start(&lasting_players(), &["--games", &games, "--sprt", "0,1"]),
            Instant::now(),
        );
        let mut killed = 0;
        while killed < kills {
            let due = 2 * pairs * killed / kills;
            let found = poll(within.saturating_sub(started.elapsed()), || {
                let is_due = running.count() >= due && nodes[0].workers().len() >= 2;
                (is_due || !running.is_running()).then_some(is_due)
            });
            assert!(found.is_some(), "{killed} killed: {}", running.log());
            if found == Some(false) {
                break;
            }
            nodes[0].kill();
            nodes[0].restart();
            killed += 1;
        }
        let finished = running.finish(within);
        let of_nodes = finished.assert_counts(2 * pairs);
        eprintln!(
            "fleet: {pairs} pairs in {:.0} s, one of three nodes killed {killed} times: \
             {of_nodes:?}",
            started.elapsed().as_secs_f64()
        );
        assert!(killed >= kills / 2, "{killed} killed");
        for name in ["n0", "n1", "n2"] {
            let node = finished.node(name);
            assert!(node["refused"] == 0, "{node}");
        }
    });
}

#[test]
fn fleet_gives_a_hung_nodes_pair_to_another_node() {
    together_blocking(|| {
        let broker = Broker::start();
        let nodes = start_nodes::<2>(&broker.url());
        let organizer = Organizer::new(&broker.url());
        let mut running = organizer.start(&lasting_players(), &["--games", "120"]);
        running.await_games(4);
        let plays = || (nodes[0].workers().len() >= 2).then_some(());
        poll(SOON, plays).expect("the node plays");
        nodes[0].signal(Signal::STOP);
        running.await_log("node n0: lost");
        // The other node continues.
        let count = running.count();
        running.await_games(count + 4);
        nodes[0].signal(Signal::CONT);
        assert!(running.is_running(), "the match is too fast for this test");
        let finished = running.finish(super::MATCH_TIME);
        finished.assert_counts(120);
        assert_eq!(finished.node("n0")["refused"], 0);
    });
}
