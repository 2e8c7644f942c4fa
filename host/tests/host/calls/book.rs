//! `GET /v1/book`.

use serde_json::{Value, json};

use crate::support::{Application, basic1_and, configuration};

fn app() -> Application {
    Application::of(&configuration(&["ai_basic1"]))
}

fn moves(reply: &Value) -> Vec<(&str, u64)> {
    let moves = reply["moves"].as_array().unwrap().iter();
    moves
        .map(|found| {
            (
                found["san"].as_str().unwrap(),
                found["weight"].as_u64().unwrap(),
            )
        })
        .collect()
}

#[actix_web::test]
async fn lists_the_heaviest_moves_first() {
    let app = app();
    let reply = app.get("/v1/book").await.ok();
    assert_eq!(reply["book"], "rookery.bin");
    let found = moves(&reply);
    assert!(
        found.len() > 1 && found.is_sorted_by_key(|(_, weight)| u64::MAX - weight),
        "{reply}"
    );
    // The book file contains the same moves.
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/book/rookery.bin");
    let start = rules::start_position();
    let legal = rules::legal_moves(&start);
    let mut expected = ai_book::Book::open(path)
        .unwrap()
        .moves(&start, &legal)
        .unwrap();
    expected.sort_by_key(|found| u16::MAX - found.weight);
    let expected: Vec<_> = expected
        .iter()
        .map(|found| {
            (
                rules::format_san(&start, found.chosen).to_string(),
                u64::from(found.weight),
            )
        })
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(san, weight)| (san.as_str(), *weight))
        .collect();
    assert_eq!(found, expected);
}

#[actix_web::test]
async fn a_position_and_the_moves_to_it_are_equivalent() {
    let app = app();
    let by_moves = app.get("/v1/book?moves=e2e4,e7e5").await.ok();
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR%20w%20KQkq%20-%200%202";
    assert_eq!(app.get(&format!("/v1/book?fen={fen}")).await.ok(), by_moves);
    assert!(!moves(&by_moves).is_empty(), "{by_moves}");
}

#[actix_web::test]
async fn unknown_positions_and_finished_games_have_no_moves() {
    let app = app();
    for query in [
        "fen=4k3/8/8/8/8/8/4P3/4K3%20w%20-%20-%200%201",
        "moves=f2f3,e7e5,g2g4,d8h4",
    ] {
        let reply = app.get(&format!("/v1/book?{query}")).await.ok();
        assert_eq!(
            reply,
            json!({"book": "rookery.bin", "moves": []}),
            "{query}"
        );
    }
}

#[actix_web::test]
async fn returns_304_for_an_unchanged_reply() {
    let app = app();
    let first = app.get("/v1/book").await;
    let tag = first.header("ETag").unwrap();
    assert_eq!(first.header("Cache-Control"), Some("private, no-cache"));
    let again = app.get_with(&[("If-None-Match", tag)], "/v1/book").await;
    assert_eq!((again.status, again.header("ETag")), (304, Some(tag)));
    let other = app
        .get_with(&[("If-None-Match", tag)], "/v1/book?moves=e2e4")
        .await;
    assert_eq!(other.status, 200);
}

#[actix_web::test]
async fn rejects_illegal_positions_and_unknown_parameters() {
    let app = app();
    let reply = app.get("/v1/book?fen=x").await;
    reply.check_error(422, "illegal_game");
    assert_eq!(reply.body["issues"][0]["pointer"], "/fen");
    app.get("/v1/book?moves=e2e5")
        .await
        .check_error(422, "illegal_game");
    let reply = app.get("/v1/book?depth=1").await;
    assert!(
        reply
            .check_error(400, "malformed_request")
            .contains("this call takes fen, moves"),
        "{}",
        reply.body
    );
    let app = Application::of(&basic1_and("[server]\nmax_plies = 1\n"));
    let reply = app.get("/v1/book?moves=e2e4,e7e5").await;
    assert!(
        reply
            .check_error(400, "malformed_request")
            .contains("max_plies"),
        "{}",
        reply.body
    );
}
