//! Who asks, and for which AI.

use actix_web::{http::header::HeaderValue, test::TestRequest};
use serde_json::json;

use super::{app, check_problem, refused};
use crate::support::{Application, ConfigFile};

const CALLS: [&str; 6] = [
    "/v1/best-move",
    "/v1/legal-moves",
    "/v1/validate",
    "/v1/evaluate",
    "/api/BlogChess/BestMove",
    "/api/BlogChess/ValidMoves",
];

#[actix_web::test]
async fn rejects_unknown_clients_in_every_call() {
    let app = app();
    let long = "a".repeat(8000);
    for client in ["nobody", "", " ", "Alice", "alice,alice", "alice\t", "../alice", "client.alice", &long] {
        for path in CALLS {
            let reply = app.post_as(client, path, &json!({"game": {}})).await;
            check_problem(&format!("{client:.20} {path}"), &reply, 401, "unknown_client");
        }
        let request = TestRequest::get().uri("/v1/ais").insert_header(("X-Client-Id", client));
        check_problem(client, &app.send(request).await, 401, "unknown_client");
    }
}

#[actix_web::test]
async fn rejects_a_client_before_reading_the_body() {
    let reply = app().post_as("nobody", "/v1/validate", &json!("not even a game")).await;
    check_problem("nobody", &reply, 401, "unknown_client");
}

#[actix_web::test]
async fn rejects_client_ids_that_are_not_utf8() {
    let app = app();
    for bytes in [&b"\xff\xfe"[..], b"alice\xc3", b"\xc3\xa4"] {
        let header = ("X-Client-Id", HeaderValue::from_bytes(bytes).unwrap());
        let request =
            TestRequest::post().uri("/v1/validate").insert_header(header).set_json(json!({"game": {}}));
        check_problem(&format!("{bytes:?}"), &app.send(request).await, 401, "unknown_client");
    }
}

#[actix_web::test]
async fn rejects_two_client_ids() {
    let app = app();
    for (first, second) in [("alice", "default"), ("default", "alice"), ("alice", "alice"), ("", "alice")] {
        let request = TestRequest::post()
            .uri("/v1/validate")
            .append_header(("X-Client-Id", first))
            .append_header(("X-Client-Id", second))
            .set_json(json!({"game": {}}));
        let reply = app.send(request).await;
        check_problem(&format!("{first} and {second}"), &reply, 401, "unknown_client");
    }
}

#[actix_web::test]
async fn requires_a_client_id_without_a_default() {
    let app = Application::of(&ConfigFile::new(
        "[ai.pawns]\nlibrary = \"counts_pawns\"\n[client.alice]\nai = \"pawns\"\n",
    ));
    for path in CALLS {
        let reply = refused(&app, path, &json!({"game": {}}), 401, "unknown_client").await;
        assert_eq!(
            reply.body["detail"],
            "the request names no client, and no default one is configured; name one in the header X-Client-Id, or send a key as in 'Authorization: Bearer KEY'"
        );
    }
    let reply = app.post_as("default", "/v1/validate", &json!({"game": {}})).await;
    check_problem("default", &reply, 401, "unknown_client");
    assert_eq!(app.post_as("alice", "/v1/validate", &json!({"game": {}})).await.status, 200);
}

#[actix_web::test]
async fn returns_404_for_an_unknown_ai() {
    let app = app();
    let long = "b".repeat(100_000);
    for ai in ["", "basic2", "BASIC1", "../basic1", "basic1\u{1b}[2J", "ai_basic1", &long] {
        for path in ["/v1/best-move", "/v1/evaluate"] {
            refused(&app, path, &json!({"game": {}, "ai": ai}), 404, "unknown_ai").await;
        }
    }
    let reply = refused(&app, "/v1/best-move", &json!({"game": {}, "ai": "basic"}), 404, "unknown_ai").await;
    assert_eq!(reply.body["detail"], "there is no AI 'basic'; did you mean 'basic1'? GET /v1/ais lists them");
}

#[actix_web::test]
async fn returns_403_for_an_ai_outside_allowed_ais() {
    let app = app();
    for path in ["/v1/best-move", "/v1/evaluate"] {
        for ai in ["basic1", "echo"] {
            let reply = app.post_as("alice", path, &json!({"game": {}, "ai": ai})).await;
            check_problem(ai, &reply, 403, "ai_not_allowed");
        }
        // What is not there is told as such, to those who may use everything and to others.
        let reply = app.post_as("alice", path, &json!({"game": {}, "ai": "none"})).await;
        check_problem("none", &reply, 404, "unknown_ai");
    }
}
