//! `POST /v1/evaluate`.

use insta::assert_snapshot;
use serde_json::json;

use crate::support::{Application, configuration, shown};

fn app() -> Application {
    Application::of(&configuration(&["ai_basic1", "counts_pawns"]))
}

#[actix_web::test]
async fn returns_the_score_with_its_terms() {
    let app = app();
    let level = app.post("/v1/evaluate", &json!({"game": {}})).await.ok();
    assert_snapshot!(shown(&level), @r#"
    {
      "score": {"cp":0},
      "terms": [{"name":"material","score":{"cp":0}},{"name":"mobility","score":{"cp":0}}],
      "game": {
        "fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "start_fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "moves": [],
        "status": {"state":"in_progress","winner":null,"reason":null,"turn":"white","check":false,"claims":[]}
      },
      "ai": {"id":"ai_basic1","name":"Basic1","version":"1.0.0"}
    }
    "#);
    // A rook up, with 14 moves against 3.
    let game = json!({"fen": "4k3/8/8/8/8/8/8/3RK3 w - - 0 1"});
    let ahead = app.post("/v1/evaluate", &json!({"game": game})).await;
    assert_snapshot!(shown(&ahead.body), @r#"
    {
      "score": {"cp":555},
      "terms": [{"name":"material","score":{"cp":500}},{"name":"mobility","score":{"cp":55}}],
      "game": {
        "fen": "4k3/8/8/8/8/8/8/3RK3 w - - 0 1",
        "start_fen": "4k3/8/8/8/8/8/8/3RK3 w - - 0 1",
        "moves": [],
        "status": {"state":"in_progress","winner":null,"reason":null,"turn":"white","check":false,"claims":[]}
      },
      "ai": {"id":"ai_basic1","name":"Basic1","version":"1.0.0"}
    }
    "#);
}

#[actix_web::test]
async fn the_score_is_from_whites_view() {
    let app = app();
    for (fen, sign) in [
        ("4k3/8/8/8/8/8/8/QQ2K3 w - - 0 1", 1),
        ("4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1", 1),
        ("qq2k3/8/8/8/8/8/8/4K3 w - - 0 1", -1),
        ("qq2k3/8/8/8/8/8/8/4K3 b - - 0 1", -1),
    ] {
        let reply = app
            .post("/v1/evaluate", &json!({"game": {"fen": fen}}))
            .await;
        assert_eq!(
            reply.body["score"]["cp"].as_i64().unwrap().signum(),
            sign,
            "{fen}: {}",
            reply.body
        );
    }
}

#[actix_web::test]
async fn evaluates_the_last_position_of_a_game() {
    let app = app();
    let moves = json!(["e2e4", "d7d5", "e4d5"]);
    let played = app
        .post("/v1/evaluate", &json!({"game": {"moves": moves}}))
        .await
        .ok();
    let fen = "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2";
    let placed = app
        .post("/v1/evaluate", &json!({"game": {"fen": fen}}))
        .await;
    for field in ["score", "terms"] {
        assert_eq!(played[field], placed.body[field]);
    }
    assert_eq!(played["game"]["fen"], fen);
}

#[actix_web::test]
async fn strips_control_characters_from_names_of_terms() {
    let game = json!({"fen": "4k3/pp6/8/8/8/8/8/4K3 w - - 0 1"});
    let reply = app()
        .post("/v1/evaluate", &json!({"game": game, "ai": "counts_pawns"}))
        .await
        .ok();
    assert_snapshot!(shown(&reply), @r#"
    {
      "score": {"cp":-200},
      "terms": [{"name":"pawns ","score":{"cp":-200}}],
      "game": {
        "fen": "4k3/pp6/8/8/8/8/8/4K3 w - - 0 1",
        "start_fen": "4k3/pp6/8/8/8/8/8/4K3 w - - 0 1",
        "moves": [],
        "status": {"state":"in_progress","winner":null,"reason":null,"turn":"white","check":false,"claims":[]}
      },
      "ai": {"id":"counts_pawns","name":"Pawn counter","version":"2.0.0"}
    }
    "#);
}

#[actix_web::test]
async fn returns_the_result_of_a_finished_game() {
    let app = app();
    for (game, score) in [
        (
            json!({"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]}),
            json!({"mate": 0}),
        ),
        (
            json!({"fen": "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"}),
            json!({"mate": 0}),
        ),
        (
            json!({"fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}),
            json!({"cp": 0}),
        ),
        (
            json!({"fen": "4k3/8/8/8/8/8/8/3RK3 w - - 150 100"}),
            json!({"cp": 0}),
        ),
    ] {
        for ai in ["ai_basic1", "counts_pawns"] {
            let reply = app
                .post("/v1/evaluate", &json!({"game": game, "ai": ai}))
                .await;
            assert_eq!(
                (reply.status, &reply.body["score"]),
                (200, &score),
                "{game}: {}",
                reply.body
            );
            assert_eq!(
                (reply.body.get("terms"), &reply.body["ai"]["id"]),
                (None, &json!(ai))
            );
        }
    }
}
