//! Matches that a node does not play, and the files sent to it.

use std::{
    collections::BTreeSet, fmt::Write as _, fs, process::Command, thread::available_parallelism,
    time::Duration,
};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use test_kit::{Process, built, command, run};

use super::{
    AI, Broker, MATCH_TIME, Organizer, PLAYERS, SLOTS, SOON, start_node, stranger::Stranger,
};
use crate::{foreign::node::Node, together_blocking};

const ARGUMENTS: [&str; 4] = ["--games", "12", "--max-moves", "20"];

#[test]
fn fleet_says_once_which_node_has_no_room_for_a_match() {
    together_blocking(|| {
        let broker = Broker::start();
        let small = format!("{SLOTS}max_mb = 1\n");
        let _small = Node::start_with("small", &broker.url(), "", &small, &[]);
        let old = Node::start("old", &broker.url(), AI, &["ai_basic1"]);
        let organizer = Organizer::new(&broker.url());
        let running = organizer.start(&PLAYERS, &ARGUMENTS);
        running.await_log("small does not play this match: ");
        let _node = start_node("n0", &broker.url());
        let finished = running.finish(MATCH_TIME);
        finished.assert_counts(12);
        assert_eq!(finished.games_of("n0"), 12);
        let told = finished.log.matches("small does not play this match: ");
        assert_eq!(told.count(), 1, "{}", finished.log);
        let node = finished.node("small");
        assert_eq!(
            (&node["standing"], &node["pairs"]),
            (&json!("unable"), &json!(0))
        );
        let reason = node["reason"].as_str().unwrap();
        assert!(
            reason.contains("raise max_mb in [fleet.matches]"),
            "{reason}"
        );
        // A node without [fleet.matches] takes no part.
        let nodes = finished.report["nodes"].as_array().unwrap();
        assert_eq!(nodes.len(), 2, "{nodes:?}");
        assert!(
            !old.folder.log().contains("WARN fleet"),
            "{}",
            old.folder.log()
        );
    });
}

#[test]
fn fleet_shows_a_node_whose_processors_are_busy_with_other_work() {
    together_blocking(|| {
        let broker = Broker::start();
        let cores = available_parallelism().unwrap().get();
        let endless =
            || Process::start(Command::new("sh").args(["-c", "echo; while :; do :; done"]));
        // The processes start before the node, so its first measurement includes them.
        let _others: Vec<_> = (0..cores).map(|_| endless()).collect();
        let _node = start_node("n0", &broker.url());
        let organizer = Organizer::new(&broker.url());
        let players = ["ai", "ai,quiescence=false"];
        let running = organizer.start(&players, &["--games", "2", "--tc", "1+0.01"]);
        running.await_log("node n0: busy, 1 slot");
        let status = run(command()
            .args(["fleet", "status", "--config"])
            .arg(organizer.folder.configuration()));
        let shown = "matches: plays 0 of 1 pair, because other work uses its processors";
        assert!(status.contains(shown), "{status}");
    });
}

#[test]
fn fleet_rejects_an_altered_file() {
    together_blocking(|| {
        let broker = Broker::start();
        let organizer = Organizer::new(&broker.url());
        let running = organizer.start(&PLAYERS, &ARGUMENTS);
        let stranger = Stranger::connect(&broker.url(), "stranger");
        stranger.hear_match();
        let mut library = fs::read(built("ai_basic1")).unwrap();
        let sha256 = sha256(&library);
        *library.last_mut().unwrap() ^= 1;
        stranger.put_file(&sha256, &library);
        let node = start_node("n0", &broker.url());
        running.await_log("n0 does not play this match: a file has the SHA-256 ");
        assert!(
            running.log().contains(&format!("expected {sha256}")),
            "{}",
            running.log()
        );
        assert_eq!(files(&node).len(), 0, "{:?}", files(&node));
        assert_eq!(running.count(), 0);
    });
}

#[test]
fn fleet_plays_no_match_for_another_processor() {
    together_blocking(|| {
        let broker = Broker::start();
        let organizer = Organizer::new(&broker.url());
        let mut running = organizer.start(&PLAYERS, &ARGUMENTS);
        let stranger = Stranger::connect(&broker.url(), "anna");
        let announced = stranger.hear_match();
        let text = stranger.get_file(announced["description"].as_str().unwrap());
        running.kill();
        let mut description: Value = serde_json::from_slice(&text).unwrap();
        let expected = format!("{}-linux", std::env::consts::ARCH);
        assert_eq!(description["platform"], expected);
        let node = start_node("n0", &broker.url());
        let mut states = stranger.subscribe("rookery.v1.node.n0.matches");
        for (number, (key, value, reason)) in [
            (
                "platform",
                json!("riscv64-linux"),
                format!("its files are for riscv64-linux, but this machine is {expected}"),
            ),
            (
                "platform",
                json!("\u{1b}[2J"),
                format!("but this machine is {expected}"),
            ),
            (
                "players",
                json!([]),
                "it has 0 players; expected 2 to 64".into(),
            ),
            ("players", json!(7), "its description cannot be used".into()),
        ]
        .into_iter()
        .enumerate()
        {
            let before = description[key].take();
            description[key] = value;
            let text = description.to_string().into_bytes();
            description[key] = before;
            let hash = sha256(&text);
            stranger.put_file(&hash, &text);
            let id = format!("{number:032x}");
            let announced = json!({"id": id, "description": hash}).to_string();
            stranger.publish("rookery.v1.match.anna", announced);
            stranger.flush();
            let refusal = std::iter::from_fn(|| stranger.next(&mut states, SOON))
                .take(10)
                .find_map(|state| {
                    let refused = state["refused"].as_array()?.iter();
                    let mut own = refused.filter(|refused| refused["id"] == json!(id));
                    own.next().cloned()
                });
            let refusal = refusal.unwrap_or_else(|| panic!("{}", node.folder.log()));
            let told = refusal["reason"].as_str().unwrap();
            assert!(
                told.contains(&reason) && !told.contains('\u{1b}'),
                "{told:?}"
            );
        }
        assert_eq!(files(&node).len(), 0);
    });
}

#[test]
fn fleet_ships_the_files_of_a_match_once() {
    together_blocking(|| {
        let broker = Broker::start();
        let node = start_node("n0", &broker.url());
        let organizer = Organizer::new(&broker.url());
        let bytes = fs::metadata(built("ai_basic1")).unwrap().len();
        let mut shipped = Vec::new();
        let mut kept = BTreeSet::new();
        for name in ["first", "second"] {
            let numbers = ["in_bytes", "out_bytes"];
            let before = numbers.map(|name| broker.nats.number(name));
            let running = organizer.start_into(name, &PLAYERS, &ARGUMENTS);
            running.finish(MATCH_TIME).assert_counts(12);
            let after = numbers.map(|name| broker.nats.number(name));
            shipped.push([after[0] - before[0], after[1] - before[1]]);
            if name == "first" {
                kept = files(&node);
            }
        }
        eprintln!("fleet: a library of {bytes} bytes; bytes to and from NATS: {shipped:?}");
        // Both players share one library.
        for (first, second) in shipped[0].into_iter().zip(shipped[1]) {
            assert!((bytes..bytes * 3 / 2).contains(&first), "{shipped:?}");
            assert!(second < bytes / 4, "{shipped:?}");
        }
        assert_eq!(kept.len(), 1, "{kept:?}");
        assert_eq!(files(&node), kept);
    });
}

/// Returns the files in a node's cache with their creation times.
fn files(node: &Node) -> BTreeSet<(String, Duration)> {
    let cache = node.folder.path().join("rookery/matches");
    let nodes = fs::read_dir(cache).unwrap();
    let folders = nodes.map(|entry| entry.unwrap().path().join("files"));
    let entries = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    entries
        .map(|entry| {
            let entry = entry.unwrap();
            let created = entry.metadata().unwrap().created().unwrap();
            let created = created.duration_since(std::time::UNIX_EPOCH).unwrap();
            (entry.file_name().to_string_lossy().into_owned(), created)
        })
        .collect()
}

fn sha256(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}
