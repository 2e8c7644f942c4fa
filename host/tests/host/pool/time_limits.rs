//! The host stops an AI that ignores its time limit.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Application, with_ais};

const MOVE_TIMEOUT_MS: u64 = 30_000;
/// Longer than any limit in these tests, and far shorter than the move timeout.
const LATEST: Duration = Duration::from_secs(15);

/// Two AIs that search until they are stopped.
fn waits_for_stop(limit: &str, client: &str) -> Application {
    let settings = format!("move_timeout_ms = {MOVE_TIMEOUT_MS}\n{limit}");
    let ais = ["one", "two"].map(|id| (id, "wait_for_stop", &*settings));
    Application::of(&with_ais(&ais, client))
}

async fn post_in_time(app: &Application, path: &str, body: &Value) -> Value {
    let began = Instant::now();
    let reply = app.post(path, body).await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.body);
    assert!(
        began.elapsed() < LATEST,
        "{path} took {:?}",
        began.elapsed()
    );
    reply.body
}

#[actix_web::test]
async fn stops_an_ai_at_the_movetime_of_a_request() {
    let app = waits_for_stop("", "");
    let body = json!({"game": {}, "limit": {"movetime_ms": 200}});
    let reply = post_in_time(&app, "/v1/best-move", &body).await;
    assert_eq!(reply["search"]["stopped_by"], "movetime", "{reply}");
    assert!(
        reply["search"]["time_ms"].as_u64().unwrap() >= 200,
        "{reply}"
    );
    let body = json!({"game": {}, "ais": ["one", "two"], "limit": {"movetime_ms": 200}});
    let reply = post_in_time(&app, "/v1/compare", &body).await;
    for answer in reply["answers"].as_array().unwrap() {
        assert_eq!(answer["search"]["stopped_by"], "movetime", "{reply}");
    }
}

#[actix_web::test]
async fn stops_an_ai_at_its_configured_movetime() {
    let app = waits_for_stop("limit = { movetime_ms = 200 }", "");
    let reply = post_in_time(&app, "/v1/best-move", &json!({"game": {}})).await;
    assert_eq!(reply["search"]["stopped_by"], "movetime", "{reply}");
}

#[actix_web::test]
async fn stops_an_ai_at_max_movetime_ms() {
    let app = waits_for_stop("", "max_movetime_ms = 200");
    for limit in [
        json!({"movetime_ms": 20_000}),
        json!({"depth": 20}),
        json!({"nodes": 1_000_000}),
    ] {
        let reply = post_in_time(&app, "/v1/best-move", &json!({"game": {}, "limit": limit})).await;
        assert_eq!(
            reply["search"]["stopped_by"], "movetime",
            "{limit}: {reply}"
        );
    }
}

#[actix_web::test]
async fn stops_an_ai_in_each_position_of_a_report() {
    let app = waits_for_stop("", "");
    let game = json!({"moves": ["e2e4", "e7e5"]});
    let reply = post_in_time(
        &app,
        "/v1/report",
        &json!({"game": game, "limit": {"movetime_ms": 100}}),
    )
    .await;
    assert_eq!(reply["moves"].as_array().unwrap().len(), 2, "{reply}");
}
