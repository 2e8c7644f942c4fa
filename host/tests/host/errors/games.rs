//! Illegal games: the detail and the number of issues.

use serde_json::json;

use super::{app, rejected_reply};

#[actix_web::test]
async fn summarizes_the_issues_in_the_detail() {
    let app = app();
    let moves = json!({"game": {"moves": ["e2e5"]}});
    let reply = rejected_reply(&app, "/v1/validate", &moves, 422, "illegal_game").await;
    let message = reply.body["issues"][0]["message"].as_str().unwrap();
    assert_eq!(
        reply.body["detail"],
        format!("the game is not legal: {message}")
    );
    let several = json!({"game": {"moves": ["e2e5", "x", "y"]}});
    let reply = rejected_reply(&app, "/v1/validate", &several, 422, "illegal_game").await;
    let detail = reply.body["detail"].as_str().unwrap();
    assert!(
        detail.starts_with("the game is not legal: 3 issues, the first: "),
        "{detail}"
    );
}

#[actix_web::test]
async fn truncates_a_flood_of_issues() {
    let app = app();
    let long = "m".repeat(200);
    let moves = vec![long.as_str(); 2000];
    let reply = rejected_reply(
        &app,
        "/v1/validate",
        &json!({"game": {"moves": moves}}),
        422,
        "illegal_game",
    )
    .await;
    assert_eq!(reply.body["issues"].as_array().unwrap().len(), 1000);
}
