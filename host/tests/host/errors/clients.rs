//! Requests without a valid client id.

use serde_json::json;

use super::{app, check_problem, rejected_reply};
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
async fn rejects_blank_client_ids() {
    let app = app();
    for client in ["", " ", "alice\t"] {
        let reply = app
            .post_as(client, "/v1/validate", &json!({"game": {}}))
            .await;
        check_problem(client, &reply, 401, "unknown_client");
    }
    let both = [("X-Client-Id", ""), ("X-Client-Id", "alice")];
    let reply = app
        .post_with(&both, "/v1/validate", &json!({"game": {}}))
        .await;
    check_problem("blank and alice", &reply, 401, "unknown_client");
}

#[actix_web::test]
async fn requires_a_client_id_without_a_default() {
    let alone = "[ai.pawns]\nlibrary = \"counts_pawns\"\n[client.alice]\nai = \"pawns\"\n";
    let app = Application::of(&ConfigFile::new(alone));
    for path in CALLS {
        let reply = rejected_reply(&app, path, &json!({"game": {}}), 401, "unknown_client").await;
        assert_eq!(
            reply.body["detail"],
            "the request names no client, and no default client is configured; name one in the \
             X-Client-Id header, or send a key as 'Authorization: Bearer KEY'; 'rookery client \
             add NAME' creates a key"
        );
    }
    let reply = app
        .post_as("default", "/v1/validate", &json!({"game": {}}))
        .await;
    check_problem("default", &reply, 401, "unknown_client");
    assert_eq!(
        app.post_as("alice", "/v1/validate", &json!({"game": {}}))
            .await
            .status,
        200
    );
}
