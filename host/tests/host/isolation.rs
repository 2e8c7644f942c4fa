//! What one client learns of another by way of an AI that both use.

use futures_util::future::join;
use serde_json::{Value, json};

use crate::support::{ADMIN_KEY_SHA256, Application, ConfigFile, Reply, last_fault};

fn leaky(settings: &str) -> Application {
    Application::of(&ConfigFile::new(&format!(
        "[ai.leaks]\nlibrary = \"leaks\"\n{settings}\n[client.default]\nai = \"leaks\"\n\
         [client.alice]\nai = \"leaks\"\n[client.bob]\nai = \"leaks\"\n\
         [client.boss]\nai = \"leaks\"\nadmin = true\napi_key_sha256 = \"{ADMIN_KEY_SHA256}\"\n"
    )))
}

/// A game in which the AI dies after the move `h1g1`.
fn deadly() -> Value {
    json!({"game": {"fen": "4k3/8/8/8/8/8/8/4K2R w - - 49 60", "moves": ["h1g1"]}})
}

/// Has each of two workers answer Alice, then has Bob's question kill both.
async fn bobs_crash(app: &Application) -> Reply {
    let alices = json!({"game": {"moves": ["b1c3", "b8c6"]}, "limit": {"movetime_ms": 300}});
    let ask = || app.post_as("alice", "/v1/best-move", &alices);
    let (one, other) = join(ask(), ask()).await;
    assert_eq!((one.status, other.status), (200, 200), "{} {}", one.body, other.body);
    let crash = app.post_as("bob", "/v1/best-move", &deadly()).await;
    assert_eq!((crash.status, crash.code()), (502, "ai_crashed"), "{}", crash.body);
    crash
}

#[actix_web::test]
async fn hides_what_an_ai_wrote_from_clients() {
    let app = leaky("workers = 2");
    let crash = bobs_crash(&app).await;
    assert!(!crash.body.to_string().contains("asked about"), "{}", crash.body);
    assert!(crash.body["detail"].as_str().unwrap().contains("signal 6 (abort)"), "{}", crash.body);
    let fault = last_fault(&app, "leaks").await;
    assert!(fault["detail"].as_str().unwrap().contains("its last words: asked about h1g1"), "{fault}");
}

#[actix_web::test]
async fn cuts_kept_output_at_each_question() {
    let app = leaky("workers = 2");
    bobs_crash(&app).await;
    let fault = last_fault(&app, "leaks").await;
    assert_eq!(fault["stderr"], "asked about h1g1", "{fault}");
    assert!(!fault.to_string().contains("b1c3"), "{fault}");
}
