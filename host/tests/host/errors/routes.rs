//! Unknown paths, methods and ids in paths.

use actix_web::http::Method;
use serde_json::json;

use super::{app, check_problem};

#[actix_web::test]
async fn suggests_the_closest_path() {
    let app = app();
    for (path, right) in [
        ("/v1/bestmove", "/v1/best-move"),
        ("/v1/best-moves", "/v1/best-move"),
        ("/v1/legalmoves", "/v1/legal-moves"),
        ("/v1/evaluation", "/v1/evaluate"),
        ("/v1/ai", "/v1/ais"),
        ("/health", "/healthz"),
        ("/api/BlogChess/ValidMove", "/api/BlogChess/ValidMoves"),
    ] {
        let reply = app.get(path).await;
        check_problem(path, &reply, 404, "not_found");
        assert_eq!(
            reply.body["detail"],
            format!("there is nothing at this path; did you mean {right}?")
        );
    }
    let far = app.get("/zzz/yyy/xxx").await;
    assert_eq!(far.body["detail"], "there is nothing at this path");
}

#[actix_web::test]
async fn lists_the_allowed_methods() {
    let app = app();
    let posted = [
        "/v1/compare",
        "/v1/reachable",
        "/v1/validate",
        "/v1/evaluate",
        "/api/BlogChess/BestMove",
        "/api/BlogChess/ValidMoves",
    ];
    for (paths, methods, allowed) in [
        (&posted[..], "GET PUT DELETE PATCH HEAD", "POST, OPTIONS"),
        (
            &["/v1/best-move", "/v1/legal-moves"],
            "PUT DELETE PATCH",
            "POST, GET, HEAD, OPTIONS",
        ),
        (
            &["/v1/ais", "/v1/ais/basic1", "/healthz", "/readyz"],
            "POST PUT DELETE TRACE",
            "GET, HEAD, OPTIONS",
        ),
    ] {
        for path in paths {
            for method in methods.split(' ') {
                let reply = app.method(method.parse().unwrap(), path).await;
                let request = format!("{method} {path}");
                check_problem(&request, &reply, 405, "method_not_allowed");
                assert_eq!(reply.header("Allow"), Some(allowed), "{request}");
            }
        }
    }
}

#[actix_web::test]
async fn options_lists_the_methods() {
    let app = app();
    for (path, allowed) in [
        ("/v1/best-move", "POST, GET, HEAD, OPTIONS"),
        ("/v1/evaluate", "POST, OPTIONS"),
        ("/v1/ais", "GET, HEAD, OPTIONS"),
    ] {
        let reply = app.method(Method::OPTIONS, path).await;
        assert_eq!(
            (reply.status, reply.header("Allow")),
            (204, Some(allowed)),
            "{path}"
        );
    }
}

#[actix_web::test]
async fn suggests_the_closest_ai_id() {
    let app = app();
    for (id, closest) in [
        ("basic2", Some("basic1")),
        ("Basic1", Some("basic1")),
        ("paws", Some("pawns")),
        ("stockfish", None),
        ("%20basic1", Some("basic1")),
        ("basic1%2F..", None),
    ] {
        let reply = app.get(&format!("/v1/ais/{id}")).await;
        check_problem(id, &reply, 404, "unknown_ai");
        let detail = reply.body["detail"].as_str().unwrap();
        assert_eq!(
            detail
                .split_once("did you mean '")
                .map(|(_, rest)| rest.split('\'').next().unwrap()),
            closest,
            "{detail}"
        );
    }
}

#[actix_web::test]
async fn rejects_unknown_query_parameters() {
    let app = app();
    let listed = app.get("/v1/ais?x=1&y=%00").await;
    check_problem("x", &listed, 400, "malformed_request");
    let validated = app.post("/v1/validate?fen=x", &json!({"game": {}})).await;
    check_problem("fen", &validated, 400, "malformed_request");
    assert_eq!(validated.body["pointer"], "/fen");
}
