//! CORS and security headers.

use actix_web::{http::Method, test::TestRequest};

use super::{KEY, application, application_with, evaluate};
use crate::support::Reply;

const ALLOWED: &str = "Access-Control-Allow-Origin";

#[actix_web::test]
async fn sends_security_headers_with_every_reply() {
    let app = application_with(
        "cors_origins = [\"https://chess.example\"]",
        "[client.default]\nai = \"pawns\"\n",
    );
    let nothing = "default-src 'none'; frame-ancestors 'none'";
    let page = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; \
        frame-ancestors 'none'";
    let stream = evaluate()
        .uri("/v1/best-move")
        .insert_header(("Accept", "application/x-ndjson"));
    let with = |request: TestRequest, name: &'static str, value: &'static str| {
        request.insert_header((name, value))
    };
    for (what, request, status, policy, resource) in [
        ("a reply", evaluate(), 200, nothing, "same-origin"),
        ("a stream", stream, 200, nothing, "same-origin"),
        (
            "an error",
            evaluate().set_payload("{"),
            400,
            nothing,
            "same-origin",
        ),
        (
            "an unknown client",
            with(evaluate(), "X-Client-Id", "nobody"),
            401,
            nothing,
            "same-origin",
        ),
        (
            "an unknown path",
            TestRequest::get().uri("/nothing"),
            404,
            nothing,
            "same-origin",
        ),
        (
            "a wrong method",
            TestRequest::delete().uri("/v1/ais"),
            405,
            nothing,
            "same-origin",
        ),
        (
            "a host that is not allowed",
            with(TestRequest::get(), "Host", "evil.example"),
            421,
            nothing,
            "same-origin",
        ),
        (
            "health",
            TestRequest::get().uri("/healthz"),
            200,
            nothing,
            "same-origin",
        ),
        (
            "metrics",
            TestRequest::get().uri("/metrics"),
            200,
            nothing,
            "same-origin",
        ),
        (
            "the document",
            TestRequest::get().uri("/openapi.json"),
            200,
            nothing,
            "same-origin",
        ),
        (
            "a preflight",
            preflight("https://chess.example"),
            200,
            nothing,
            "same-origin",
        ),
        (
            "a rejected preflight",
            preflight("https://other.example"),
            400,
            nothing,
            "same-origin",
        ),
        (
            "the page",
            TestRequest::get().uri("/"),
            200,
            page,
            "same-origin",
        ),
        (
            "the docs",
            TestRequest::get().uri("/docs"),
            200,
            page,
            "same-origin",
        ),
        (
            "a picture",
            TestRequest::get().uri("/v1/board.svg"),
            200,
            "default-src 'none'; frame-ancestors 'self'",
            "cross-origin",
        ),
    ] {
        let reply = app.send(request).await;
        assert_eq!(reply.status, status, "{what}: {}", reply.body);
        let is_picture = what == "a picture";
        for (name, value) in [
            ("Content-Security-Policy", policy),
            ("Cross-Origin-Resource-Policy", resource),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("X-Content-Type-Options", "nosniff"),
            (
                "X-Frame-Options",
                if is_picture { "SAMEORIGIN" } else { "DENY" },
            ),
            ("Referrer-Policy", "no-referrer"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{what}");
        }
        let is_kept = ["the page", "the docs", "the document", "a picture"].contains(&what);
        assert_eq!(
            reply.header("Cache-Control") == Some("no-store"),
            !is_kept,
            "{what}"
        );
        assert_eq!(reply.header("Strict-Transport-Security"), None, "{what}");
    }
}

/// A browser's preflight for a request that sends JSON and a key.
fn preflight(origin: &str) -> TestRequest {
    TestRequest::with_uri("/v1/evaluate")
        .method(Method::OPTIONS)
        .insert_header(("Origin", origin))
        .insert_header(("Access-Control-Request-Method", "POST"))
        .insert_header((
            "Access-Control-Request-Headers",
            "authorization,content-type,x-client-id",
        ))
}

fn has_no_permission(reply: &Reply) -> bool {
    !reply
        .headers
        .keys()
        .any(|name| name.as_str().starts_with("access-control-allow"))
}

#[actix_web::test]
async fn sends_no_cors_headers_without_cors_origins() {
    let app = application("[client.default]\nai = \"pawns\"\n");
    let reply = app.send(preflight("https://chess.example")).await;
    assert_eq!(reply.status, 204);
    assert!(has_no_permission(&reply), "{:?}", reply.headers);
    let reply = app
        .send(evaluate().insert_header(("Origin", "https://chess.example")))
        .await;
    assert!(has_no_permission(&reply), "{:?}", reply.headers);
    assert!(reply.header("Vary").is_none());
}

#[actix_web::test]
async fn allows_only_configured_origins() {
    // There is no default client, but a preflight succeeds without a key.
    let sha256 = config::api_key::KeyDigest::of(KEY.as_bytes());
    let app = application_with(
        "cors_origins = [\"https://chess.example\", \"http://localhost:3000\"]",
        &format!("[client.alice]\nai = \"pawns\"\napi_key_sha256 = \"{sha256}\"\n"),
    );
    for origin in ["https://chess.example", "http://localhost:3000"] {
        let reply = app.send(preflight(origin)).await;
        assert_eq!((reply.status, reply.header(ALLOWED)), (200, Some(origin)));
        assert!(reply.header("Access-Control-Allow-Credentials").is_none());
        let request = evaluate().insert_header(("Origin", origin));
        let reply = app
            .send(request.insert_header(("Authorization", format!("Bearer {KEY}"))))
            .await;
        assert_eq!(
            (reply.status, reply.header(ALLOWED)),
            (200, Some(origin)),
            "{}",
            reply.body
        );
        // A page can read an error.
        let reply = app.send(evaluate().insert_header(("Origin", origin))).await;
        assert_eq!((reply.status, reply.header(ALLOWED)), (401, Some(origin)));
    }
    for origin in [
        "https://other.example",
        "https://chess.example:8443",
        "http://chess.example",
        "https://chess.example.evil.example",
        "https://xchess.example",
        "https://chess.example, https://evil.example",
        "HTTPS://CHESS.EXAMPLE.",
        "file://",
        "*",
        "null",
    ] {
        let reply = app.send(preflight(origin)).await;
        assert_eq!(
            (reply.status, reply.code()),
            (400, "malformed_request"),
            "{origin}"
        );
        assert!(has_no_permission(&reply), "{:?}", reply.headers);
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(
            detail.contains("cors_origins") && !detail.contains("chess.example"),
            "{detail}"
        );
        let request = evaluate().insert_header(("Origin", origin));
        let reply = app
            .send(request.insert_header(("Authorization", format!("Bearer {KEY}"))))
            .await;
        assert!(has_no_permission(&reply), "{:?}", reply.headers);
    }
}

#[actix_web::test]
async fn pages_may_read_the_rate() {
    let app = application_with(
        "cors_origins = [\"https://chess.example\"]",
        "[client.default]\nai = \"pawns\"\nrate = \"1/h\"\n",
    );
    let reply = app
        .send(evaluate().insert_header(("Origin", "https://chess.example")))
        .await;
    let exposed = reply
        .header("Access-Control-Expose-Headers")
        .unwrap()
        .to_ascii_lowercase();
    let names: Vec<_> = exposed.split(',').map(str::trim).collect();
    for name in [
        "ratelimit",
        "ratelimit-policy",
        "retry-after",
        "x-request-id",
    ] {
        assert!(names.contains(&name), "{exposed}");
    }
}

#[actix_web::test]
async fn a_star_allows_every_origin() {
    let app = application_with(
        "cors_origins = [\"*\"]",
        "[client.default]\nai = \"pawns\"\n",
    );
    let reply = app.send(preflight("https://any.example")).await;
    assert_eq!((reply.status, reply.header(ALLOWED)), (200, Some("*")));
    let reply = app
        .send(evaluate().insert_header(("Origin", "https://any.example")))
        .await;
    assert_eq!((reply.status, reply.header(ALLOWED)), (200, Some("*")));
}
