//! Isolation of clients that share an AI.

use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::{Application, Reply, administrator, keyed_client, last_fault, with_ais};

fn shared(settings: &str) -> Application {
    let clients = "[client.alice]\nai = \"leaks\"\n[client.bob]\nai = \"leaks\"\n".to_owned();
    Application::of(&with_ais(
        &[("leaks", "log_games", settings)],
        &(clients + &administrator("leaks")),
    ))
}

/// A game in which the AI aborts after the move `h1g1`.
fn fatal_game() -> Value {
    json!({"game": {"fen": "4k3/8/8/8/8/8/8/4K2R w - - 49 60", "moves": ["h1g1"]}})
}

/// Lets both workers answer Alice, then lets a request from Bob kill both.
async fn crash_by_bob(app: &Application) -> Reply {
    let alices = json!({"game": {"moves": ["b1c3", "b8c6"]}, "limit": {"movetime_ms": 300}});
    let ask = || app.post_as("alice", "/v1/best-move", &alices);
    let (one, other) = join(ask(), ask()).await;
    assert_eq!(
        (one.status, other.status),
        (200, 200),
        "{} {}",
        one.body,
        other.body
    );
    let crash = app.post_as("bob", "/v1/best-move", &fatal_game()).await;
    crash.check_error(502, "ai_crashed");
    crash
}

#[actix_web::test]
async fn hides_ai_output_from_clients() {
    let app = shared("workers = 2");
    let crash = crash_by_bob(&app).await;
    assert!(
        !crash.body.to_string().contains("logged game"),
        "{}",
        crash.body
    );
    assert!(
        crash.body["detail"]
            .as_str()
            .unwrap()
            .contains("signal 6 (abort)"),
        "{}",
        crash.body
    );
    let fault = last_fault(&app, "leaks").await;
    assert!(
        fault["detail"]
            .as_str()
            .unwrap()
            .contains("its last words: logged game h1g1"),
        "{fault}"
    );
}

#[actix_web::test]
async fn truncates_kept_output_at_each_request() {
    let app = shared("workers = 2");
    crash_by_bob(&app).await;
    let fault = last_fault(&app, "leaks").await;
    assert_eq!(fault["stderr"], "logged game h1g1", "{fault}");
    assert!(!fault.to_string().contains("b1c3"), "{fault}");
}

/// An AI with `isolate = "client"`, two clients with keys and one without.
fn isolated(workers: usize) -> Application {
    let settings = format!("isolate = \"client\"\nworkers = {workers}");
    let clients = keyed_client("alice", "leaks") + &keyed_client("bob", "leaks");
    Application::of(&with_ais(&[("leaks", "log_games", &settings)], &clients))
}

/// Returns the number of requests handled by the worker that answers.
async fn request_count(app: &Application, client: Option<&str>) -> u64 {
    let body = json!({"game": {}, "fresh": true});
    let reply = match client {
        Some(client) => app.post_with_key(client, "/v1/best-move", &body).await,
        None => app.post("/v1/best-move", &body).await,
    };
    reply.ok()["search"]["nodes"].as_u64().unwrap()
}

#[actix_web::test]
async fn replaces_the_worker_between_clients() {
    let app = isolated(1);
    for (client, number) in [
        ("alice", 1),
        ("alice", 2),
        ("bob", 1),
        ("bob", 2),
        ("alice", 1),
        ("alice", 2),
    ] {
        assert_eq!(request_count(&app, Some(client)).await, number, "{client}");
    }
    assert_eq!(app.get("/v1/ais/leaks").await.body["isolate"], "client");
}

#[actix_web::test]
async fn never_reuses_a_worker_for_a_request_without_a_key() {
    let app = isolated(1);
    for client in [None, None, Some("alice"), None, Some("alice")] {
        assert_eq!(request_count(&app, client).await, 1, "{client:?}");
    }
}

#[actix_web::test]
async fn prefers_the_worker_that_served_the_client() {
    let app = isolated(2);
    loop {
        let metrics = app.get("/metrics").await.body;
        if metrics
            .as_str()
            .unwrap()
            .contains("rookery_ai_workers{ai=\"leaks\",state=\"ready\"} 2\n")
        {
            break;
        }
        actix_web::rt::task::yield_now().await;
    }
    for number in 1..=20 {
        for client in ["alice", "bob"] {
            assert_eq!(request_count(&app, Some(client)).await, number, "{client}");
        }
    }
}

#[actix_web::test]
async fn shares_a_worker_without_isolation() {
    let app = shared("");
    for number in 1..=3 {
        assert_eq!(request_count(&app, None).await, number);
    }
}
