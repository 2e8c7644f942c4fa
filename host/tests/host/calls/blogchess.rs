//! The 2014 API, used the way its original client did.

use actix_web::test::TestRequest;
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
    let mut game = json!({
        "GameStatus": "WhitesTurn",
        "Positions": [{"Board": start()}],
        "CurrentEvaluation": 0.0,
    });
    for ply in 1..=1200 {
        let followers = app.post("/api/BlogChess/ValidMoves", &game).await;
        let reply = app.post("/api/BlogChess/BestMove", &game).await;
        assert_eq!(reply.status, 200, "ply {ply}: {}", reply.body);
        let positions = reply.body["Positions"].as_array().unwrap();
        assert_eq!(positions.len(), ply + 1);
        assert!(
            followers.body.as_array().unwrap().contains(&positions[ply]),
            "ply {ply} is not a legal successor"
        );
        assert_eq!(
            positions[..ply],
            game["Positions"].as_array().unwrap()[..],
            "ply {ply} changed an earlier position"
        );
        assert!(reply.body["CurrentEvaluation"].is_number());
        game = reply.body;
        let status = game["GameStatus"].as_str().unwrap();
        if status == "WhitesTurn" || status == "BlacksTurn" {
            assert_eq!(status == "WhitesTurn", ply % 2 == 0);
            continue;
        }
        return check_end(&app, &game).await;
    }
    panic!("the game did not end within 1200 plies");
}

/// Checks the result against the rules, and that a finished game does not change.
async fn check_end(app: &Application, game: &Value) {
    let boards: Vec<_> = game["Positions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|position| &position["Board"])
        .collect();
    let validated = app
        .post("/v1/validate", &json!({"game": {"boards": boards}}))
        .await;
    let status = &validated.body["game"]["status"];
    let expected = match status["winner"].as_str() {
        Some("white") => "WhiteWin",
        Some("black") => "BlackWin",
        _ => "Draw",
    };
    assert_ne!(status["state"], "in_progress");
    assert_eq!(game["GameStatus"], expected);
    let again = app.post("/api/BlogChess/BestMove", game).await;
    assert_eq!(
        (again.status, &again.body["GameStatus"]),
        (200, &game["GameStatus"]),
        "{}",
        again.body
    );
    assert_eq!(again.body["Positions"], game["Positions"]);
    let followers = app.post("/api/BlogChess/ValidMoves", game).await;
    let reason = status["reason"].as_str().unwrap();
    let has_no_move = ["checkmate", "stalemate"].contains(&reason);
    assert_eq!(
        followers.body.as_array().unwrap().is_empty(),
        has_no_move,
        "{reason}"
    );
}

#[actix_web::test]
async fn returns_the_status_in_the_form_of_the_request() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let game = json!({"GameStatus": 0, "Positions": [{"Board": start()}]});
    let reply = app.post("/api/BlogChess/BestMove", &game).await;
    assert_eq!(reply.ok()["GameStatus"], 1);
    let named = json!({"GameStatus": "WhitesTurn", "Positions": [{"Board": start()}]});
    assert_eq!(
        app.post("/api/BlogChess/BestMove", &named).await.body["GameStatus"],
        "BlacksTurn"
    );
}

#[actix_web::test]
async fn lists_every_legal_successor_once() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let reply = app
        .post(
            "/api/BlogChess/ValidMoves",
            &json!({"GameStatus": 0, "Positions": [{"Board": start()}]}),
        )
        .await;
    let boards = reply.body.as_array().unwrap();
    assert_eq!((reply.status, boards.len()), (200, 20));
    assert!(
        boards
            .iter()
            .all(|board| board["Board"].as_array().unwrap().len() == 8)
    );
    for (index, board) in boards.iter().enumerate() {
        assert!(!boards[..index].contains(board));
    }
}

#[actix_web::test]
async fn a_query_chooses_the_ai_and_the_depth() {
    let configuration = with_ais(
        &[
            ("basic1", "ai_basic1", "limit = { depth = 4 }"),
            ("pawns", "counts_pawns", ""),
        ],
        "",
    );
    let app = Application::of(&configuration);
    let game = json!({"GameStatus": 0, "Positions": [{"Board": start()}]});
    let board = async |query: &str| {
        let reply = app
            .post(&format!("/api/BlogChess/BestMove{query}"), &game)
            .await;
        assert_eq!(reply.status, 200, "{query}: {}", reply.body);
        reply.body["Positions"][1]["Board"].clone()
    };
    let of_call = async |query: Value| {
        let moved = app.post("/v1/best-move", &query).await.ok();
        let converted = app
            .post(
                "/v1/convert",
                &json!({"game": {"fen": moved["game"]["fen"]}, "to": "boards"}),
            )
            .await;
        converted.body["boards"][0].clone()
    };
    let of_pawns = of_call(json!({"game": {}, "ai": "pawns"})).await;
    assert_eq!(board("?ai=pawns").await, of_pawns);
    let shallow = of_call(json!({"game": {}, "limit": {"depth": 1}})).await;
    assert_eq!(board("?ai=basic1&depth=1").await, shallow);
    assert_ne!(shallow, of_pawns, "the choice makes a difference");
    for (query, pointer, detail) in [
        (
            "?depth=-1",
            "/depth",
            "depth is '-1'; it must be a whole number from 1 to 1000, or 0 for the evaluation",
        ),
        ("?depth=two", "/depth", "depth is 'two'"),
        ("?Depth=1.0", "/depth", "depth is '1.0'"),
        (
            "?legacy=yes",
            "/legacy",
            "legacy is 'yes'; it must be true or false",
        ),
        (
            "?level=3",
            "/level",
            "unknown query parameter 'level'; this call takes ai, depth, legacy",
        ),
        (
            "?AI=pawns&ai=pawns",
            "/ai",
            "the query is invalid: the field 'ai' occurs twice",
        ),
    ] {
        let reply = app
            .post(&format!("/api/BlogChess/BestMove{query}"), &game)
            .await;
        assert_eq!(
            (reply.status, &reply.body["pointer"]),
            (400, &json!(pointer)),
            "{}",
            reply.body
        );
        assert!(
            reply.body["detail"].as_str().unwrap().starts_with(detail),
            "{}",
            reply.body
        );
    }
    assert_eq!(
        app.post("/api/BlogChess/BestMove?ai=nobody", &game)
            .await
            .code(),
        "unknown_ai"
    );
}

#[actix_web::test]
async fn paths_and_keys_are_matched_in_any_case() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let game = json!({"gameStatus": 0, "POSITIONS": [{"board": start()}]});
    for path in [
        "/api/BlogChess/BestMove",
        "/api/blogchess/bestmove",
        "/API/BLOGCHESS/BESTMOVE?ai=counts_pawns",
    ] {
        let reply = app.post(path, &game).await;
        assert_eq!(
            (reply.status, &reply.body["GameStatus"]),
            (200, &json!(1)),
            "{path}: {}",
            reply.body
        );
    }
    for (path, content_type) in [
        ("/api/BlogChess/BestMove/", "application/json"),
        (
            "/API/blogchess/bestmove/?AI=counts_pawns&DEPTH=1",
            "application/json",
        ),
        ("/api/BlogChess/BestMove?Depth=1", "text/json"),
        ("/api/BlogChess/BestMove/", "Text/JSON; charset=utf-8"),
    ] {
        let request = TestRequest::post()
            .uri(path)
            .insert_header(("Content-Type", content_type));
        let reply = app.send(request.set_payload(game.to_string())).await;
        assert_eq!(
            (reply.status, &reply.body["GameStatus"]),
            (200, &json!(1)),
            "{path}: {}",
            reply.body
        );
    }
    let boards = app.post("/api/BlogChess/ValidMoves/", &game).await;
    assert_eq!(
        (boards.status, boards.body.as_array().map(Vec::len)),
        (200, Some(20)),
        "{}",
        boards.body
    );
    for path in [
        "/api/BlogChess/BestMove//",
        "/v1/validate/",
        "/api/BlogChess/",
    ] {
        assert_eq!(app.post(path, &game).await.status, 404, "{path}");
    }
    let twice = app
        .post_text(
            "/api/blogchess/validmoves",
            r#"{"GameStatus": 0, "gamestatus": 0, "Positions": []}"#,
        )
        .await;
    assert_eq!(
        (twice.status, &twice.body["pointer"]),
        (400, &json!("/GameStatus")),
        "{}",
        twice.body
    );
    assert_eq!(
        app.post("/V1/validate", &json!({"game": {}})).await.status,
        404,
        "other paths are case-sensitive"
    );
}

#[actix_web::test]
async fn rejects_unknown_query_parameters() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    for (path, known) in [
        ("/v1/validate?ai=basic1", "none"),
        ("/v1/best-move?depth=3", "none"),
        ("/v1/validate?legacy=true", "none"),
        ("/api/BlogChess/ValidMoves?ai=basic1", "legacy"),
    ] {
        let reply = app.post(path, &json!({"game": {}})).await;
        assert_eq!(
            (reply.status, reply.code()),
            (400, "malformed_request"),
            "{path}"
        );
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(
            detail.ends_with(&format!("this call takes {known}")),
            "{detail}"
        );
    }
    for path in [
        "/healthz?probe=1",
        "/readyz?x",
        "/metrics?x=1",
        "/openapi.json?v=2",
        "/?utm=1",
    ] {
        assert_eq!(app.get(path).await.status, 200, "{path}");
    }
}

#[actix_web::test]
async fn ignores_unknown_fields_everywhere() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let game = json!({
        "GameStatus": 0, "Id": {"$id": "1", "deep": [[{}]]}, "ai": "nobody", "": null,
        "Positions": [{"Board": start(), "Turn": "x", "board2": []}], "CurrentEvaluation": null
    });
    let reply = app.post("/api/BlogChess/BestMove", &game).await;
    assert_eq!(reply.ok()["GameStatus"], 1);
    assert_eq!(
        app.post("/api/BlogChess/ValidMoves", &game)
            .await
            .body
            .as_array()
            .unwrap()
            .len(),
        20
    );
}

#[actix_web::test]
async fn lists_the_valid_moves_of_a_drawn_position() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let mut board = vec![vec![0; 8]; 8];
    (board[0][4], board[7][4], board[7][7]) = (-6, 6, 2);
    let game = json!({"GameStatus": 0, "Positions": [{"Board": board}]});
    let boards = app.post("/api/BlogChess/ValidMoves", &game).await;
    assert_eq!(
        (boards.status, boards.body.as_array().map(Vec::len)),
        (200, Some(7)),
        "{}",
        boards.body
    );
    let played = app.post("/api/BlogChess/BestMove", &game).await.ok();
    assert_eq!(
        (
            &played["GameStatus"],
            played["Positions"].as_array().unwrap().len()
        ),
        (&json!(4), 1)
    );
}

#[actix_web::test]
async fn depth_0_returns_the_evaluation() {
    let configuration = with_ais(&[("basic1", "ai_basic1", ""), ("echo", "echo", "")], "");
    let app = Application::of(&configuration);
    let mut board = start();
    board[0][3] = json!(0);
    let game = json!({"GameStatus": 1, "Positions": [{"Board": board}]});
    let of_call = app
        .post(
            "/v1/evaluate",
            &json!({"game": {"boards": [board], "turn": "black"}, "ai": "basic1"}),
        )
        .await
        .ok();
    let cp = of_call["score"]["cp"].as_f64().unwrap();
    let reply = app
        .post("/api/BlogChess/BestMove?depth=0", &game)
        .await
        .ok();
    assert_eq!(reply["CurrentEvaluation"].as_f64(), Some(cp / 100.0));
    assert_eq!(
        (&reply["GameStatus"], &reply["Positions"]),
        (&json!(1), &game["Positions"])
    );
    let legacy = app
        .post("/api/BlogChess/BestMove?depth=0&legacy=true", &game)
        .await
        .ok();
    assert_eq!(legacy["CurrentEvaluation"].as_f64(), Some(-cp / 100.0));
    let other = app
        .post("/api/BlogChess/BestMove?depth=0&ai=echo", &game)
        .await;
    other.check_error(400, "malformed_request");
}

#[actix_web::test]
async fn legacy_returns_the_original_evaluation() {
    let app = Application::of(&ai("basic1", "ai_basic1", "limit = { depth = 3 }"));
    let evaluation = async |fen: &str, status: u8, query: &str| {
        let boards = app
            .post(
                "/v1/convert",
                &json!({"game": {"fen": fen}, "to": "boards"}),
            )
            .await
            .ok();
        let game = json!({"GameStatus": status, "Positions": [{"Board": boards["boards"][0]}]});
        let reply = app
            .post(&format!("/api/BlogChess/BestMove{query}"), &game)
            .await
            .ok();
        reply["CurrentEvaluation"].as_f64().unwrap()
    };
    for (fen, status, white, legacy) in [
        // Mate in one by the side to move, mate in one by the opponent, and checkmate on the board.
        ("7k/6pp/8/8/8/8/8/R5K1 w - - 0 1", 0, 999.0, 100_000.0),
        ("r5k1/8/8/8/8/8/6PP/7K b - - 0 1", 1, -999.0, 100_000.0),
        ("7K/8/5k2/8/8/8/8/6q1 w - - 0 1", 0, -999.0, -100_000.0),
        ("R6k/6pp/8/8/8/8/8/6K1 b - - 0 1", 1, 1000.0, -100_000.0),
        // A draw.
        ("4k3/8/8/8/8/8/8/4K2N b - - 0 1", 1, 0.0, 0.0),
    ] {
        let found = evaluation(fen, status, "").await;
        let of_then = evaluation(fen, status, "?legacy=true").await;
        assert_eq!((found, of_then), (white, legacy), "{fen}");
        assert!(of_then.is_sign_positive() || of_then != 0.0, "no -0.0");
        assert_eq!(
            Some(evaluation(fen, status, "?Legacy=FALSE").await),
            Some(white),
            "{fen}"
        );
    }
    let fen = "4k3/8/8/8/8/8/8/QQ2K3 b - - 0 1";
    let (white, black) = (
        evaluation(fen, 1, "?depth=1").await,
        evaluation(fen, 1, "?depth=1&legacy=true").await,
    );
    assert!(white > 10.0, "{white}");
    assert_eq!(Some(black), Some(-white));
    let game = json!({"GameStatus": 0, "Positions": [{"Board": start()}]});
    assert_eq!(
        app.post("/api/BlogChess/ValidMoves?legacy=true", &game)
            .await
            .status,
        200
    );
}

#[actix_web::test]
async fn describes_a_contradictory_status_in_the_terms_of_the_call() {
    let app = Application::of(&configuration(&["counts_pawns"]));
    let mut played = start();
    (played[6][4], played[4][4]) = (json!(0), json!(1));
    let detail = async |status: Value, boards: &[&Value]| {
        let positions: Vec<_> = boards.iter().map(|board| json!({"Board": board})).collect();
        let reply = app
            .post(
                "/api/BlogChess/BestMove",
                &json!({"GameStatus": status, "Positions": positions}),
            )
            .await;
        reply.check_error(400, "illegal_game");
        let issues = reply.body["issues"].as_array().unwrap();
        let wrong = issues
            .iter()
            .find(|issue| issue["pointer"] == "/GameStatus")
            .unwrap();
        assert_eq!(wrong["code"], "wrong_turn");
        wrong["message"].as_str().unwrap().to_owned()
    };
    let start = start();
    for (status, expected) in [
        (
            json!("WhitesTurn"),
            "GameStatus is WhitesTurn; the boards show BlacksTurn",
        ),
        (
            json!(0),
            "GameStatus is 0 (WhitesTurn); the boards show 1 (BlacksTurn)",
        ),
        (
            json!(0.0),
            "GameStatus is 0 (WhitesTurn); the boards show 1 (BlacksTurn)",
        ),
        (
            json!("BlackWin"),
            "GameStatus is BlackWin; the boards show BlacksTurn",
        ),
        (
            json!("WhiteWin"),
            "GameStatus is WhiteWin; the boards show BlacksTurn",
        ),
        (
            json!(4),
            "GameStatus is 4 (Draw); the boards show 1 (BlacksTurn)",
        ),
    ] {
        assert_eq!(detail(status, &[&start, &played]).await, expected);
    }
    let with_gap = detail(json!(1), &[&start, &played, &start]).await;
    assert_eq!(
        with_gap,
        "GameStatus is 1 (BlacksTurn); the boards show that it is the other side's turn"
    );
}
