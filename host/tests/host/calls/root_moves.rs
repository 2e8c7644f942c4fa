//! `root_moves`: a search restricted to given moves.

use serde_json::{Value, json};

use crate::support::{Application, with_ais};

fn app() -> Application {
    let ignoring = "options = { fault = \"ignores_root_moves\" }\n";
    Application::of(&with_ais(
        &[
            ("echo", "echo", ""),
            ("deepening", "deepening", ""),
            ("ignoring", "faulty", ignoring),
        ],
        "",
    ))
}

fn body(root_moves: &Value) -> Value {
    json!({"game": {"moves": ["e2e4"]}, "root_moves": root_moves, "limit": {"depth": 1}})
}

#[actix_web::test]
async fn an_ai_chooses_among_the_root_moves() {
    let app = app();
    let reply = app
        .post("/v1/best-move", &body(&json!(["h7h5", "a7a6", "h7h5"])))
        .await
        .ok();
    assert_eq!(reply["move"]["uci"], "h7h5");
    let reply = app
        .post("/v1/best-move", &body(&json!(["a7a6"])))
        .await
        .ok();
    assert_eq!(reply["move"]["uci"], "a7a6");
    let records = app.stream("/v1/best-move", &body(&json!(["a7a6"]))).await;
    assert_eq!(records.last().unwrap()["move"]["uci"], "a7a6");
}

#[actix_web::test]
async fn every_illegal_root_move_is_an_issue() {
    let app = app();
    for (path, ai) in [
        ("/v1/best-move", json!({})),
        ("/v1/compare", json!({"ais": ["echo"]})),
    ] {
        let mut body = body(&json!(["e7e5", "e2e4", "x", "a7a6"]));
        body.as_object_mut()
            .unwrap()
            .extend(ai.as_object().unwrap().clone());
        let reply = app.post(path, &body).await;
        reply.check_error(422, "illegal_game");
        let issues = reply.body["issues"].as_array().unwrap();
        let found: Vec<_> = issues
            .iter()
            .map(|issue| (&issue["code"], &issue["pointer"]))
            .collect();
        let code = json!("illegal_move");
        assert_eq!(
            found,
            [
                (&code, &json!("/root_moves/1")),
                (&code, &json!("/root_moves/2"))
            ],
            "{}",
            reply.body
        );
        for moves in [json!([]), vec!["e7e5"; 1001].into()] {
            body["root_moves"] = moves;
            let reply = app.post(path, &body).await;
            reply.check_error(400, "malformed_request");
            assert_eq!(reply.body["pointer"], "/root_moves");
        }
    }
}

#[actix_web::test]
async fn an_ai_without_the_capability_gets_no_root_moves() {
    let app = app();
    let mut request = body(&json!(["a7a6"]));
    request["ai"] = "deepening".into();
    let reply = app.post("/v1/best-move", &request).await;
    reply.check_error(400, "malformed_request");
    assert_eq!(reply.body["pointer"], "/root_moves");
    assert!(
        reply.body["detail"]
            .as_str()
            .unwrap()
            .contains("the capability 'root_moves'"),
        "{}",
        reply.body
    );
    let mut request = body(&json!(["a7a6"]));
    request["ais"] = json!(["echo", "deepening"]);
    let reply = app.post("/v1/compare", &request).await.ok();
    assert_eq!(reply["answers"][0]["move"]["uci"], "a7a6");
    assert_eq!(reply["answers"][1]["error"]["pointer"], "/ais/1");
}

#[actix_web::test]
async fn a_move_outside_the_root_moves_is_a_fault() {
    let app = app();
    let mut request = body(&json!(["a7a6", "b7b6"]));
    request["ai"] = "ignoring".into();
    let reply = app.post("/v1/best-move", &request).await;
    reply.check_error(502, "ai_illegal_move");
    assert!(
        reply.body["detail"]
            .as_str()
            .unwrap()
            .contains("root_moves"),
        "{}",
        reply.body
    );
    assert!(app.last_fault("ignoring").contains("root_moves"));
}
