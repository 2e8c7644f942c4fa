//! Refusals of the calls of 2014: the same problems, with the places of their own form.

use actix_web::http::Method;
use serde_json::{Value, json};

use super::{app, check_problem};

const CALLS: [&str; 2] = ["/api/BlogChess/BestMove", "/api/BlogChess/ValidMoves"];

fn start() -> Value {
    let (pieces, pawns, none) = ([4, 2, 3, 5, 6, 3, 2, 4], [1; 8], [0; 8]);
    [pieces.map(|piece| -piece), pawns.map(|pawn| -pawn), none, none, none, none, pawns, pieces]
        .map(|row| json!(row))
        .into_iter()
        .collect()
}

#[actix_web::test]
async fn what_is_not_of_the_form_is_malformed() {
    let app = app();
    let positions = json!([{"Board": start()}]);
    for (body, pointer, part) in [
        (json!([]), "", "expected an object"),
        (json!({}), "", "missing field `Positions`"),
        (json!({"positions": []}), "/positions", "unknown field `positions`"),
        (json!({"Positions": null}), "/Positions", "expected a sequence"),
        (json!({"Positions": {"Board": start()}}), "/Positions", "expected a sequence"),
        (json!({"Positions": [start()]}), "/Positions/0", "expected an object"),
        (json!({"Positions": [{}]}), "/Positions/0", "missing field `Board`"),
        (json!({"Positions": [{"Board": [[0, "x"]]}]}), "/Positions/0/Board/0/1", "expected i64"),
        (json!({"Positions": [{"Board": [], "Turn": 0}]}), "/Positions/0/Turn", "unknown field `Turn`"),
        (json!({"Positions": positions, "GameStatus": 5}), "/GameStatus", "GameStatus is 5"),
        (json!({"Positions": positions, "GameStatus": -1}), "/GameStatus", "one of WhitesTurn"),
        (json!({"Positions": positions, "GameStatus": "whitesturn"}), "/GameStatus", "one of WhitesTurn"),
        (json!({"Positions": positions, "GameStatus": [0]}), "/GameStatus", "one of WhitesTurn"),
        (json!({"Positions": positions, "GameStatus": "Draw"}), "/GameStatus", "does not tell who moves"),
        (json!({"Positions": positions}), "/GameStatus", "does not tell who moves"),
        (
            json!({"Positions": positions, "GameStatus": 0, "CurrentEvaluation": "0"}),
            "/CurrentEvaluation",
            "expected f64",
        ),
        (json!({"Positions": positions, "GameStatus": 0, "ai": "basic1"}), "/ai", "unknown field `ai`"),
    ] {
        for path in CALLS {
            let reply = app.post(path, &body).await;
            check_problem(&format!("{path} {body}"), &reply, 400, "malformed_request");
            assert_eq!(reply.body["pointer"], pointer, "{body}: {}", reply.body);
            assert!(reply.body["detail"].as_str().unwrap().contains(part), "{body}: {}", reply.body);
        }
    }
}

#[actix_web::test]
async fn a_game_that_is_not_legal_is_a_400_with_the_places_of_2014() {
    let app = app();
    let mut no_king = start();
    no_king[0][4] = 0.into();
    let mut bad_code = start();
    bad_code[3][2] = 9.into();
    let mut short = start();
    short[5] = json!([]);
    for (positions, status, expected) in [
        (json!([]), json!(0), "bad_board /Positions"),
        (json!([{"Board": []}]), json!(0), "bad_board /Positions/0/Board"),
        (json!([{"Board": short}]), json!(0), "bad_board /Positions/0/Board/5"),
        (json!([{"Board": bad_code}]), json!(1), "bad_board /Positions/0/Board/3/2"),
        (json!([{"Board": no_king}]), json!(0), "missing_king /Positions/0/Board"),
        (json!([{"Board": start()}, {"Board": start()}]), json!(0), "not_one_move /Positions/1/Board"),
        (json!([{"Board": start()}]), json!("WhiteWin"), "wrong_turn /GameStatus"),
    ] {
        for path in CALLS {
            let body = json!({"Positions": positions, "GameStatus": status});
            let reply = app.post(path, &body).await;
            check_problem(&format!("{path} {body}"), &reply, 400, "illegal_game");
            let issue = &reply.body["issues"][0];
            let found = format!("{} {}", issue["code"].as_str().unwrap(), issue["pointer"].as_str().unwrap());
            assert_eq!(found, expected, "{}", reply.body);
        }
    }
}

#[actix_web::test]
async fn they_are_posted_like_the_others() {
    let app = app();
    for path in CALLS {
        let reply = app.method(Method::GET, path).await;
        check_problem(path, &reply, 405, "method_not_allowed");
        let reply = app.method(Method::POST, path).await;
        check_problem(path, &reply, 415, "unsupported_media_type");
    }
}
