//! The API of 2014, as its own client uses it.

use serde_json::{Value, json};

use crate::support::{Application, ai, configuration};

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
