//! Nodes that lie.

use serde_json::{Value, json};

use super::{
    AI, Broker, MATCH_TIME, Organizer, PLAYERS, start_node,
    stranger::{Pulled, Stranger, record},
};
use crate::together_blocking;

const MOVES: usize = 12;
const GAMES: usize = 24;

/// Starts a match of short games.
fn start(organizer: &Organizer) -> super::Match {
    let (moves, games) = (MOVES.to_string(), GAMES.to_string());
    organizer.start(&PLAYERS, &["--games", &games, "--max-moves", &moves])
}

/// Invalid records of this pair's two games, with the name of the node that lies.
fn lies(pulled: &Pulled) -> Vec<(&'static str, Vec<Value>)> {
    let good = || pulled.drawn_game(MOVES);
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut game = good();
        change(&mut game);
        vec![good(), game]
    };
    let moves = |game: &mut Value| game["moves"].as_array().unwrap().clone();
    let copied = good();
    let shuffled = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2500);
    vec![
        (
            "illegal",
            changed(&|game| game["moves"][3]["uci"] = json!("a1h7")),
        ),
        (
            "no_move",
            changed(&|game| game["moves"][3]["uci"] = json!("0000")),
        ),
        (
            "stops",
            changed(&|game| {
                let moves = moves(game);
                game["moves"] = json!(moves[..moves.len() - 2]);
            }),
        ),
        ("empty", changed(&|game| game["moves"] = json!([]))),
        (
            "goes_on",
            changed(&|game| {
                let mut moves = moves(game);
                moves.extend(moves.clone());
                game["moves"] = json!(moves);
            }),
        ),
        (
            "wrong_result",
            changed(&|game| game["result"] = json!("win")),
        ),
        ("endless", vec![good(), record(&shuffled)]),
        (
            "late",
            changed(&|game| game["end"] = json!({"late": {"time_us": 9_000_000}})),
        ),
        (
            "of_machine",
            changed(&|game| {
                let moves = moves(game);
                game["moves"] = json!(moves[..4]);
                game["end"] = json!({"fault": "declined"});
            }),
        ),
        ("copied", vec![copied.clone(), copied]),
        ("one_game", vec![good()]),
        ("three_games", vec![good(), good(), good()]),
    ]
}

#[test]
fn fleet_counts_no_game_of_a_lying_node() {
    together_blocking(|| {
        let broker = Broker::start();
        let organizer = Organizer::new(&broker.url());
        let running = start(&organizer);
        let stranger = Stranger::connect(&broker.url(), "first");
        let announced = stranger.hear_match();
        let id = announced["id"].as_str().unwrap();
        let pulled = stranger.pull(id);
        let lies = lies(&pulled);
        for (name, games) in &lies {
            let liar = Stranger::connect(&broker.url(), name);
            let mut report = pulled.report(id, games);
            for verdict in [json!("again"), json!("again"), json!("unwelcome")] {
                let found = liar.report(&report);
                assert_eq!(found, Some(verdict), "{name}: {}", running.log());
            }
            // The liar is ignored from now on, whatever it sends.
            let good = [(), ()].map(|()| pulled.drawn_game(MOVES));
            report["outcome"] = json!({"played": good});
            assert_eq!(liar.report(&report), None, "{name}");
        }
        // Nodes that hold no pair, or a different one.
        for (name, changed) in [
            ("unknown_pair", json!({"pair": 1_000_000})),
            ("no_pair", json!({"pair": -1})),
            ("foreign_pair", json!({"token": "0".repeat(32)})),
            ("later_pair", json!({"pair": GAMES / 2 - 1})),
            ("no_speed", json!({"speed": null})),
        ] {
            let liar = Stranger::connect(&broker.url(), name);
            let mut report = pulled.report(id, &[(), ()].map(|()| pulled.drawn_game(MOVES)));
            let report_keys = report.as_object_mut().unwrap();
            report_keys.extend(changed.as_object().unwrap().clone());
            let found = [(), (), ()].map(|()| liar.report(&report));
            let expected = ["again", "again", "unwelcome"].map(|verdict| Some(json!(verdict)));
            assert_eq!(found, expected, "{name}: {}", running.log());
        }
        assert_eq!(running.count(), 0, "{}", running.log());
        stranger.put_back(&pulled);
        let _honest = start_node("n0", &broker.url());
        let finished = running.finish(MATCH_TIME);
        finished.assert_counts(GAMES);
        assert_eq!(finished.games_of("n0"), GAMES);
        for (name, _) in &lies {
            let node = finished.node(name);
            let counted = (&node["pairs"], &node["refused"], &node["standing"]);
            assert_eq!(
                counted,
                (&json!(0), &json!(3), &json!("unwelcome")),
                "{node}"
            );
        }
        assert_eq!(finished.node("n0")["refused"], 0);
    });
}

#[test]
fn fleet_keeps_working_while_a_node_floods_it() {
    together_blocking(|| {
        let broker = Broker::start();
        let _honest = start_node("n0", &broker.url());
        let organizer = Organizer::new(&broker.url());
        let mut running = start(&organizer);
        let liar = Stranger::connect(&broker.url(), "liar");
        let announced = liar.hear_match();
        let good = json!({"id": announced["id"], "pair": 0, "speed": 1, "outcome": {"void": "x"}});
        let text = good.to_string().into_bytes();
        let forged = format!("{{\"\\u001b[2J\\r\\nforged {}\": 1}}", "x".repeat(900_000));
        let messages = [
            text[..text.len() / 2].to_vec(),
            Vec::new(),
            b"\xff\0".to_vec(),
            b"[".repeat(100_000),
            b"{}".to_vec(),
            forged.into_bytes(),
        ];
        let mut sent = 0;
        while running.is_running() && sent < 10_000 {
            liar.send_report(&messages[sent % if sent < 100 { 6 } else { 3 }]);
            liar.publish("rookery.v1.node.liar.matches", messages[sent % 3].clone());
            sent += 1;
        }
        liar.flush();
        let finished = running.finish(MATCH_TIME);
        finished.assert_counts(GAMES);
        assert_eq!(finished.games_of("n0"), GAMES);
        let node = finished.node("liar");
        assert_eq!(
            (&node["refused"], &node["standing"]),
            (&json!(3), &json!("unwelcome"))
        );
        let log = &finished.log;
        assert!(
            log.len() < 20_000 && !log.contains('\u{1b}') && !log.contains("\nforged"),
            "{sent} messages: {log}"
        );
    });
}

#[test]
fn fleet_counts_a_pair_once_if_it_is_delivered_twice() {
    together_blocking(|| {
        let broker = Broker::start();
        let organizer = Organizer::new(&broker.url());
        let running = start(&organizer);
        let twice = Stranger::connect(&broker.url(), "twice");
        let announced = twice.hear_match();
        let id = announced["id"].as_str().unwrap();
        let pulled = twice.pull(id);
        let report = pulled.report(id, &[(), ()].map(|()| pulled.drawn_game(MOVES)));
        for _ in 0..3 {
            assert_eq!(
                twice.report(&report),
                Some(json!("taken")),
                "{}",
                running.log()
            );
        }
        // Another node received the same pair. The first report counts.
        let other = Stranger::connect(&broker.url(), "other");
        let second = pulled.report(id, &[(), ()].map(|()| pulled.drawn_game(MOVES)));
        assert_eq!(other.report(&second), Some(json!("taken")));
        // The pair goes back to the queue although it has been played, so an honest node plays it
        // again.
        twice.put_back(&pulled);
        let _honest = start_node("n0", &broker.url());
        let finished = running.finish(MATCH_TIME);
        finished.assert_counts(GAMES);
        assert_eq!(
            (finished.games_of("twice"), finished.games_of("n0")),
            (2, GAMES - 2)
        );
        assert_eq!(finished.node("twice")["refused"], 0);
    });
}

/// All of the engine's games are identical, because they end before its first move.
#[test]
fn fleet_counts_the_games_of_an_engine_that_always_fails() {
    together_blocking(|| {
        let broker = Broker::start();
        let _honest = start_node("n0", &broker.url());
        let ais = format!("{AI}[ai.broken]\nlibrary = \"ai\"\noptions.fault = \"no_move\"\n");
        let fleet = format!("nats = \"{}\"\nname = \"anna\"\n", broker.url());
        let organizer = Organizer::with(&fleet, &ais);
        let running = organizer.start(&["ai", "broken", "--depth", "1"], &["--games", "12"]);
        let finished = running.finish(MATCH_TIME);
        assert_eq!(finished.games.len(), 12);
        let node = finished.node("n0");
        let counted = (&node["pairs"], &node["refused"], &node["faults"]);
        assert_eq!(counted, (&json!(6), &json!(0), &json!(12)), "{node}");
    });
}
