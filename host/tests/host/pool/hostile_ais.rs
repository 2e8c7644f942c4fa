//! Hostile AIs: no process remains and no timeout is exceeded. AIs that a sandbox would stop run
//! without a sandbox here.

use std::time::{Duration, Instant};

use pool::{AiStartError, Ais, WorkerProgram};
use serde_json::json;
use test_kit::processes::{self, command_line, status};

use crate::pool::faults::workers_of;
use crate::support::{
    Application, ConfigFile, administrator, ai, assert_has, configuration, game_service,
    last_fault, rookery, start_error, with_ais,
};

#[actix_web::test]
async fn detects_a_crash_while_a_child_holds_the_socket() {
    let app = Application::of(&with_child("forks-and-crashes", true));
    for first in ["e2e4", "d2d4"] {
        app.post("/v1/best-move", &json!({"game": {"moves": [first]}}))
            .await
            .check_error(502, "ai_crashed");
        until(|| {
            parents_of("forks-and-crashes")
                .iter()
                .all(|parent| *parent == std::process::id())
        })
        .await;
    }
}

#[actix_web::test]
async fn kills_children_of_an_ai_on_shutdown() {
    let game = game_service(&with_child("forks-and-plays", false));
    assert!(parents_of("forks-and-plays").len() >= 2);
    game.stop(Duration::from_secs(5));
    until(|| parents_of("forks-and-plays").is_empty()).await;
}

#[actix_web::test]
async fn a_worker_cannot_leave_its_process_group() {
    let app = Application::of(&ai(
        "leaves-group",
        "leave_process_group",
        "move_timeout_ms = 1000\nsandbox = \"off\"",
    ));
    for _ in 0..2 {
        app.post("/v1/best-move", &json!({"game": {}}))
            .await
            .check_error(504, "ai_timeout");
    }
}

#[actix_web::test]
async fn forged_reports_do_not_extend_the_timeout() {
    let app = Application::of(&configuration(&["forged_frames"]));
    let started = Instant::now();
    app.post("/v1/best-move", &json!({"game": {}}))
        .await
        .check_error(504, "ai_timeout");
    assert!(
        started.elapsed() < Duration::from_millis(1800),
        "{:?}",
        started.elapsed()
    );
}

#[actix_web::test]
async fn truncates_a_forged_result() {
    let app = Application::of(&ai(
        "forged_frames",
        "forged_frames",
        "options.frame = \"answer\"",
    ));
    let reply = app
        .post("/v1/best-move", &json!({"game": {}, "lines": 5}))
        .await
        .ok();
    let search = &reply["search"];
    assert_eq!(search["pv"].as_array().unwrap().len(), 256);
    // The AI supports only one line.
    assert_eq!(search["lines"].as_array().unwrap().len(), 1);
}

#[test]
fn strips_control_characters_from_a_forged_refusal() {
    let config = ai(
        "forged_frames",
        "forged_frames",
        "options.frame = \"rejection\"",
    )
    .load();
    let errors = Ais::start(&config, WorkerProgram::at(rookery())).unwrap_err();
    let AiStartError::Start { source, .. } = &errors.0[0] else {
        panic!("{errors}")
    };
    assert_eq!(source.to_string(), "rejected  [2J by  itself");
}

#[actix_web::test]
async fn reports_why_an_ai_cannot_restart() {
    let ais = [(
        "panics-once",
        "panic_once_created",
        "move_timeout_ms = 1000",
    )];
    let app = Application::of(&with_ais(&ais, &administrator("panics-once")));
    let (mut lost, started) = (Vec::new(), Instant::now());
    while app.get("/v1/ais/panics-once").await.body["state"] != "quarantined" {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "no quarantine within 30 s"
        );
        match workers_of("panics-once").as_slice() {
            [worker] if !lost.contains(worker) => {
                lost.push(*worker);
                app.post("/v1/best-move", &json!({"game": {}}))
                    .await
                    .check_error(502, "ai_failed");
            }
            _ => actix_web::rt::task::yield_now().await,
        }
    }
    assert_eq!(lost.len(), 5);
    let last = app.post("/v1/best-move", &json!({"game": {}})).await;
    last.check_error(503, "ai_unavailable");
    assert_eq!(app.get("/readyz").await.status, 503);
    assert!((1..=5).contains(&last.header("Retry-After").unwrap().parse().unwrap()));
    let detail = last.body["detail"].as_str().unwrap();
    let secret = "only one instance is allowed";
    assert!(
        detail.contains("called exit(1)") && !detail.contains(secret),
        "{detail}"
    );
    let reported = last_fault(&app, "panics-once").await;
    assert!(
        reported["detail"].as_str().unwrap().contains(secret),
        "{reported}"
    );
}

#[actix_web::test]
async fn bounds_retry_after_of_a_full_queue() {
    let app = Application::of(&configuration(&["hang"]));
    let body = json!({"game": {}, "fresh": true});
    let requests: Vec<_> = (0..80)
        .map(|_| Box::pin(app.post("/v1/best-move", &body)))
        .collect();
    let (first, _, rest) = futures_util::future::select_all(requests).await;
    first.check_error(503, "queue_full");
    // A request waits at most two seconds for an AI with a timeout of one second.
    assert_eq!(first.header("Retry-After"), Some("2"));
    drop(rest);
}

#[test]
fn rejects_a_manifest_that_is_too_large() {
    let errors = start_error(&configuration(&["many_options"]));
    assert_has(
        &errors,
        &["the AI's manifest takes", "at most 262144 are allowed"],
    );
}

fn with_child(id: &str, crashes: bool) -> ConfigFile {
    ai(
        id,
        if crashes {
            "leave_child_then_abort"
        } else {
            "leave_child"
        },
        "sandbox = \"off\"",
    )
}

/// Returns the parent of each process that has this AI's id on its command line: each worker and
/// each of its children.
fn parents_of(id: &str) -> Vec<u32> {
    let of_ai =
        processes::all().filter(|&process| command_line(process).iter().any(|word| word == id));
    of_ai
        .filter_map(|process| status(process, "PPid")?.parse().ok())
        .collect()
}

async fn until(holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(10), "timeout");
        actix_web::rt::task::yield_now().await;
    }
}
