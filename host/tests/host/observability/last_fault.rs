//! The last fault of an AI, which administrators can read.

use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use crate::support::{Application, administrator, last_fault, with_ais};

fn with_admin(names: &[&str]) -> Application {
    let ais: Vec<_> = names
        .iter()
        .map(|&name| (name, name, "move_timeout_ms = 500"))
        .collect();
    Application::of(&with_ais(&ais, &administrator(names[0])))
}

/// The current time in UTC, to the second.
fn now() -> String {
    time::OffsetDateTime::now_utc().format(&Rfc3339).unwrap()[..19].to_owned()
}

#[actix_web::test]
async fn shows_the_last_fault_only_to_admins() {
    let libraries = ["panic", "error", "segfault", "illegal_move", "hang", "exit"];
    let app = with_admin(&libraries);
    let began = now();
    for (ai, code, in_detail) in [
        ("panic", "ai_failed", "panicked"),
        ("error", "ai_failed", "no idea"),
        ("segfault", "ai_crashed", "signal 11"),
        ("hang", "ai_timeout", "500 ms"),
        ("exit", "ai_crashed", "exit("),
        ("illegal_move", "ai_illegal_move", "not legal"),
    ] {
        assert_eq!(last_fault(&app, ai).await, Value::Null);
        let reply = app
            .post("/v1/best-move", &json!({"game": {}, "ai": ai}))
            .await;
        assert_eq!(reply.code(), code, "{}", reply.body);
        let reported = last_fault(&app, ai).await;
        assert_eq!(reported["code"], code, "{reported}");
        assert_eq!(
            reported["request_id"], reply.body["request_id"],
            "{reported}"
        );
        assert!(
            reported["detail"].as_str().unwrap().contains(in_detail),
            "{reported}"
        );
        let (time, zone) = reported["time"].as_str().unwrap().split_at(19);
        assert!(
            (&*began..=&*now()).contains(&time) && zone.ends_with('Z'),
            "{reported}"
        );
        let others = app.get(&format!("/v1/ais/{ai}")).await;
        assert!(
            others.status == 200 && others.body.get("last_fault").is_none(),
            "{}",
            others.body
        );
    }
    let list = app.get("/v1/ais").await.body.to_string();
    assert!(!list.contains("last_fault"), "{list}");
}

#[actix_web::test]
async fn the_last_fault_includes_stderr() {
    let app = with_admin(&["panic"]);
    let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
    assert_eq!(reply.code(), "ai_failed", "{}", reply.body);
    // The output may arrive after the reply.
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let reported = last_fault(&app, "panic").await;
        let stderr = reported["stderr"].as_str().unwrap();
        let of_request = format!(
            "rookery worker: request {}: ",
            reported["request_id"].as_str().unwrap()
        );
        if stderr.contains("panicked at") && stderr.contains(&of_request) {
            break;
        }
        assert!(std::time::Instant::now() < deadline, "{reported}");
        app.post("/v1/best-move", &json!({"game": {}})).await;
    }
}
