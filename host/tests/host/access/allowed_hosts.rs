//! Allowed values of the Host header.

use actix_web::{http::Method, test::TestRequest};
use serde_json::json;

use super::{application, application_with, evaluate};
use crate::{
    server::Server,
    support::{Application, Reply, assert_has, basic1_and},
};

const CLIENT: &str = "[client.default]\nai = \"pawns\"\n";

async fn get(app: &Application, path: &str, host: &str) -> Reply {
    app.get_with(&[("Host", host)], path).await
}

#[actix_web::test]
async fn rejects_hosts_that_are_not_allowed() {
    let app = application_with("allowed_hosts = [\"Chess.Example.\"]", CLIENT);
    for host in [
        "evil.example",
        "evil.example:8080",
        "127.0.0.1.evil.example",
        "a.chess.example",
        "127.1",
        "x@localhost",
        "localhost.evil.example",
        "xlocalhost",
        "localhost@evil.example",
        "evil.example#localhost",
        "0x7f000001.evil",
        "localhost, evil.example",
    ] {
        for path in [
            "/v1/ais",
            "/",
            "/docs",
            "/docs/docs.js",
            "/openapi.json",
            "/healthz",
            "/readyz",
            "/metrics",
            "/nothing",
        ] {
            let reply = get(&app, path, host).await;
            let case = format!("{path} {host}: {}", reply.body);
            assert_eq!(
                (reply.status, reply.code()),
                (421, "host_not_allowed"),
                "{case}"
            );
            assert_has(&case, &["`allowed_hosts` in [server]"]);
            assert!(reply.header("X-Request-Id").is_some());
        }
    }
    for host in [
        "chess.example",
        "CHESS.example:443",
        "chess.example.",
        "localhost",
        "LOCALHOST.:1",
        "127.0.0.1:8080",
        "192.0.2.7:80",
        "[::1]:80",
        "[2001:db8::1]",
    ] {
        assert_eq!(get(&app, "/v1/ais", host).await.status, 200, "{host}");
    }
}

#[actix_web::test]
async fn checks_the_host_before_the_key() {
    let app = application("[client.default]\nai = \"pawns\"\nrate = \"1/h\"\n");
    let request = || evaluate().insert_header(("Host", "evil.example"));
    for _ in 0..3 {
        app.send(request().insert_header(("X-Client-Id", "nobody")))
            .await
            .check_error(421, "host_not_allowed");
        assert_eq!(app.send(request()).await.status, 421);
    }
    // None of these requests counts against the rate.
    assert_eq!(app.send(evaluate()).await.status, 200);
}

#[actix_web::test]
async fn answers_preflights_only_for_allowed_hosts() {
    let server = "allowed_hosts = [\"chess.example\"]\ncors_origins = [\"https://page.example\"]";
    let app = application_with(server, CLIENT);
    let preflight = |host: &str| {
        TestRequest::with_uri("/v1/evaluate")
            .method(Method::OPTIONS)
            .insert_header(("Host", host.to_owned()))
            .insert_header(("Origin", "https://page.example"))
            .insert_header(("Access-Control-Request-Method", "POST"))
    };
    let allowed = "Access-Control-Allow-Origin";
    let reply = app.send(preflight("chess.example")).await;
    assert_eq!(
        (reply.status, reply.header(allowed)),
        (200, Some("https://page.example"))
    );
    let reply = app.send(preflight("evil.example")).await;
    assert_eq!((reply.status, reply.header(allowed)), (421, None));
}

#[actix_web::test]
async fn ignores_forwarded_host_headers() {
    let app = application_with("trusted_proxies = [\"127.0.0.1\"]", CLIENT);
    let request = evaluate()
        .peer_addr("127.0.0.1:9".parse().unwrap())
        .insert_header(("Host", "evil.example"));
    let request = request
        .insert_header(("X-Forwarded-Host", "localhost"))
        .insert_header(("Forwarded", "host=localhost"));
    assert_eq!(app.send(request).await.status, 421);
}

#[test]
fn reads_the_host_from_every_form_of_request() {
    let server = Server::start(&basic1_and(""));
    for (head, status) in [
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\n", 200),
        ("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n", 421),
        ("GET /healthz HTTP/1.1\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: [::1].evil.example\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost:\r\n", 400),
        (
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n",
            400,
        ),
        (
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n",
            400,
        ),
        (
            "GET /healthz HTTP/1.1\r\nHost: evil.example\r\nHost: localhost\r\n",
            400,
        ),
        (
            "GET /healthz HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\n",
            421,
        ),
        (
            "GET /healthz HTTP/1.1\r\nHost: localhost, localhost\r\n",
            421,
        ),
        (
            "GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n",
            200,
        ),
        (
            "GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n",
            421,
        ),
        (
            "GET http://localhost/healthz HTTP/1.1\r\nHost: evil.example\r\n",
            421,
        ),
        ("GET http://localhost/healthz HTTP/1.1\r\n", 400),
        ("GET /healthz HTTP/1.0\r\n", 200),
        ("GET /healthz HTTP/1.0\r\nHost: evil.example\r\n", 421),
        ("GET http://evil.example/healthz HTTP/1.0\r\n", 421),
        ("OPTIONS /v1/best-move HTTP/1.1\r\nHost:\r\n", 400),
        ("POST /v1/validate HTTP/1.1\r\nContent-Length: 0\r\n", 400),
        ("OPTIONS /healthz HTTP/1.1\r\nHost: evil.example\r\n", 421),
        (
            "POST /v1/validate HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n",
            421,
        ),
    ] {
        let answer = server.exchange(&format!("{head}Connection: close\r\n\r\n"));
        let found = answer.split(' ').nth(1).map(str::parse);
        assert_eq!(found, Some(Ok(status)), "{head}: {answer}");
    }
    assert_eq!(server.post("/v1/validate", &json!({"game": {}})).0, 200);
}
