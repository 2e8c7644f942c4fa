//! A library's constructors run while it is loaded, with the AI's rights.

use serde_json::{Value, json};

use crate::support::{Application, ai};

/// Returns how many probes succeeded in the constructor and in a search.
async fn found_open(settings: &str) -> i64 {
    let app = Application::of(&ai("sandbox_probe", "sandbox_probe", settings));
    let reply = app.post("/v1/best-move", &json!({"game": {}})).await.ok();
    reply["score"]["cp"]
        .as_i64()
        .unwrap_or_else(|| panic!("{reply}"))
}

#[actix_web::test]
async fn revokes_loading_rights_before_constructors_run() {
    assert_eq!(found_open("memory_mb = 256").await, 0);
    // Without the sandbox, only the descriptors of the server and of other workers are still
    // closed.
    assert_eq!(
        found_open("sandbox = \"off\"").await,
        20,
        "every other probe succeeds without the sandbox"
    );
}

#[actix_web::test]
async fn admits_a_library_whose_constructor_starts_threads() {
    let app = Application::of(&ai("thread_on_load", "thread_on_load", ""));
    let reply = app.post("/v1/best-move", &json!({"game": {}})).await.ok();
    assert_eq!(reply["score"], json!({"cp": 0}), "its thread read a file");
    assert_eq!(
        app.get("/v1/ais/thread_on_load").await.body["sandbox"]["missing"],
        json!([])
    );
}

#[actix_web::test]
async fn sanitizes_a_manifest_forged_by_a_constructor() {
    let app = Application::of(&ai("forged_worker", "forged_worker", ""));
    let about = app.get("/v1/ais/forged_worker").await.body;
    let name = about["name"].as_str().unwrap();
    assert!(
        name.starts_with("read [] ") && !name.contains(['\u{1b}', '\u{202e}']),
        "{name:?}"
    );
    assert!(
        !about["version"].as_str().unwrap().contains('\n'),
        "{about}"
    );
    // The worker reports what the sandbox enforces before the constructor runs.
    assert_eq!(about["sandbox"]["missing"], json!([]));
    let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
    assert_eq!(
        (reply.status, &reply.body["move"]["uci"]),
        (200, &json!("g1f3")),
        "{}",
        reply.body
    );
    assert!(
        reply.body["search"]["pv"]
            .as_array()
            .is_some_and(|line| line.len() <= 256),
        "{}",
        reply.body
    );
    let played = json!({"game": {"moves": ["g1f3", "g8f6"]}});
    let reply = app.post("/v1/best-move", &played).await;
    reply.check_error(502, "ai_illegal_move");
    assert_eq!(reply.body["move"], Value::Null);
}
