//! Clients' rate limits, concurrency limits and maxima.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use futures_util::future::{Either, select};
use serde_json::{Value, json};

use super::{application, application_with, best_move, check_limited, evaluate};
use crate::support::{Application, Reply, keyed_client, with_ais};

async fn as_client(app: &Application, client: &str) -> Reply {
    app.send(evaluate().insert_header(("X-Client-Id", client)))
        .await
}

#[actix_web::test]
async fn returns_429_with_retry_after_above_the_rate() {
    let app = application(
        "[client.default]\nai = \"pawns\"\n[client.alice]\nai = \"pawns\"\nrate = \"1/h burst 3\"\n\
         [client.bob]\nai = \"pawns\"\nrate = \"1/min\"\n",
    );
    for _ in 0..3 {
        assert_eq!(as_client(&app, "alice").await.status, 200);
    }
    for _ in 0..2 {
        let wait = check_limited(&as_client(&app, "alice").await);
        assert!((3500..=3600).contains(&wait), "{wait}");
    }
    assert_eq!(as_client(&app, "bob").await.status, 200);
    let wait = check_limited(&as_client(&app, "bob").await);
    assert!((50..=60).contains(&wait), "{wait}");
    // A client without a rate is not limited. Requests from unknown clients do not count against
    // any client's rate.
    for _ in 0..50 {
        assert_eq!(app.send(evaluate()).await.status, 200);
        assert_eq!(as_client(&app, "carol").await.status, 401);
    }
}

#[actix_web::test]
async fn replies_state_the_rate_and_the_remaining_requests() {
    let app = application(
        "[client.default]\nai = \"pawns\"\n[client.alice]\nai = \"pawns\"\nrate = \"1/h burst 3\"\n\
         [client.bob]\nai = \"pawns\"\nrate = \"90/min burst 4\"\nmax_concurrent = 1\n",
    );
    let rate = |reply: &Reply| {
        let value = |name| reply.header(name).map(str::to_owned);
        (value("RateLimit-Policy"), value("RateLimit"))
    };
    let of = |policy: &str, left: &str| {
        (
            Some(format!("\"requests\";{policy}")),
            Some(format!("\"requests\";{left}")),
        )
    };
    for (status, left) in [
        (200, "r=2;t=3600"),
        (200, "r=1;t=7200"),
        (200, "r=0;t=10800"),
        (429, "r=0;t=10800"),
    ] {
        let reply = as_client(&app, "alice").await;
        assert_eq!(
            (reply.status, rate(&reply)),
            (status, of("q=3;w=10800", left))
        );
    }
    // Each additional AI in a comparison counts as a request. Error replies contain these headers.
    let compare = json!({"game": {}, "ais": ["basic1", "pawns"], "limit": {"depth": 1}});
    let reply = app.post_as("bob", "/v1/compare", &compare).await;
    assert_eq!(
        (reply.status, rate(&reply)),
        (200, of("q=4;w=3", "r=2;t=2"))
    );
    let reply = app
        .post_as("bob", "/v1/validate", &json!({"game": {"fen": "x"}}))
        .await;
    assert_eq!(reply.status, 422);
    assert!(
        reply
            .header("RateLimit")
            .is_some_and(|left| left.starts_with("\"requests\";r="))
    );
    for reply in [
        as_client(&app, "carol").await,
        app.send(evaluate()).await,
        app.get("/healthz").await,
    ] {
        assert_eq!(rate(&reply), (None, None), "{}", reply.status);
    }
}

#[actix_web::test]
async fn limits_clients_without_keys_by_address() {
    let app = application_with(
        "trusted_proxies = [\"10.0.0.0/8\"]",
        &format!(
            "[client.default]\nai = \"pawns\"\nrate = \"1/h\"\n{}rate = \"1/h burst 2\"\n",
            keyed_client("alice", "pawns")
        ),
    );
    let from = |peer: &str| evaluate().peer_addr(SocketAddr::new(peer.parse().unwrap(), 9));
    for (peer, forwarded, status) in [
        ("192.0.2.1", None, 200),
        ("192.0.2.1", None, 429),
        // Only a trusted proxy may name another address.
        ("192.0.2.1", Some("198.51.100.1"), 429),
        ("192.0.2.2", Some("198.51.100.1"), 200),
        ("10.0.0.1", Some("192.0.2.1"), 429),
        ("10.0.0.1", Some("198.51.100.1"), 200),
        ("10.0.0.1", Some("1.1.1.1, 198.51.100.1, 10.2.2.2"), 429),
        ("::ffff:10.0.0.1", Some("198.51.100.1"), 429),
        ("2001:db8::1", None, 200),
        ("2001:db8::ffff:2", None, 429),
        ("2001:db8:0:1::1", None, 200),
    ] {
        let request = match forwarded {
            Some(chain) => from(peer).insert_header(("X-Forwarded-For", chain)),
            None => from(peer),
        };
        assert_eq!(
            app.send(request).await.status,
            status,
            "{peer} {forwarded:?}"
        );
    }
    // A client with a key has one rate for all addresses.
    for (peer, status) in [("192.0.2.1", 200), ("192.0.2.7", 200), ("192.0.2.8", 429)] {
        let request = from(peer).insert_header(("Authorization", "Bearer alice"));
        assert_eq!(app.send(request).await.status, status, "{peer}");
    }
}

#[actix_web::test]
async fn counts_every_call_against_the_rate() {
    let app = application("[client.default]\nai = \"pawns\"\nrate = \"1/h burst 4\"\n");
    assert_eq!(app.get("/v1/ais").await.status, 200);
    assert_eq!(app.get("/v1/nothing").await.status, 404);
    assert_eq!(app.post_text("/v1/validate", "{").await.status, 400);
    assert_eq!(
        app.post("/api/BlogChess/ValidMoves", &json!({}))
            .await
            .status,
        400
    );
    for path in ["/v1/ais", "/v1/nothing", "/api/BlogChess/BestMove"] {
        check_limited(&app.get(path).await);
    }
    // Health checks need no client.
    assert_eq!(app.get("/healthz").await.status, 200);
}

#[actix_web::test]
async fn accepts_requests_again_after_the_wait() {
    let app = application("[client.default]\nai = \"pawns\"\nrate = \"1/s burst 1\"\n");
    let started = Instant::now();
    assert_eq!(app.get("/v1/ais").await.status, 200);
    let mut rejections = 0;
    while app.get("/v1/ais").await.status == 429 {
        rejections += 1;
        assert!(started.elapsed() < Duration::from_secs(20));
    }
    assert!(
        rejections > 0 && started.elapsed() >= Duration::from_millis(990),
        "{:?}",
        started.elapsed()
    );
}

/// An application whose AI has two workers, which hang until the one-second timeout.
fn slow() -> Application {
    Application::of(&with_ais(
        &[("hangs", "hang", "move_timeout_ms = 1000\nworkers = 2")],
        "max_concurrent = 2\n[client.alice]\nai = \"hangs\"",
    ))
}

#[actix_web::test]
async fn rejects_requests_above_max_concurrent() {
    let app = slow();
    let body = json!({"game": {}});
    let (first, second, third) = tokio::join!(
        app.post("/v1/best-move", &body),
        app.post("/v1/best-move", &body),
        app.get("/v1/ais"),
    );
    let statuses = [first.status, second.status, third.status];
    assert_eq!(statuses, [504, 504, 429], "{}", third.body);
    assert_eq!(check_limited(&third), 1);
    assert!(
        third.body["detail"]
            .as_str()
            .unwrap()
            .contains("2 open requests"),
        "{}",
        third.body
    );
    assert_eq!(app.get("/v1/ais").await.status, 200);
}

#[actix_web::test]
async fn an_abandoned_request_frees_its_slot() {
    let app = slow();
    let body = json!({"game": {}});
    let first = Box::pin(app.post("/v1/best-move", &body));
    let second = Box::pin(app.post("/v1/best-move", &body));
    let third = Box::pin(app.get("/v1/ais"));
    let both = Box::pin(futures_util::future::join(first, second));
    let Either::Right((third, both)) = select(both, third).await else {
        panic!("the third request was not rejected at once")
    };
    check_limited(&third);
    assert_eq!(
        app.get_with(&[("X-Client-Id", "alice")], "/v1/ais")
            .await
            .status,
        200
    );
    drop(both);
    assert_eq!(app.get("/v1/ais").await.status, 200);
}

/// Requests a best move for a client with these maxima. Returns the reply's `search`.
async fn search(maxima: &str, limit: &Value) -> Value {
    let app = application(&format!("[client.default]\nai = \"basic1\"\n{maxima}\n"));
    app.post("/v1/best-move", &best_move(limit)).await.ok()["search"].clone()
}

#[actix_web::test]
async fn lowers_limits_to_the_maxima_and_reports_it() {
    let depth = search("max_depth = 2", &json!({"depth": 9})).await;
    assert_eq!(
        (&depth["depth"], &depth["stopped_by"]),
        (&json!(2), &json!("depth"))
    );
    assert_eq!(depth["limit"], json!({"depth": 2}));
    let nodes = search("max_nodes = 300", &json!({"nodes": 1_000_000})).await;
    assert_eq!(
        (
            nodes["nodes"].as_u64().unwrap() <= 303,
            &nodes["stopped_by"]
        ),
        (true, &json!("nodes"))
    );
    assert_eq!(nodes["limit"], json!({"nodes": 300}));
    let time = search("max_movetime_ms = 50", &json!({"movetime_ms": 9000})).await;
    assert!(time["time_ms"].as_u64().unwrap() < 3000, "{time}");
    assert_eq!(
        (&time["limit"], &time["stopped_by"]),
        (&json!({"movetime_ms": 50}), &json!("movetime"))
    );
}

#[actix_web::test]
async fn keeps_limits_within_the_maxima() {
    for (maxima, limit) in [
        ("max_depth = 2", json!({"depth": 2})),
        ("max_nodes = 300", json!({"nodes": 200})),
        ("max_movetime_ms = 50", json!({"movetime_ms": 20})),
        ("", json!({"depth": 3})),
    ] {
        let search = search(maxima, &limit).await;
        assert!(search.get("limit").is_none(), "{search}");
    }
}

#[actix_web::test]
async fn lowers_the_default_limit_of_the_ai() {
    let app = application("[client.default]\nai = \"basic1\"\nmax_depth = 1\n");
    let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
    let search = &reply.body["search"];
    assert_eq!(
        (&search["depth"], &search["limit"]["depth"]),
        (&json!(1), &json!(1))
    );
}

#[actix_web::test]
async fn applies_each_maximum_to_other_kinds_of_limit() {
    // A maximum depth of 3 has the same effect as a limit of depth 3.
    let plain = search("", &json!({"depth": 3})).await;
    for (maxima, limit) in [
        ("max_depth = 3", json!({"nodes": 100_000_000})),
        ("max_depth = 3", json!({"movetime_ms": 9000})),
        (
            "max_depth = 3\nmax_nodes = 100000000\nmax_movetime_ms = 9000",
            json!({"depth": 60}),
        ),
        (
            "max_nodes = 100000000\nmax_movetime_ms = 9000",
            json!({"depth": 3}),
        ),
    ] {
        let bounded = search(maxima, &limit).await;
        for key in ["depth", "nodes", "pv", "stopped_by"] {
            assert_eq!(bounded[key], plain[key], "{maxima}: {bounded}");
        }
        assert!(bounded["limit"].is_object(), "{bounded}");
    }
    let nodes = search("max_nodes = 300", &json!({"depth": 60})).await;
    assert!(nodes["nodes"].as_u64().unwrap() <= 303, "{nodes}");
    assert_eq!(nodes["limit"], json!({"depth": 60, "nodes": 300}));
    let nodes = search("max_nodes = 300", &json!({"movetime_ms": 9000})).await;
    assert!(nodes["nodes"].as_u64().unwrap() <= 303, "{nodes}");
    for limit in [
        json!({"depth": 60}),
        json!({"nodes": 1_000_000_000_000_u64}),
    ] {
        let time = search("max_movetime_ms = 50", &limit).await;
        assert!(time["time_ms"].as_u64().unwrap() < 3000, "{time}");
        assert_eq!(
            (&time["limit"]["movetime_ms"], &time["stopped_by"]),
            (&json!(50), &json!("movetime"))
        );
    }
}

#[actix_web::test]
async fn applies_maxima_to_the_hosts_search() {
    let app = application("[client.default]\nai = \"pawns\"\nmax_depth = 2\n");
    let reply = app
        .post("/v1/best-move", &best_move(&json!({"movetime_ms": 9000})))
        .await;
    assert_eq!(
        (reply.status, &reply.body["search"]["depth"]),
        (200, &json!(2)),
        "{}",
        reply.body
    );
    assert_eq!(reply.body["search"]["stopped_by"], "depth");
}

const fn rook_and_king() -> [[i64; 8]; 8] {
    let mut board = [[0; 8]; 8];
    board[0][4] = -6;
    board[7][4] = 6;
    board[7][0] = 4;
    board
}

#[actix_web::test]
async fn applies_maxima_to_the_2014_api() {
    let file = with_ais(
        &[(
            "basic1",
            "ai_basic1",
            "move_timeout_ms = 60000\nlimit = { movetime_ms = 50000 }",
        )],
        "max_depth = 1",
    );
    let game = json!({"GameStatus": "WhitesTurn", "Positions": [{"Board": rook_and_king()}]});
    let started = Instant::now();
    assert_eq!(
        Application::of(&file)
            .post("/api/BlogChess/BestMove", &game)
            .await
            .status,
        200
    );
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[actix_web::test]
async fn rejects_games_above_max_plies() {
    let app = application_with("max_plies = 4", "[client.default]\nai = \"pawns\"\n");
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3"];
    for path in [
        "/v1/validate",
        "/v1/legal-moves",
        "/v1/evaluate",
        "/v1/best-move",
    ] {
        app.post(path, &json!({"game": {"moves": shuffle[..4]}}))
            .await
            .ok();
        let long = app.post(path, &json!({"game": {"moves": shuffle}})).await;
        long.check_error(400, "malformed_request");
        assert_eq!(long.body["pointer"], "/game/moves");
        assert!(
            long.body["detail"]
                .as_str()
                .unwrap()
                .contains("5 half-moves; at most 4"),
            "{}",
            long.body
        );
    }
    let boards = [rook_and_king(); 6];
    let long = app
        .post("/v1/validate", &json!({"game": {"boards": boards}}))
        .await;
    assert_eq!(
        (long.status, &long.body["pointer"]),
        (400, &json!("/game/boards")),
        "{}",
        long.body
    );
    // Five boards are four half-moves: this game is illegal, not too long.
    let short = json!({"game": {"boards": boards[..5]}});
    app.post("/v1/validate", &short)
        .await
        .check_error(422, "illegal_game");
    let positions: Vec<_> = boards.iter().map(|board| json!({"Board": board})).collect();
    let game = json!({"GameStatus": "WhitesTurn", "Positions": positions});
    for path in ["/api/BlogChess/BestMove", "/api/BlogChess/ValidMoves"] {
        let long = app.post(path, &game).await;
        assert_eq!(
            (long.status, &long.body["pointer"]),
            (400, &json!("/Positions")),
            "{}",
            long.body
        );
    }
}
