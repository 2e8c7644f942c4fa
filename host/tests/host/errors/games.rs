//! Games that are not legal: each cause with its code, its place and its ply, all of them at once.

use serde_json::{Value, json};

use super::{app, refused};

/// Each issue as `code pointer`, with ` ply N` where it is of one.
fn issues(body: &Value) -> Vec<String> {
    let issue = |issue: &Value| {
        let text = |field: &str| issue[field].as_str().unwrap().to_owned();
        let ply = issue.get("ply").map_or(String::new(), |ply| format!(" ply {ply}"));
        format!("{} {}{ply}", text("code"), text("pointer"))
    };
    body["issues"].as_array().unwrap().iter().map(issue).collect()
}

#[actix_web::test]
async fn rejects_a_bad_fen_by_its_field() {
    let app = app();
    for (text, fields) in [
        ("", &["FEN text"][..]),
        ("startpos", &["FEN text", "FEN field 1 (pieces)"]),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0", &["FEN text"]),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 2", &["FEN text"]),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", &["FEN field 1 (pieces)"]),
        ("4k3/8/8/8/8/8/7/4K3 w - - 0 1", &["FEN field 1 (pieces)"]),
        ("4k3/8/8/8/8/8/9/4K3 w - - 0 1", &["FEN field 1 (pieces)"]),
        ("4k3/8/8/8/8/8/8/4K2X w - - 0 1", &["FEN field 1 (pieces)"]),
        ("4k3/8/8/8/8/8/8/4K3 W - - 0 1", &["FEN field 2 (side to move)"]),
        ("4k3/8/8/8/8/8/8/4K3 w x - 0 1", &["FEN field 3 (castling)"]),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", &["FEN field 4 (en passant)"]),
        ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", &["FEN field 5 (half-move clock)"]),
        ("4k3/8/8/8/8/8/8/4K3 w - - 151 1", &["FEN field 5 (half-move clock)"]),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", &["FEN field 6 (move number)"]),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1e3", &["FEN field 6 (move number)"]),
        (
            "4k3/8/8/8/8/8/8/4K3 x x x x x",
            &[
                "FEN field 2 (side to move)",
                "FEN field 3 (castling)",
                "FEN field 4 (en passant)",
                "FEN field 5 (half-move clock)",
                "FEN field 6 (move number)",
            ],
        ),
    ] {
        let reply = refused(&app, "/v1/validate", &json!({"game": {"fen": text}}), 422, "illegal_game").await;
        let mut found: Vec<_> = reply.body["issues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|issue| {
                assert_eq!((&issue["code"], &issue["pointer"]), (&json!("bad_fen"), &json!("/game/fen")));
                issue["message"].as_str().unwrap().split(':').next().unwrap()
            })
            .collect();
        found.dedup();
        assert_eq!(found, fields, "{text}: {}", reply.body);
    }
}

#[actix_web::test]
async fn rejects_engine_commands_in_a_fen() {
    let app = app();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for rest in ["\nsetoption name Hash value 1", "\r\nquit", "\0", "\u{85}", " moves e2e4", "\t"] {
        let text = format!("{start}{rest}");
        let body = json!({"game": {"fen": text}});
        for path in ["/v1/best-move", "/v1/evaluate", "/v1/legal-moves", "/v1/validate"] {
            let reply = refused(&app, path, &body, 422, "illegal_game").await;
            assert!(issues(&reply.body).iter().all(|issue| issue == "bad_fen /game/fen"), "{}", reply.body);
        }
    }
    let long = format!("{start}{}", " ".repeat(900_000));
    refused(&app, "/v1/validate", &json!({"game": {"fen": long}}), 422, "illegal_game").await;
}

#[actix_web::test]
async fn every_call_rejects_an_illegal_game() {
    let app = app();
    let moves = json!({"game": {"moves": ["e2e5"]}});
    for path in ["/v1/best-move", "/v1/legal-moves", "/v1/validate", "/v1/evaluate"] {
        let reply = refused(&app, path, &moves, 422, "illegal_game").await;
        assert_eq!(issues(&reply.body), ["illegal_move /game/moves/0 ply 1"]);
        assert_eq!(
            reply.body["detail"],
            format!("the game is not legal: {}", reply.body["issues"][0]["message"].as_str().unwrap())
        );
    }
    let several = json!({"game": {"moves": ["e2e5", "x", "y"]}});
    let reply = refused(&app, "/v1/validate", &several, 422, "illegal_game").await;
    assert!(
        reply.body["detail"].as_str().unwrap().starts_with("the game is not legal: 3 issues, the first: ")
    );
}

#[actix_web::test]
async fn truncates_a_flood_of_issues() {
    let app = app();
    let long = "m".repeat(200);
    let moves = vec![long.as_str(); 2000];
    let reply = refused(&app, "/v1/validate", &json!({"game": {"moves": moves}}), 422, "illegal_game").await;
    assert_eq!(reply.body["issues"].as_array().unwrap().len(), 1000);
}
