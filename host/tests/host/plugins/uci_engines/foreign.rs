//! The UCI engines that `make test-all` installs.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::best_move;
use crate::support::{
    Application, ConfigFile, assert_has, directories, start_error, started, with_ais,
};

const ENGINES: [&str; 4] = ["stockfish", "toga2", "glaurung", "gnuchess --uci"];

fn program(command: &str) -> String {
    let program = format!("/usr/games/{}", command.split(' ').next().unwrap());
    assert!(
        Path::new(&program).exists(),
        "{program} is not installed; `make test-all` installs it"
    );
    program
}

fn engine(command: &str, settings: &str) -> ConfigFile {
    let program = program(command);
    with_ais(
        &[("engine", "ai_uci", &format!("allow_exec = [\"{program}\"]"))],
        &format!("[ai.engine.options]\ncommand = \"/usr/games/{command}\"\n{settings}"),
    )
}

#[actix_web::test]
async fn every_engine_keeps_limits_and_finds_a_mate() {
    for command in ENGINES {
        let app = Application::of(&engine(command, ""));
        for limit in [
            json!({"depth": 4}),
            json!({"nodes": 3000}),
            json!({"movetime_ms": 100}),
        ] {
            let game = json!({"moves": ["e2e4", "e7e5", "g1f3"]});
            let reply = app
                .post("/v1/best-move", &json!({"game": game, "limit": limit}))
                .await;
            assert_eq!(reply.status, 200, "{command}, {limit}: {}", reply.body);
            assert_eq!(
                reply.body["search"]["pv"][0], reply.body["move"]["uci"],
                "{command}: {}",
                reply.body
            );
            assert!(
                reply.body["search"]["nodes"].as_u64().unwrap() > 0,
                "{command}: {}",
                reply.body
            );
        }
        for (fen, best, mate) in [
            ("7k/6pp/8/8/8/8/8/R5K1 w - - 0 1", "a1a8", 1),
            ("r5k1/8/8/8/8/8/6PP/7K b - - 0 1", "a8a1", -1),
        ] {
            let body = json!({"game": {"fen": fen}, "limit": {"depth": 4}});
            let reply = app.post("/v1/best-move", &body).await;
            assert_eq!(reply.body["move"]["uci"], best, "{command}: {}", reply.body);
            assert_eq!(
                reply.body["score"],
                json!({"mate": mate}),
                "{command}: {}",
                reply.body
            );
        }
    }
}

#[actix_web::test]
async fn options_of_a_request_apply_only_to_that_request() {
    let text = |open: &str| {
        ConfigFile::new(&format!(
            "[ai.engine]\nlibrary = \"ai_uci\"\nallow_exec = [\"{0}\"]\noverridable_options = \
             [{open}]\n[client.default]\nai = \"engine\"\n[ai.engine.options]\ncommand = \
             \"{0}\"\n",
            program("stockfish")
        ))
    };
    let app = Application::of(&text("\"uci_limit_strength\", \"uci_elo\", \"elo\""));
    let nodes = async |options: Value| {
        let body = json!({"game": {}, "limit": {"depth": 8}, "options": options});
        app.post("/v1/best-move", &body).await.ok()["search"]["nodes"].clone()
    };
    let strong = nodes(json!({})).await;
    // A weak Stockfish computes several lines and plays a worse one.
    assert_ne!(
        nodes(json!({"uci_limit_strength": true, "uci_elo": 1400})).await,
        strong
    );
    assert_eq!(nodes(json!({})).await, strong);
    assert_ne!(nodes(json!({"elo": 1400})).await, strong);
    assert_eq!(nodes(json!({"elo": 0})).await, strong);

    let refusal = "lets requests set `command`, which could name a program";
    assert_has(&start_error(&text("\"command\"")), &[refusal]);
}

#[actix_web::test]
async fn passes_on_bounds_and_chances() {
    let app = Application::of(&engine("stockfish", ""));
    // White is a queen up.
    let game = json!({"fen": "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"});
    let body = json!({"game": game, "limit": {"depth": 10}, "lines": 2});
    let reply = app.post("/v1/best-move", &body).await;
    let search = &reply.body["search"];
    for found in [search, &search["lines"][0], &search["lines"][1]] {
        let chances: Vec<_> = found["wdl"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| part.as_u64().unwrap())
            .collect();
        assert_eq!(chances.iter().sum::<u64>(), 1000, "{}", reply.body);
        assert!(chances[0] > 900, "White's chances: {}", reply.body);
        assert_eq!(found.get("bound"), None, "{}", reply.body);
    }
    let game = app
        .post(
            "/v1/best-move",
            &json!({"game": game, "limit": {"mate": 1, "movetime_ms": 200}}),
        )
        .await;
    assert_eq!(game.ok()["search"]["stopped_by"], "movetime");
}

#[actix_web::test]
async fn accepts_both_castling_notations() {
    let app = Application::of(&engine("stockfish", ""));
    // In each position castling is the only mate.
    for (fen, best) in [
        ("8/8/8/8/8/4R3/7R/1k2K2R w K - 0 1", "e1g1"),
        ("8/6B1/8/8/8/1R6/R7/RK5k w A - 0 1", "b1a1"),
        ("8/1R6/8/8/8/8/1Q6/R3K2k w Q - 0 1", "e1c1"),
        ("8/6R1/8/8/8/8/5R2/k2K2R1 w G - 0 1", "d1g1"),
    ] {
        let body = json!({"game": {"fen": fen}, "limit": {"depth": 6}});
        let reply = app.post("/v1/best-move", &body).await.ok();
        assert_eq!(
            (&reply["move"]["uci"], &reply["score"]),
            (&json!(best), &json!({"mate": 1})),
            "{reply}"
        );
        assert!(
            reply["move"]["san"].as_str().unwrap().starts_with("O-O"),
            "{reply}"
        );
    }
    // The engine must understand both sides' castling to reach this position.
    let castled = json!({
        "moves": ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1g1", "g8f6", "d2d3", "e8g8"],
    });
    app.post(
        "/v1/best-move",
        &json!({"game": castled, "limit": {"depth": 4}}),
    )
    .await
    .ok();
    let fen = "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1";
    let castled = json!({"fen": fen, "moves": ["b2b3", "b7b6", "c1b2", "c8b7", "d1b1", "d8b8"]});
    app.post(
        "/v1/best-move",
        &json!({"game": castled, "limit": {"depth": 4}}),
    )
    .await
    .ok();
}

#[actix_web::test]
async fn chess960_requires_an_engine_that_declares_it() {
    let app = Application::of(&engine("stockfish", ""));
    assert_eq!(
        app.get("/v1/ais/engine").await.body["capabilities"]["chess960"],
        true
    );
    let app = Application::of(&engine("toga2", ""));
    assert_eq!(
        app.get("/v1/ais/engine").await.body["capabilities"]["chess960"],
        false
    );
    let game = json!({"fen": "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1"});
    let reply = app.post("/v1/best-move", &json!({"game": game})).await;
    assert!((400..500).contains(&reply.status), "{}", reply.body);
}

#[actix_web::test]
async fn repeats_its_answer_whatever_came_before() {
    let app = Application::of(&engine("stockfish", ""));
    let other = json!({"game": {"moves": ["d2d4", "d7d5"]}, "limit": {"depth": 8}});
    for limit in [
        json!({"nodes": 20_000}),
        json!({"nodes": 20_000, "movetime_ms": 5000}),
    ] {
        let first = best_move(&app, limit.clone()).await;
        assert_eq!(app.post("/v1/best-move", &other).await.status, 200);
        let second = best_move(&app, limit).await;
        assert_eq!(
            first.body["search"]["nodes"],
            second.body["search"]["nodes"]
        );
        for part in ["move", "score"] {
            assert_eq!(first.body[part], second.body[part]);
        }
    }
}

#[test]
fn the_stockfish_configuration_works() {
    program("stockfish");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/stockfish.toml");
    let text = fs::read_to_string(file)
        .unwrap()
        .replace("[\"../target/release\"]", &directories());
    let file = ConfigFile::verbatim(&text);
    let config = file.load();
    assert_eq!(config.ais["stockfish"].sandbox.exec.len(), 1);
    let ais = ["default", "stockfish"].map(|client| config.clients[client].ai.as_str());
    assert_eq!(ais, ["basic1", "stockfish"]);
    started(&file);
}
