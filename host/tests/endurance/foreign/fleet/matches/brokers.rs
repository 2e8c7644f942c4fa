//! NATS restarts, loses data, is full, or lacks `JetStream`.

use std::fs;

use test_kit::Nats;

use super::{Broker, MATCH_TIME, Organizer, PLAYERS, SOON, start_nodes};
use crate::together_blocking;

#[test]
fn fleet_continues_a_match_when_nats_restarts() {
    together_blocking(|| continues_after(Nats::restart));
}

#[test]
fn fleet_continues_a_match_after_nats_loses_its_store() {
    together_blocking(|| continues_after(Nats::restart_without_store));
}

fn continues_after(restart: fn(&mut Nats)) {
    let mut broker = Broker::start();
    let _nodes = start_nodes::<2>(&broker.url());
    let organizer = Organizer::new(&broker.url());
    let mut running = organizer.start(&PLAYERS, &["--games", "40"]);
    running.await_games(4);
    broker.nats.kill();
    assert!(running.count() < 40, "the match is too fast for this test");
    restart(&mut broker.nats);
    let finished = running.finish(MATCH_TIME);
    finished.assert_counts(40);
    for name in ["n0", "n1"] {
        assert_eq!(finished.node(name)["refused"], 0, "{}", finished.log);
    }
}

/// Returns what a match that cannot start reports.
#[track_caller]
fn failing(nats: &Nats) -> String {
    let organizer = Organizer::new(&nats.url());
    let mut running = organizer.start(&PLAYERS, &["--games", "2"]);
    assert_eq!(running.ended(SOON).code(), Some(1), "{}", running.log());
    running.log()
}

#[test]
fn fleet_says_what_nats_needs_for_matches() {
    together_blocking(|| {
        let told = failing(&Nats::start());
        for part in ["nats-server 2.", "no JetStream", "`-js`", "jetstream {}"] {
            assert!(told.contains(part), "no {part}: {told}");
        }
    });
}

#[test]
fn fleet_reports_that_the_nats_store_is_full() {
    together_blocking(|| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("nats.conf");
        let store = folder.path().join("streams");
        let text = format!(
            "jetstream {{ store_dir: \"{}\", max_file_store: 1MB }}\n",
            store.display()
        );
        fs::write(&file, text).unwrap();
        let told = failing(&Nats::start_with_file(&file));
        for part in ["cannot keep", "max_file_store", "insufficient"] {
            assert!(told.contains(part), "no {part}: {told}");
        }
    });
}
