//! How a request's AI is selected.

use serde_json::json;

use crate::support::{Application, ConfigFile};

fn three_ais() -> Application {
    Application::of(&ConfigFile::new(
        r#"
[ai.thorough]
library = "ai_basic1"
limit = { depth = 3 }

[ai.quick]
library = "ai_basic1"
limit = { depth = 1 }
[ai.quick.options]
quiescence = false
hash_mb = 1

[ai.pawns]
library = "counts_pawns"
limit = { depth = 2 }

[client.default]
ai = "thorough"

[client.alice]
ai = "quick"
allowed_ais = ["quick", "pawns"]

[client.bob]
ai = "thorough"
"#,
    ))
}

#[actix_web::test]
async fn each_client_uses_its_configured_ai() {
    let app = three_ais();
    for (client, id, depth) in [
        ("alice", "quick", 1),
        ("bob", "thorough", 3),
        ("alice", "quick", 1),
        ("default", "thorough", 3),
    ] {
        let reply = app
            .post_as(client, "/v1/best-move", &json!({"game": {}}))
            .await
            .ok();
        assert_eq!(
            reply["ai"],
            json!({"id": id, "name": "Basic1", "version": "1.0.0"})
        );
        // The depth tells the AIs with the same library apart.
        assert_eq!(reply["search"]["depth"], depth, "{client}");
    }
    let nameless = app.post("/v1/best-move", &json!({"game": {}})).await;
    assert_eq!(nameless.body["ai"]["id"], "thorough");
}

#[actix_web::test]
async fn a_request_may_name_another_ai() {
    let app = three_ais();
    for client in ["alice", "bob"] {
        let body = json!({"game": {}, "ai": "pawns"});
        let reply = app.post_as(client, "/v1/best-move", &body).await.ok();
        assert_eq!(
            reply["ai"],
            json!({"id": "pawns", "name": "Pawn counter", "version": "2.0.0"})
        );
        assert_eq!(reply["search"]["depth"], 2);
        let judged = app.post_as(client, "/v1/evaluate", &body).await;
        assert_eq!(judged.body["ai"]["id"], "pawns");
    }
}

#[actix_web::test]
async fn rejects_an_ai_outside_allowed_ais() {
    let app = three_ais();
    for path in ["/v1/best-move", "/v1/evaluate"] {
        let body = json!({"game": {}, "ai": "thorough"});
        let reply = app.post_as("alice", path, &body).await;
        reply.check_error(403, "ai_not_allowed");
        assert_eq!(
            reply.body["detail"],
            "this client may not use the AI 'thorough'; it may use quick, pawns"
        );
        assert_eq!(app.post_as("bob", path, &body).await.status, 200);
    }
    for ai in [
        "thorough",
        "THOROUGH",
        " thorough",
        "thorough\0",
        "quick,thorough",
        "../thorough",
        "thorough\u{200b}",
    ] {
        for (path, body) in [
            ("/v1/best-move", json!({"game": {}, "ai": ai})),
            ("/v1/evaluate", json!({"game": {}, "ai": ai})),
            ("/v1/report", json!({"game": {"moves": ["e2e4"]}, "ai": ai})),
            ("/v1/compare", json!({"game": {}, "ais": ["quick", ai]})),
            ("/v1/compare", json!({"game": {}, "ais": vec![ai; 1000]})),
        ] {
            let reply = app.post_as("alice", path, &body).await;
            assert!(
                matches!(reply.status, 400 | 403 | 404),
                "{path} {ai:?}: {}",
                reply.body
            );
        }
    }
}

#[actix_web::test]
async fn the_2014_api_uses_the_ai_of_the_client() {
    // The AI takes the guarded pawn at depth 1, but not at greater depths.
    let app = three_ais();
    let board = json!([
        [0, 0, 0, 0, -6, 0, 0, 0],
        [0, 0, 0, -1, 0, 0, 0, 0],
        [0, 0, 0, 0, -1, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 5, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 6, 0, 0, 0]
    ]);
    let game = json!({"GameStatus": "WhitesTurn", "Positions": [{"Board": board}]});
    for (client, takes) in [("alice", true), ("bob", false)] {
        let reply = app
            .post_as(client, "/api/BlogChess/BestMove", &game)
            .await
            .ok();
        assert_eq!(
            reply["Positions"][1]["Board"][2][4] == 5,
            takes,
            "{client}: {reply}"
        );
    }
}

#[actix_web::test]
async fn the_host_searches_with_an_evaluator_that_may_panic() {
    let app = three_ais();
    // Eight black queens make the evaluator panic. Here they appear after White's first move.
    let fen = "8/k7/q7/qq6/qq5P/qq6/q7/7K w - - 0 1";
    let bad = json!({"game": {"fen": fen}, "ai": "pawns"});
    let good = json!({
        "game": {"fen": "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"},
        "ai": "pawns",
        "limit": {"depth": 1},
    });
    for _ in 0..2 {
        for path in ["/v1/best-move", "/v1/evaluate"] {
            let reply = app.post(path, &bad).await;
            assert_eq!(
                (reply.status, reply.code()),
                (502, "ai_failed"),
                "{path}: {}",
                reply.body
            );
            let reported = app.last_fault("pawns");
            assert!(reported.contains("too many queens"), "{reported}");
            let reply = app.post("/v1/best-move", &good).await;
            assert_eq!(
                (reply.status, &reply.body["move"]["uci"]),
                (200, &json!("e4d5")),
                "{}",
                reply.body
            );
            assert_eq!(reply.body["score"], json!({"cp": 100}));
        }
    }
}
