//! `POST /v1/report`.

use std::time::{Duration, Instant};

use futures_util::future::{Either, select};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::{
    errors::check_problem,
    pool::workers::{crash_three_times, until},
    support::{
        Application, basic1_and, configuration, keyed_client, shipped, shown, stable, tablebases,
        with_ais,
    },
};

/// The fool's mate.
const FOOLS_MATE: [&str; 4] = ["f2f3", "e7e5", "g2g4", "d8h4"];

async fn report(app: &Application, body: &Value) -> Value {
    app.post("/v1/report", body).await.ok()
}

#[actix_web::test]
async fn judges_each_move_by_its_loss_of_winning_chances() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let body = json!({"game": {"moves": FOOLS_MATE}, "limit": {"depth": 3}});
    let report = report(&app, &body).await;
    assert_eq!(report["game"]["status"]["reason"], "checkmate");
    let moves = report["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 4);
    for (ply, (judged, uci)) in (1..).zip(moves.iter().zip(FOOLS_MATE)) {
        assert_eq!(
            (&judged["ply"], &judged["move"]["uci"]),
            (&json!(ply), &json!(uci))
        );
    }
    for pair in moves.windows(2) {
        assert_eq!(pair[0]["score_after"], pair[1]["score"]);
        assert_eq!(
            pair[0]["winning_chances"]["after"],
            pair[1]["winning_chances"]["before"]
        );
    }
    // g4 loses all of White's winning chances.
    let (blunder, mate) = (&moves[2], &moves[3]);
    assert_eq!(
        (&blunder["judgement"], &blunder["glyph"]),
        (&json!("blunder"), &json!("??")),
        "{blunder}"
    );
    assert_eq!(blunder["score_after"], json!({"mate": -1}));
    assert_eq!(blunder["winning_chances"]["after"], 0.0);
    assert_eq!(blunder["loss"], blunder["winning_chances"]["before"]);
    assert_ne!(blunder["best"]["move"]["uci"], "g2g4");
    assert_eq!(blunder["best"]["pv"][0], blunder["best"]["move"]["uci"]);
    assert_eq!(blunder["best"]["san"][0], blunder["best"]["move"]["san"]);
    assert_snapshot!(shown(mate), @r#"
    {
      "ply": 4,
      "move": {"uci":"d8h4","san":"Qh4#","from":"d8","to":"h4","promotion":null,"capture":false,"check":true},
      "opening": {"eco":"A00","name":"Barnes Opening: Fool's Mate"},
      "score": {"mate":-1},
      "score_after": {"mate":0},
      "winning_chances": {"before":0.0,"after":0.0},
      "loss": 0.0,
      "judgement": null,
      "glyph": null,
      "best": null,
      "accuracy": 100.0,
      "claims": [{"kind":"finds_mate","text":"mates in 1","moves":1,"start":"before","line":["d8h4"],"san":["Qh4#"],"after":1}]
    }
    "#);
    let accuracy = |side: &str| report["accuracy"][side].as_f64().unwrap();
    let of = |index: usize| moves[index]["accuracy"].as_f64().unwrap();
    // The blunder weighs most, and the harmonic mean is low.
    assert!(
        accuracy("white") < f64::midpoint(of(0), of(2)) - 5.0,
        "{report}"
    );
    assert!(accuracy("white") > of(2), "{report}");
    assert!(accuracy("black") > 90.0, "{report}");
}

#[actix_web::test]
async fn does_not_judge_a_forced_move() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    // The king in the corner has one legal move.
    let game = json!({"fen": "k7/8/2K5/8/8/8/8/1R6 b - - 0 1", "moves": ["a8a7"]});
    let report = report(&app, &json!({"game": game, "limit": {"depth": 3}})).await;
    let only = &report["moves"][0];
    for field in ["judgement", "glyph", "best", "accuracy"] {
        assert_eq!(only[field], Value::Null, "{field}: {only}");
    }
    assert_eq!(report["accuracy"], json!({"white": null, "black": null}));
}

#[actix_web::test]
async fn assigns_moves_to_their_sides_when_black_begins() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    // Black loses the queen.
    let game = json!({"fen": "4k3/8/8/3q4/8/4P3/8/4K3 b - - 0 1", "moves": ["d5d4"]});
    let report = report(&app, &json!({"game": game, "limit": {"depth": 2}})).await;
    let given = &report["moves"][0];
    assert_eq!(given["judgement"], "blunder", "{given}");
    assert!(
        given["winning_chances"]["before"].as_f64() < given["winning_chances"]["after"].as_f64()
    );
    assert_eq!(report["accuracy"]["white"], Value::Null);
    assert_eq!(report["accuracy"]["black"], given["accuracy"]);
}

#[actix_web::test]
async fn streams_each_judgement_and_the_complete_report() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let body = json!({"game": {"moves": FOOLS_MATE}, "limit": {"depth": 2}});
    let reported = app.stream("/v1/report", &body).await;
    let start = &reported[0];
    assert_eq!(
        (&start["of"], &start["limit"]),
        (&json!(4), &json!({"depth": 2})),
        "{start}"
    );
    let whole = report(&app, &body).await;
    let judged: Vec<_> = reported
        .iter()
        .filter(|record| record["type"] == "judged")
        .collect();
    assert_eq!(judged.len(), 4);
    for (done, (record, judged)) in
        (1..).zip(judged.into_iter().zip(whole["moves"].as_array().unwrap()))
    {
        let mut expected = judged.clone();
        for (key, value) in [
            ("type", json!("judged")),
            ("done", json!(done)),
            ("of", json!(4)),
        ] {
            expected[key] = value;
        }
        assert_eq!(record, &expected);
    }
    let mut result = reported.last().unwrap().clone();
    result.as_object_mut().unwrap().remove("type");
    assert_eq!(result, whole);
}

#[actix_web::test]
async fn streams_progress_for_each_position() {
    let app = Application::of(&configuration(&["deepening"]));
    let body = json!({"game": {"moves": ["e2e4", "e7e5"]}, "limit": {"movetime_ms": 250}});
    let records = app.stream("/v1/report", &body).await;
    let mut judged = 0;
    let mut searched = std::collections::BTreeSet::new();
    for record in &records {
        match record["type"].as_str().unwrap() {
            "judged" => judged += 1,
            "info" => {
                let ply = record["ply"].as_u64().unwrap();
                // Each position is searched before the move that leads to it is judged.
                assert!(
                    ply == judged || ply == judged + 1,
                    "{ply} after {judged}: {records:?}"
                );
                assert_eq!(
                    record.get("ai"),
                    None,
                    "only the start record names it: {record}"
                );
                let ranks = if ply == 1 { ['7', '8'] } else { ['1', '2'] };
                let from = record["pv"][0].as_str().unwrap().chars().nth(1).unwrap();
                assert!(ranks.contains(&from), "the side to move: {record}");
                searched.insert(ply);
            }
            _ => {}
        }
    }
    assert_eq!(Vec::from_iter(searched), [0, 1, 2], "{records:?}");
}

#[actix_web::test]
async fn returns_an_empty_report_without_moves() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let empty = report(&app, &json!({"game": {}})).await;
    assert_eq!(
        (&empty["moves"], &empty["ai"]["id"]),
        (&json!([]), &json!("ai_basic1"))
    );
    assert_eq!(empty["accuracy"], json!({"white": null, "black": null}));
    assert_eq!(
        app.stream("/v1/report", &json!({"game": {}})).await.len(),
        2
    );
}

#[actix_web::test]
async fn a_second_occurrence_of_a_position_makes_no_blunder() {
    // White is a queen down throughout. After the last Qb4+, Kd1 would repeat the position after
    // e3.
    let moves = "d2d4 d7d5 d1d2 f7f5 d2c3 d8d6 c3b4 d6b4 e1d1 c8e6 e2e3 b4d6 d1d2 d6b4 d2d3";
    let moves: Vec<_> = moves.split(' ').collect();
    let app = Application::of(&configuration(&["ai_basic1", "ai_huo1", "ai_nnue1"]));
    for (ai, depth) in [("ai_basic1", 5), ("ai_huo1", 3), ("ai_nnue1", 7)] {
        let body = json!({"ai": ai, "game": {"moves": moves}, "limit": {"depth": depth}});
        let report = report(&app, &body).await;
        for judged in &report["moves"].as_array().unwrap()[11..] {
            assert_eq!(judged["glyph"], Value::Null, "{ai}: {judged}");
            assert!(
                judged["score"]["cp"].as_i64().unwrap() < -600,
                "{ai}: {judged}"
            );
        }
    }
}

#[actix_web::test]
async fn a_fault_of_the_ai_ends_the_report() {
    let app = Application::of(&configuration(&["abort_at_clock_50"]));
    // The AI aborts in the position after the second move.
    let game =
        json!({"fen": "4k3/8/8/8/8/8/8/R3K3 w - - 48 60", "moves": ["a1a2", "e8e7", "a2a3"]});
    check_problem(
        "the AI aborts",
        &app.post("/v1/report", &json!({"game": game})).await,
        502,
        "ai_crashed",
    );
    let reported = app.stream("/v1/report", &json!({"game": game})).await;
    let kinds: Vec<_> = reported
        .iter()
        .map(|record| record["type"].as_str().unwrap())
        .collect();
    // The stream starts before the second search fails.
    assert_eq!(kinds, ["start", "judged", "error"], "{reported:?}");
    assert_eq!(reported[2]["code"], "ai_crashed");
}

/// A game of this many half-moves in which only the knights move.
fn shuffling(plies: usize) -> Value {
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"];
    // A fourfold repetition does not end a game; a fivefold one would.
    assert!(plies <= 12);
    json!({"moves": moves.iter().cycle().take(plies).collect::<Vec<_>>()})
}

/// An AI that uses all of its time.
fn deepening(server: &str, client: &str) -> Application {
    Application::of(&with_ais(
        &[("thinker", "deepening", "")],
        &format!("{client}\n[server]\n{server}"),
    ))
}

#[actix_web::test]
async fn divides_its_timeout_among_the_positions() {
    let app = deepening("report_timeout_ms = 1500", "");
    let began = Instant::now();
    let body = json!({"game": shuffling(12), "limit": {"movetime_ms": 60_000}});
    let judged = report(&app, &body).await;
    assert_eq!(judged["moves"].as_array().unwrap().len(), 12);
    // If each position used the complete move timeout, the thirteen positions would take two
    // minutes.
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
}

#[actix_web::test]
async fn waits_for_the_rate_at_each_position() {
    let app = deepening("", "rate = \"20/s burst 1\"\n");
    let began = Instant::now();
    report(&app, &json!({"game": shuffling(8), "limit": {"depth": 1}})).await;
    assert!(
        began.elapsed() >= Duration::from_millis(8 * 50 - 10),
        "{:?}",
        began.elapsed()
    );
}

#[actix_web::test]
async fn ends_at_report_timeout_ms() {
    let app = deepening("report_timeout_ms = 1000", "rate = \"1/h burst 2\"\n");
    let body = json!({"game": shuffling(4), "limit": {"depth": 1}});
    let reported = app.stream("/v1/report", &body).await;
    let kinds = reported
        .iter()
        .map(|record| record["type"].as_str().unwrap());
    let kinds: Vec<_> = kinds.filter(|kind| *kind != "info").collect();
    assert_eq!(kinds, ["start", "judged", "error"], "{reported:?}");
    let last = reported.last().unwrap();
    assert_eq!(
        (&last["code"], &last["status"]),
        (&json!("queue_full"), &json!(503)),
        "{last}"
    );
    assert_eq!(last["retry_after_s"], 1, "{last}");
    let detail = last["detail"].as_str().unwrap();
    assert!(
        detail.contains("1000 ms") && detail.contains("1 of 4 half-moves"),
        "{detail}"
    );
}

#[actix_web::test]
async fn applies_client_maxima_to_each_position() {
    let app = deepening("", "max_depth = 2\n");
    let began = Instant::now();
    let reported = app
        .stream(
            "/v1/report",
            &json!({"game": shuffling(4), "limit": {"depth": 1000}}),
        )
        .await;
    assert_eq!(reported[0]["limit"], json!({"depth": 2}), "{}", reported[0]);
    assert_eq!(
        reported.last().unwrap()["moves"][3]["score_after"],
        json!({"cp": 2})
    );
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
}

#[actix_web::test]
async fn keeps_the_fallback_for_the_whole_report() {
    let ai = "abort_at_clock_50";
    let app = Application::of(&with_ais(
        &[
            (ai, ai, "fallback = \"basic1\""),
            ("basic1", "ai_basic1", ""),
        ],
        "",
    ));
    crash_three_times(&app, ai).await;
    let body = json!({"game": {"moves": FOOLS_MATE}, "limit": {"depth": 2}});
    let judged = report(&app, &body).await;
    assert_eq!(
        (&judged["ai"]["id"], &judged["ai"]["fallback_for"]),
        (&json!("basic1"), &json!(ai))
    );
    assert_eq!(judged["moves"][2]["judgement"], "blunder", "{judged}");
}

#[actix_web::test]
async fn judges_moves_in_tablebase_positions_by_their_results() {
    let app = Application::of(&basic1_and(&tablebases()));
    // White's first move keeps the win, and the second gives the queen away.
    let game =
        json!({"fen": "3Q4/8/8/8/8/2k5/8/K7 w - - 0 1", "moves": ["d8d5", "c3b4", "d5c4", "b4c4"]});
    let reply = app
        .post("/v1/report", &json!({"game": game, "limit": {"depth": 1}}))
        .await
        .ok();
    let moves = reply["moves"].as_array().unwrap();
    let judgements: Vec<_> = moves
        .iter()
        .map(|judged| judged["judgement"].as_str())
        .collect();
    assert_eq!(judgements, [None, None, Some("blunder"), None], "{reply}");
    assert_eq!(
        (&moves[2]["score"], &moves[2]["score_after"]),
        (&json!({"cp": 20_000}), &json!({"cp": 0})),
        "{reply}"
    );
    assert_eq!(moves[1]["score_after"], json!({"cp": 20_000}));
    assert_ne!(moves[2]["best"]["move"]["uci"], "d5c4");
}

#[actix_web::test]
async fn judges_every_game_of_a_text() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let texts = ["1. f3 e5 2. g4 Qh4# 0-1", "*", "1. e4 e5 *"];
    let body = json!({"game": {"pgn": texts.join("\n\n")}, "limit": {"depth": 2}});
    let several = report(&app, &body).await;
    assert!(several.get("moves").is_none(), "{several}");
    let games = several["games"].as_array().unwrap();
    assert_eq!(games.len(), 3);
    for (game, text) in games.iter().zip(texts) {
        let one = report(&app, &json!({"game": {"pgn": text}, "limit": {"depth": 2}})).await;
        for key in ["game", "moves", "accuracy"] {
            assert_eq!(game[key], one[key], "{text}");
        }
        assert_eq!(several["ai"], one["ai"]);
    }
    let reported = app.stream("/v1/report", &body).await;
    assert_eq!(reported[0]["of"], 6);
    let judged = reported.iter().filter(|record| record["type"] == "judged");
    let places: Vec<_> = judged
        .map(|record| json!([record["index"], record["ply"], record["done"]]))
        .collect();
    let expected = [
        [0, 1, 1],
        [0, 2, 2],
        [0, 3, 3],
        [0, 4, 4],
        [2, 1, 5],
        [2, 2, 6],
    ];
    assert_eq!(places, expected.map(|place| json!(place)));
    let mut result = reported.last().unwrap().clone();
    result.as_object_mut().unwrap().remove("type");
    assert_eq!(result, several);
}

#[actix_web::test]
async fn shares_its_timeout_among_several_games() {
    let app = deepening("report_timeout_ms = 1500", "");
    let began = Instant::now();
    let body =
        json!({"game": {"pgn": "1. e4 e5 *\n\n".repeat(5)}, "limit": {"movetime_ms": 60_000}});
    let judged = report(&app, &body).await;
    assert_eq!(judged["games"].as_array().unwrap().len(), 5);
    // If each position used the complete move timeout, the fifteen positions would take more than
    // two minutes.
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
}

#[actix_web::test]
async fn an_ai_without_scores_judges_only_the_end() {
    let seeded = (
        "seeded",
        "seeded",
        "options = { book_seed = 0 }\noverridable_options = ['book_seed']",
    );
    let app = Application::of(&with_ais(&[seeded], ""));
    let body = json!({"game": {"moves": FOOLS_MATE}});
    let judged = report(&app, &body).await;
    let none = json!({"before": null, "after": null});
    for judged in &judged["moves"].as_array().unwrap()[..3] {
        assert_eq!(
            (&judged["score"], &judged["score_after"]),
            (&Value::Null, &Value::Null),
            "{judged}"
        );
        assert_eq!(judged["winning_chances"], none, "{judged}");
        assert_judged_by_nothing(judged);
    }
    let mate = &judged["moves"][3];
    assert_eq!(
        (&mate["score"], &mate["score_after"]),
        (&Value::Null, &json!({"mate": 0}))
    );
    assert_eq!(
        mate["winning_chances"],
        json!({"before": null, "after": 0.0})
    );
    // A searched position has a score even if it is equal.
    let searched = json!({"game": {"moves": FOOLS_MATE}, "options": {"book_seed": 2}});
    assert_eq!(
        report(&app, &searched).await["moves"][0]["score"],
        json!({"cp": 0})
    );
}

fn assert_judged_by_nothing(judged: &Value) {
    for field in ["loss", "judgement", "glyph", "best", "accuracy"] {
        assert_eq!(judged[field], Value::Null, "{field}: {judged}");
    }
}

const RUY_LOPEZ: [&str; 10] = [
    "e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7",
];

#[actix_web::test]
async fn the_shipped_ai_with_a_book_searches_what_it_judges() {
    let app = Application::of(&shipped());
    let searched = |ai: &str, analysis: bool| {
        json!({
            "game": {"moves": RUY_LOPEZ[..4]},
            "ai": ai,
            "limit": {"nodes": 5_000},
            "analysis": analysis,
        })
    };
    let depth = |reply: &Value| reply["search"]["depth"].as_u64().unwrap();
    assert_eq!(
        depth(
            &app.post("/v1/best-move", &searched("nnue1", false))
                .await
                .ok()
        ),
        0,
        "the AI plays from its book"
    );
    assert!(
        depth(
            &app.post("/v1/best-move", &searched("nnue1", true))
                .await
                .ok()
        ) > 0
    );
    let compared =
        json!({"game": {"moves": RUY_LOPEZ[..4]}, "ais": ["nnue1"], "limit": {"nodes": 5_000}});
    let compared = app.post("/v1/compare", &compared).await.ok();
    assert!(depth(&compared["answers"][0]) > 0, "{compared}");

    let body = json!({"game": {"moves": RUY_LOPEZ}, "ai": "nnue1", "limit": {"nodes": 50_000}});
    let records = app.stream("/v1/report", &body).await;
    let judged: Vec<_> = records
        .iter()
        .filter(|record| record["type"] == "judged")
        .collect();
    assert_eq!(judged.len(), RUY_LOPEZ.len());
    for judged in judged {
        for field in ["score", "score_after", "loss", "accuracy", "opening"] {
            assert!(!judged[field].is_null(), "{field}: {judged}");
        }
        assert_eq!(judged["judgement"], Value::Null, "{judged}");
    }
}

#[actix_web::test]
async fn a_book_move_of_an_ai_that_ignores_analysis_judges_nothing() {
    let faulty = (
        "faulty",
        "faulty",
        "options.fault = \"plays_from_its_book_in_analysis\"",
    );
    let app = Application::of(&with_ais(&[faulty], ""));
    let judged = report(&app, &json!({"game": {"moves": RUY_LOPEZ}})).await;
    let moves = judged["moves"].as_array().unwrap();
    // The AI's book has four moves, and its scores for these positions are not 0.
    for (ply, judged) in (1..).zip(moves) {
        assert_eq!(judged["score"].is_null(), ply <= 8, "{judged}");
        assert_eq!(judged["score_after"].is_null(), ply <= 7, "{judged}");
        if ply <= 8 {
            assert_judged_by_nothing(judged);
        } else {
            assert!(!judged["accuracy"].is_null(), "{judged}");
        }
    }
    assert!(
        judged["accuracy"]["white"].is_number(),
        "the other moves count: {judged}"
    );
}

#[actix_web::test]
async fn names_theory_next_to_the_judgement() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let names = async |moves: &[&str]| {
        let body = json!({"game": {"moves": moves}, "limit": {"depth": 2}});
        let judged = report(&app, &body).await;
        let streamed = app.stream("/v1/report", &body).await;
        let streamed = streamed.iter().filter(|record| record["type"] == "judged");
        let streamed: Vec<_> = streamed.map(|record| record["opening"].clone()).collect();
        let moves = judged["moves"].as_array().unwrap();
        let openings: Vec<_> = moves
            .iter()
            .map(|judged| judged["opening"].clone())
            .collect();
        assert_eq!(openings, streamed);
        (judged, openings)
    };
    let (blunder, openings) = names(&FOOLS_MATE).await;
    assert!(openings.iter().all(Value::is_object), "{blunder}");
    assert_eq!(
        blunder["moves"][2]["judgement"], "blunder",
        "theory does not overrule a judgement"
    );
    assert_eq!(openings.last(), Some(&blunder["game"]["opening"]));
    let (left, openings) = names(&["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "h7h5", "a2a4"]).await;
    assert_eq!(openings[4], json!({"eco": "C60", "name": "Ruy Lopez"}));
    assert_eq!(openings[5..], [Value::Null, Value::Null]);
    assert_eq!(left["game"]["opening"], openings[4]);
}

/// An AI that sleeps in each search instead of computing.
fn sleeper(workers: usize, time_ms: u32, clients: &str) -> Application {
    let settings = format!("workers = {workers}\noptions.time_ms = {time_ms}");
    Application::of(&with_ais(&[("sleeper", "sleep", &settings)], clients))
}

/// A long game that no repetition ends.
fn long_game() -> Value {
    let moves: Vec<_> = ["a", "b", "c", "d", "e", "g", "h"]
        .iter()
        .flat_map(|file| ["g1f3", "g8f6", "f3g1", "f6g8", ""].map(|text| (file, text)))
        .flat_map(|(file, text)| match text {
            "" => vec![format!("{file}2{file}3"), format!("{file}7{file}6")],
            text => vec![text.to_owned()],
        })
        .collect();
    json!({"moves": moves})
}

#[actix_web::test]
async fn every_worker_searches_positions() {
    let body = json!({"game": shuffling(12), "limit": {"depth": 1}});
    let time = async |workers| {
        let app = sleeper(workers, 100, "");
        let began = Instant::now();
        report(&app, &body).await;
        began.elapsed()
    };
    let (one, four) = (time(1).await, time(4).await);
    assert!(
        four < one / 2,
        "{one:?} with one worker, {four:?} with four"
    );
}

#[actix_web::test]
async fn more_workers_change_nothing_but_times() {
    let body = json!({"game": long_game(), "limit": {"depth": 2}});
    let reported = async |workers: usize| {
        let settings = format!("workers = {workers}");
        let app = Application::of(&with_ais(&[("basic1", "ai_basic1", &settings)], ""));
        let records = app.stream("/v1/report", &body).await;
        let others = records
            .into_iter()
            .filter(|record| record["type"] != "info");
        (
            stable(&report(&app, &body).await),
            others.map(|record| stable(&record)).collect(),
        )
    };
    let (one, four): ((_, Vec<_>), (_, Vec<_>)) = (reported(1).await, reported(4).await);
    assert_eq!(one.0["moves"].as_array().unwrap().len(), 42);
    assert_eq!(one.1.len(), 44);
    assert_eq!(one, four);
}

#[actix_web::test]
async fn a_report_delays_other_clients_by_at_most_one_search() {
    let app = sleeper(2, 100, &keyed_client("alice", "sleeper"));
    let body = json!({"game": long_game()});
    let reported = Box::pin(app.stream("/v1/report", &body));
    let other = Box::pin(async {
        let mut longest = Duration::ZERO;
        for _ in 0..3 {
            let began = Instant::now();
            app.post_with_key("alice", "/v1/best-move", &json!({"game": {}}))
                .await
                .ok();
            longest = longest.max(began.elapsed());
        }
        longest
    });
    // The report takes 21 times 100 ms.
    let Either::Right((longest, _)) = select(reported, other).await else {
        panic!("the report ended first")
    };
    assert!(longest < Duration::from_secs(1), "{longest:?}");
}

#[actix_web::test]
async fn a_cancelled_report_stops_all_of_its_searches() {
    let app = sleeper(3, 60_000, "");
    let busy = async |count: usize| {
        let line = format!("rookery_ai_workers{{ai=\"sleeper\",state=\"busy\"}} {count}\n");
        let has_line = async || {
            let metrics = app.get("/metrics").await.body;
            metrics.as_str().unwrap().contains(&line)
        };
        until("the workers are busy", has_line).await;
    };
    let body = json!({"game": shuffling(4), "limit": {"movetime_ms": 50_000}});
    let reported = Box::pin(app.post("/v1/report", &body));
    let Either::Right(((), reported)) = select(reported, Box::pin(busy(3))).await else {
        panic!("the report ended first")
    };
    drop(reported);
    busy(0).await;
}
