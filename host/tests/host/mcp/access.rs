//! Assistants' limits, keys and origins.

use actix_web::{http::Method, test::TestRequest};
use serde_json::json;
use test_kit::wait_until;

use super::{ENABLED, call, initialize, message, result_of, send, tool_error};
use crate::{
    server::{Server, post_text},
    support::{Application, ConfigFile, basic1_and, keyed_client, with_ais},
};

fn validate() -> serde_json::Value {
    call("validate_game", &json!({"game": {}}))
}

/// An application with two AIs and these sections.
fn application(sections: &str) -> Application {
    let ais = "[ai.basic1]\nlibrary = \"ai_basic1\"\n[ai.pawns]\nlibrary = \"counts_pawns\"\n";
    Application::of(&ConfigFile::new(&format!("{ENABLED}{ais}{sections}")))
}

#[actix_web::test]
async fn a_client_needs_its_key() {
    let app = application(&keyed_client("alice", "basic1"));
    for headers in [
        &[][..],
        &[("X-Client-Id", "alice")],
        &[("Authorization", "Bearer other")],
    ] {
        app.post_with(headers, "/mcp", &validate())
            .await
            .check_error(401, "unknown_client");
    }
    app.post_with_key("alice", "/mcp", &validate()).await.ok();
}

#[actix_web::test]
async fn messages_count_against_the_rate_of_a_client() {
    let app = application("[client.default]\nai = \"basic1\"\nrate = \"1/h burst 2\"\n");
    send(&app, &initialize()).await.ok();
    send(&app, &validate()).await.ok();
    let limited = app.post("/mcp", &validate()).await;
    limited.check_error(429, "rate_limited");
    assert!(limited.header("Retry-After").is_some());
    app.post("/v1/validate", &json!({"game": {}}))
        .await
        .check_error(429, "rate_limited");
}

#[actix_web::test]
async fn a_tool_has_the_limits_of_its_call() {
    let app = application(
        "[client.default]\nai = \"basic1\"\nallowed_ais = [\"basic1\"]\nmax_depth = 2\n\
         [client.rated]\nai = \"basic1\"\nrate = \"1/h burst 2\"\n[server]\nmax_plies = 1\n",
    );
    let deep = call("best_move", &json!({"game": {}, "limit": {"depth": 9}}));
    let search = result_of(&app, &deep).await["structuredContent"]["search"].clone();
    assert_eq!(
        (&search["depth"], &search["limit"]),
        (&json!(2), &json!({"depth": 2})),
        "{search}"
    );
    let other = result_of(
        &app,
        &call("best_move", &json!({"game": {}, "ai": "pawns"})),
    )
    .await;
    assert!(
        tool_error(&other).starts_with("ai_not_allowed: "),
        "{other}"
    );
    let long = call(
        "validate_game",
        &json!({"game": {"moves": ["e2e4", "e7e5"]}}),
    );
    assert!(tool_error(&result_of(&app, &long).await).starts_with("malformed_request: "));
    // A comparison of two AIs counts as two requests.
    let both = call(
        "compare_ais",
        &json!({"game": {}, "ais": ["basic1", "pawns"], "limit": {"depth": 1}}),
    );
    app.post_as("rated", "/mcp", &validate()).await.ok();
    let limited = app.post_as("rated", "/mcp", &both).await.ok()["result"].clone();
    let error = tool_error(&limited);
    assert!(
        error.starts_with("rate_limited: ") && error.contains("\ntry again in "),
        "{error}"
    );
}

#[actix_web::test]
async fn checks_host_and_origin() {
    let app = application(
        "[client.default]\nai = \"basic1\"\n[server]\ncors_origins = [\"https://chess.example\"]\n",
    );
    for (headers, status, code) in [
        (
            &[("Origin", "https://evil.example")][..],
            403,
            "cross_site_request",
        ),
        (&[("Origin", "null")], 403, "cross_site_request"),
        (
            &[("Origin", "http://localhost:99")],
            403,
            "cross_site_request",
        ),
        (&[("Origin", "localhost")], 403, "cross_site_request"),
        (
            &[("Host", "evil.example"), ("Origin", "http://evil.example")],
            421,
            "host_not_allowed",
        ),
    ] {
        app.post_with(headers, "/mcp", &validate())
            .await
            .check_error(status, code);
    }
    for headers in [
        &[("Origin", "https://chess.example")][..],
        &[("Origin", "http://localhost")],
        &[
            ("Host", "127.0.0.1:8080"),
            ("Origin", "http://127.0.0.1:8080"),
        ],
    ] {
        app.post_with(headers, "/mcp", &validate()).await.ok();
    }
    let preflight = TestRequest::with_uri("/mcp")
        .method(Method::OPTIONS)
        .insert_header(("Origin", "https://chess.example"))
        .insert_header(("Access-Control-Request-Method", "POST"))
        .insert_header((
            "Access-Control-Request-Headers",
            "content-type,mcp-protocol-version,mcp-method,mcp-name",
        ));
    assert_eq!(app.send(preflight).await.status, 200);
    // The origin is checked even if no origins are configured.
    let app = application("[client.default]\nai = \"basic1\"\n");
    let foreign = [("Origin", "https://chess.example")];
    app.post_with(&foreign, "/mcp", &validate())
        .await
        .check_error(403, "cross_site_request");
}

#[actix_web::test]
async fn a_body_must_be_json_within_the_size_limit() {
    let app = application("[client.default]\nai = \"basic1\"\n[server]\nmax_body_bytes = 1024\n");
    let large = message(1, "tools/list", &json!({"padding": "x".repeat(2000)}));
    send(&app, &large).await.check_error(413, "body_too_large");
    let text = TestRequest::post()
        .uri("/mcp")
        .set_payload("{}")
        .insert_header(("Content-Type", "text/plain"));
    app.send(text)
        .await
        .check_error(415, "unsupported_media_type");
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}",
        "[".repeat(900)
    );
    app.post_text("/mcp", deep)
        .await
        .check_error(400, "malformed_request");
    for method in [Method::GET, Method::DELETE] {
        let reply = app.method(method, "/mcp").await;
        reply.check_error(405, "method_not_allowed");
        assert_eq!(reply.header("Allow"), Some("POST, OPTIONS"));
    }
}

#[actix_web::test]
async fn a_reload_switches_mcp_off() {
    let app = Application::of(&basic1_and(ENABLED));
    send(&app, &validate()).await.ok();
    app.swap(crate::support::game_service(&basic1_and("")));
    send(&app, &validate()).await.check_error(404, "not_found");
}

#[test]
fn a_disconnect_cancels_the_tool() {
    let settings = "max_concurrent = 1\n[client.other]\nai = \"basic1\"\n";
    let file = with_ais(
        &[("basic1", "ai_basic1", "move_timeout_ms = 600000")],
        &(settings.to_owned() + ENABLED),
    );
    let server = Server::start(&file);
    let search = call(
        "best_move",
        &json!({"game": {}, "limit": {"movetime_ms": 500_000}}),
    );
    let mut pending = server.socket();
    std::io::Write::write_all(
        &mut pending,
        post_text("/mcp", &[], &search.to_string()).as_bytes(),
    )
    .unwrap();
    wait_until("the AI is busy", || {
        server.state_of_as("basic1", "other") == "busy"
    });
    assert_eq!(
        server.post("/v1/validate", &json!({"game": {}})).0,
        429,
        "the client has one slot"
    );
    drop(pending);
    wait_until("the AI is ready", || {
        server.state_of_as("basic1", "other") == "ready"
    });
    assert_eq!(server.children().len(), 1);
}
