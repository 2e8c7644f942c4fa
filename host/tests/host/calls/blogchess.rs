//! The API of 2014, as its own client uses it.

use serde_json::{Value, json};

use crate::support::{Application, ai, configuration, with_ais};

fn start() -> Value {
    json!([
        [-4, -2, -3, -5, -6, -3, -2, -4],
        [-1, -1, -1, -1, -1, -1, -1, -1],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 1, 1, 1],
        [4, 2, 3, 5, 6, 3, 2, 4]
    ])
}

#[actix_web::test]
async fn self_play_reaches_the_end_of_a_game() {
    let app = Application::of(&ai("basic1", "ai_basic1", "limit = { depth = 2 }"));
    let mut game =
        json!({"GameStatus": "WhitesTurn", "Positions": [{"Board": start()}], "CurrentEvaluation": 0.0});
    for ply in 1..=1200 {
        let followers = app.post("/api/BlogChess/ValidMoves", &game).await;
        let reply = app.post("/api/BlogChess/BestMove", &game).await;
        assert_eq!(reply.status, 200, "ply {ply}: {}", reply.body);
        let positions = reply.body["Positions"].as_array().unwrap();
        assert_eq!(positions.len(), ply + 1);
        assert!(
            followers.body.as_array().unwrap().contains(&positions[ply]),
            "ply {ply} is no legal successor"
        );
        assert_eq!(positions[..ply], game["Positions"].as_array().unwrap()[..], "ply {ply} changed the past");
        assert!(reply.body["CurrentEvaluation"].is_number());
        game = reply.body;
        let status = game["GameStatus"].as_str().unwrap();
        if status == "WhitesTurn" || status == "BlacksTurn" {
            assert_eq!(status == "WhitesTurn", ply % 2 == 0);
            continue;
        }
        return check_end(&app, &game).await;
    }
    panic!("the game does not end");
}

/// Checks the result against the rules, and that a finished game does not change.
async fn check_end(app: &Application, game: &Value) {
    let boards: Vec<_> =
        game["Positions"].as_array().unwrap().iter().map(|position| &position["Board"]).collect();
    let validated = app.post("/v1/validate", &json!({"game": {"boards": boards}})).await;
    let status = &validated.body["game"]["status"];
    let expected = match status["winner"].as_str() {
        Some("white") => "WhiteWin",
        Some("black") => "BlackWin",
        _ => "Draw",
    };
    assert_ne!(status["state"], "in_progress");
    assert_eq!(game["GameStatus"], expected);
    let again = app.post("/api/BlogChess/BestMove", game).await;
    assert_eq!((again.status, &again.body["GameStatus"]), (200, &game["GameStatus"]), "{}", again.body);
    assert_eq!(again.body["Positions"], game["Positions"]);
    let followers = app.post("/api/BlogChess/ValidMoves", game).await;
    assert_eq!(followers.body, json!([]));
}

#[actix_web::test]
async fn returns_the_status_in_the_form_of_the_request() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let game = json!({"GameStatus": 0, "Positions": [{"Board": start()}]});
    let reply = app.post("/api/BlogChess/BestMove", &game).await;
    assert_eq!((reply.status, &reply.body["GameStatus"]), (200, &json!(1)), "{}", reply.body);
    let named = json!({"GameStatus": "WhitesTurn", "Positions": [{"Board": start()}]});
    assert_eq!(app.post("/api/BlogChess/BestMove", &named).await.body["GameStatus"], "BlacksTurn");
}

#[actix_web::test]
async fn lists_every_legal_successor_once() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let reply = app
        .post("/api/BlogChess/ValidMoves", &json!({"GameStatus": 0, "Positions": [{"Board": start()}]}))
        .await;
    let boards = reply.body.as_array().unwrap();
    assert_eq!((reply.status, boards.len()), (200, 20));
    assert!(boards.iter().all(|board| board["Board"].as_array().unwrap().len() == 8));
    for (index, board) in boards.iter().enumerate() {
        assert!(!boards[..index].contains(board));
    }
}

#[actix_web::test]
async fn a_query_chooses_the_ai_and_the_depth() {
    let configuration =
        with_ais(&[("basic1", "ai_basic1", "limit = { depth = 4 }"), ("pawns", "counts_pawns", "")], "");
    let app = Application::of(&configuration);
    let game = json!({"GameStatus": 0, "Positions": [{"Board": start()}]});
    let board = async |query: &str| {
        let reply = app.post(&format!("/api/BlogChess/BestMove{query}"), &game).await;
        assert_eq!(reply.status, 200, "{query}: {}", reply.body);
        reply.body["Positions"][1]["Board"].clone()
    };
    let of_call = async |query: Value| {
        let moved = app.post("/v1/best-move", &query).await.ok();
        let converted =
            app.post("/v1/convert", &json!({"game": {"fen": moved["game"]["fen"]}, "to": "boards"})).await;
        converted.body["boards"][0].clone()
    };
    let of_pawns = of_call(json!({"game": {}, "ai": "pawns"})).await;
    assert_eq!(board("?ai=pawns").await, of_pawns);
    let shallow = of_call(json!({"game": {}, "limit": {"depth": 1}})).await;
    assert_eq!(board("?ai=basic1&depth=1").await, shallow);
    assert_ne!(shallow, of_pawns, "the choice makes a difference");
    for (query, pointer, detail) in [
        ("?depth=0", "/depth", "depth is '0'; it is a whole number from 1 to"),
        ("?depth=two", "/depth", "depth is 'two'"),
        ("?level=3", "/level", "the query has a parameter 'level'; this call has ai, depth"),
    ] {
        let reply = app.post(&format!("/api/BlogChess/BestMove{query}"), &game).await;
        assert_eq!((reply.status, &reply.body["pointer"]), (400, &json!(pointer)), "{}", reply.body);
        assert!(reply.body["detail"].as_str().unwrap().starts_with(detail), "{}", reply.body);
    }
    assert_eq!(app.post("/api/BlogChess/BestMove?ai=nobody", &game).await.code(), "unknown_ai");
}

#[actix_web::test]
async fn paths_and_keys_are_matched_in_any_case() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let game = json!({"gameStatus": 0, "POSITIONS": [{"board": start()}]});
    for path in
        ["/api/BlogChess/BestMove", "/api/blogchess/bestmove", "/API/BLOGCHESS/BESTMOVE?ai=counts_pawns"]
    {
        let reply = app.post(path, &game).await;
        assert_eq!((reply.status, &reply.body["GameStatus"]), (200, &json!(1)), "{path}: {}", reply.body);
    }
    let twice = app
        .post_text("/api/blogchess/validmoves", r#"{"GameStatus": 0, "gamestatus": 0, "Positions": []}"#)
        .await;
    assert_eq!((twice.status, &twice.body["pointer"]), (400, &json!("/GameStatus")), "{}", twice.body);
    assert_eq!(
        app.post("/V1/validate", &json!({"game": {}})).await.status,
        404,
        "other paths have one spelling"
    );
}

#[actix_web::test]
async fn an_unknown_parameter_of_a_query_is_an_error() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    for path in ["/v1/validate?ai=basic1", "/v1/best-move?depth=3", "/api/BlogChess/ValidMoves?ai=basic1"] {
        let reply = app.post(path, &json!({"game": {}})).await;
        assert_eq!((reply.status, reply.code()), (400, "malformed_request"), "{path}");
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(detail.ends_with("this call has none"), "{detail}");
    }
    for path in ["/healthz?probe=1", "/readyz?x", "/metrics?x=1", "/openapi.json?v=2", "/?utm=1"] {
        assert_eq!(app.get(path).await.status, 200, "{path}");
    }
}
