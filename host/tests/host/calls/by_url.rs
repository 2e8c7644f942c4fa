//! `GET /v1/best-move` and `GET /v1/legal-moves`.

use serde_json::{Value, json};

use crate::support::{
    Application, ConfigFile, administrator, configuration, records, stable, with_ais,
};

const FEN: &str = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1";
const FEN_IN_URL: &str = "4k3/8/8/3q4/4P3/8/8/4K3%20w+-%20-%200+1";

fn app() -> Application {
    Application::of(&configuration(&["ai_basic1", "counts_pawns"]))
}

#[actix_web::test]
async fn a_get_returns_the_same_as_the_equivalent_post() {
    let app = app();
    for (query, post, body) in [
        ("", "/v1/legal-moves", json!({"game": {}})),
        (
            &*format!("fen={FEN_IN_URL}&from=e1"),
            "/v1/legal-moves",
            json!({"game": {"fen": FEN}, "from": "e1"}),
        ),
        ("moves=", "/v1/legal-moves", json!({"game": {"moves": []}})),
        (
            "moves=e2e4,%20e7e5",
            "/v1/legal-moves",
            json!({"game": {"moves": ["e2e4", "e7e5"]}}),
        ),
        (
            &*format!("fen={FEN_IN_URL}&moves=e4d5,e8e7&ai=ai_basic1&depth=2"),
            "/v1/best-move",
            json!({
                "game": {
                    "fen": FEN,
                    "moves": ["e4d5", "e8e7"],
                },
                "ai": "ai_basic1",
                "limit": {"depth": 2},
            }),
        ),
        (
            "moves=e2e4&ai=counts_pawns&nodes=50&movetime_ms=20000",
            "/v1/best-move",
            json!({
                "game": {"moves": ["e2e4"]},
                "ai": "counts_pawns",
                "limit": {
                    "nodes": 50,
                    "movetime_ms": 20000,
                },
            }),
        ),
    ] {
        let found = app.get(&format!("{post}?{query}")).await;
        assert_eq!(found.header("Cache-Control"), Some("no-store"));
        assert_eq!(
            stable(&found.ok()),
            stable(&app.post(post, &body).await.ok()),
            "{query}"
        );
    }
}

#[actix_web::test]
async fn an_event_source_streams_a_best_move() {
    let app = app();
    let reply = app
        .get_with(
            &[("Accept", "text/event-stream")],
            "/v1/best-move?moves=e2e4&depth=2",
        )
        .await;
    assert_eq!(
        (reply.status, reply.header("Content-Type")),
        (200, Some("text/event-stream"))
    );
    let events: Vec<_> = reply
        .body
        .as_str()
        .unwrap()
        .split_terminator("\n\n")
        .collect();
    assert!(events[0].starts_with("event: start\n"), "{events:?}");
    let last = events
        .last()
        .unwrap()
        .strip_prefix("event: result\ndata: ")
        .unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!(last["game"]["moves"][0], "e2e4");
    let reply = app
        .get_with(
            &[("Accept", "application/x-ndjson")],
            "/v1/best-move?depth=1",
        )
        .await;
    assert_eq!(
        records(reply.body.as_str().unwrap()).last().unwrap()["type"],
        "result"
    );
}

#[actix_web::test]
async fn errors_point_at_the_parameters() {
    let app = app();
    for (url, status, pointer, detail) in [
        (
            "/v1/best-move?depth=x",
            400,
            "/depth",
            "expected a non-negative integer",
        ),
        ("/v1/best-move?depth=0", 400, "/depth", "depth is 0"),
        (
            "/v1/best-move?moves=e2e4&moves=e7e5",
            400,
            "/moves",
            "occurs twice",
        ),
        (
            "/v1/best-move?game={}",
            400,
            "/game",
            "this call takes fen, moves, ai, depth, nodes, movetime_ms",
        ),
        (
            "/v1/legal-moves?depth=1",
            400,
            "/depth",
            "this call takes fen, moves, from",
        ),
        ("/v1/legal-moves?from=e9", 400, "/from", "a square is"),
    ] {
        let reply = app.get(url).await;
        reply.check_error(status, "malformed_request");
        assert_eq!(reply.body["pointer"], pointer, "{}", reply.body);
        assert!(
            reply.body["detail"].as_str().unwrap().contains(detail),
            "{}",
            reply.body
        );
    }
    for (url, pointers) in [
        (
            "/v1/legal-moves?moves=e2e5,x",
            json!(["/moves/0", "/moves/1"]),
        ),
        ("/v1/best-move?fen=x", json!(["/fen"])),
    ] {
        let reply = app.get(url).await;
        reply.check_error(422, "illegal_game");
        let found = reply.body["issues"]
            .as_array()
            .unwrap()
            .iter()
            .map(|issue| issue["pointer"].clone());
        let found: Vec<_> = found.collect();
        let least = pointers.as_array().unwrap();
        assert!(
            !found.is_empty() && found.iter().all(|pointer| least.contains(pointer)),
            "{}",
            reply.body
        );
    }
}

fn with_origins(origins: &str) -> ConfigFile {
    with_ais(
        &[("basic1", "ai_basic1", "")],
        &format!("[server]\ncors_origins = [{origins}]\n"),
    )
}

#[actix_web::test]
async fn a_page_on_another_site_cannot_start_an_ai() {
    let url = "/v1/best-move?depth=1";
    let site = |site: &'static str| ("Sec-Fetch-Site", site);
    let page = ("Origin", "https://chess.example");
    for (origins, headers, status) in [
        ("", vec![site("cross-site")], 403),
        ("", vec![site("cross-site"), page], 403),
        ("", vec![site("same-origin"), site("cross-site")], 403),
        ("", vec![site("same-origin")], 200),
        ("", vec![site("none")], 200),
        ("", vec![], 200),
        (
            "\"https://chess.example\"",
            vec![site("cross-site"), page],
            200,
        ),
        // A request for an image has no origin.
        ("\"https://chess.example\"", vec![site("cross-site")], 403),
        (
            "\"https://other.example\"",
            vec![site("cross-site"), page],
            403,
        ),
        ("\"*\"", vec![site("cross-site"), page], 200),
    ] {
        let app = Application::of(&with_origins(origins));
        let reply = app.get_with(&headers, url).await;
        assert_eq!(reply.status, status, "{origins} {headers:?} {}", reply.body);
        if status == 403 {
            reply.check_error(403, "cross_site_request");
            let streamed = app
                .get_with(
                    &[&headers[..], &[("Accept", "text/event-stream")]].concat(),
                    url,
                )
                .await;
            streamed.check_error(403, "cross_site_request");
            assert_eq!(
                app.get_with(&headers, "/v1/legal-moves").await.status,
                200,
                "legal moves need no AI"
            );
        }
    }
}

#[actix_web::test]
async fn a_get_is_kept_as_the_equivalent_post() {
    let app = Application::of(&with_ais(
        &[("basic1", "ai_basic1", "")],
        &(administrator("basic1") + "[server]\nreplay_kb = 64\n"),
    ));
    app.get_with(
        &[("X-Request-Id", "url-1")],
        "/v1/best-move?moves=e2e4&depth=1",
    )
    .await
    .ok();
    let kept = app
        .get_with_key(crate::support::ADMIN_KEY, "/v1/requests/url-1")
        .await
        .ok();
    let kept = &kept["requests"][0];
    assert_eq!(
        (&kept["path"], kept.get("query")),
        (&json!("/v1/best-move"), None)
    );
    assert_eq!(
        kept["body"],
        json!({"game": {"moves": ["e2e4"]}, "limit": {"depth": 1}})
    );
    assert_eq!(kept["status"], 200);
}
