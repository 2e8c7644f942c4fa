//! `trace` of `POST /v1/best-move`.

use rules::Game;
use serde_json::{Value, json};

use crate::support::{Application, configuration};

const MIDDLEGAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

async fn traced(app: &Application, ai: &str, nodes: u64) -> Value {
    let body = json!({
        "game": {"fen": MIDDLEGAME},
        "ai": ai,
        "limit": {"depth": 3},
        "trace": {"nodes": nodes},
    });
    app.post("/v1/best-move", &body).await.ok()
}

#[actix_web::test]
async fn returns_a_tree_of_legal_moves() {
    let app = Application::of(&configuration(&["ai_basic1", "ai_huo1", "counts_pawns"]));
    for ai in ["ai_basic1", "ai_huo1", "counts_pawns"] {
        let reply = traced(&app, ai, 500).await;
        let nodes = reply["trace"]["nodes"].as_array().unwrap();
        assert!(
            nodes.len() > 400 && nodes.len() <= 500,
            "{ai}: {}",
            nodes.len()
        );
        assert_eq!(reply["trace"]["truncated"], true, "{ai}");
        let mut games = vec![Game::from_moves(Some(MIDDLEGAME), &[""; 0]).unwrap()];
        for node in &nodes[1..] {
            let parent = node["parent"].as_u64().unwrap() as usize;
            let mut game = games[parent].clone();
            let uci = node["move"]["uci"].as_str().unwrap();
            let chosen = rules::parse_uci(game.position(), uci).unwrap();
            assert_eq!(
                node["move"]["san"],
                *rules::format_san(game.position(), chosen),
                "{ai}: {node}"
            );
            game.play(chosen).unwrap();
            games.push(game);
        }
    }
}

#[actix_web::test]
async fn the_root_equals_the_result() {
    let app = Application::of(&configuration(&["ai_basic1", "ai_huo1", "counts_pawns"]));
    for ai in ["ai_basic1", "ai_huo1", "counts_pawns"] {
        let reply = traced(&app, ai, 2000).await;
        let root = &reply["trace"]["nodes"][0];
        let expected = json!({
            "parent": null,
            "move": null,
            "depth": 3,
            "alpha": null,
            "beta": null,
            "score": reply["score"],
            "bound": "exact",
            "kind": "complete",
        });
        assert_eq!(root, &expected, "{ai}");
        let is_best =
            |node: &&Value| node["parent"] == 0 && node["move"]["uci"] == reply["move"]["uci"];
        let best = reply["trace"]["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .find(is_best)
            .unwrap();
        assert_eq!(
            (&best["score"], &best["bound"]),
            (&reply["score"], &json!("exact")),
            "{ai}"
        );
        let body = json!({"game": {"fen": MIDDLEGAME}, "ai": ai, "limit": {"depth": 3}});
        let plain = app.post("/v1/best-move", &body).await.body;
        assert_eq!(plain.get("trace"), None);
        for part in ["/move", "/score", "/search/nodes", "/search/pv"] {
            assert_eq!(plain.pointer(part), reply.pointer(part), "{ai}: {part}");
        }
    }
}

#[actix_web::test]
async fn truncates_an_invalid_trace() {
    let app = Application::of(&configuration(&["echo"]));
    let reply = traced(&app, "echo", 50).await;
    let trace = &reply["trace"];
    assert_eq!(
        (
            trace["nodes"].as_array().unwrap().len(),
            &trace["truncated"]
        ),
        (1, &json!(true)),
        "{trace}"
    );
}

#[actix_web::test]
async fn the_stream_result_includes_the_trace() {
    let app = Application::of(&configuration(&["ai_basic1"]));
    let body = json!({"game": {"fen": MIDDLEGAME}, "limit": {"depth": 3}, "trace": {"nodes": 30}});
    let records = app.stream("/v1/best-move", &body).await;
    let plain = app.post("/v1/best-move", &body).await.body;
    assert_eq!(records.last().unwrap()["trace"], plain["trace"]);
    assert_eq!(plain["trace"]["nodes"].as_array().unwrap().len(), 30);
}
