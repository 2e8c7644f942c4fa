//! Hostile AIs: no process remains and no timeout is exceeded. Those that a sandbox would
//! stop run without one here.

use std::{
    fs,
    time::{Duration, Instant},
};

use pool::{AiStartError, Ais, WorkerProgram};
use serde_json::json;

use crate::pool::faults::workers_of;
use crate::sandbox::ai;
use crate::support::{
    ADMIN_KEY_SHA256, Application, ConfigFile, configuration, game_service, last_fault, rookery,
};

#[actix_web::test]
async fn detects_a_crash_while_a_child_holds_the_socket() {
    let app = Application::of(&with_child("forks-and-crashes", true));
    for first in ["e2e4", "d2d4"] {
        let reply = app.post("/v1/best-move", &json!({"game": {"moves": [first]}})).await;
        assert_eq!((reply.status, reply.code()), (502, "ai_crashed"), "{}", reply.body);
        until(|| processes_of("forks-and-crashes").iter().all(|parent| *parent == std::process::id())).await;
    }
}

#[actix_web::test]
async fn kills_children_of_an_ai_on_shutdown() {
    let game = game_service(&with_child("forks-and-plays", false));
    assert!(processes_of("forks-and-plays").len() >= 2);
    game.stop(Duration::from_secs(5));
    until(|| processes_of("forks-and-plays").is_empty()).await;
}

#[actix_web::test]
async fn a_worker_cannot_leave_its_process_group() {
    let app = Application::of(&ConfigFile::new(
        "[ai.leaves-group]\nlibrary = \"fault_injector\"\noptions.fault = \"leave_process_group\"\nmove_timeout_ms = 1000\nsandbox = \"off\"\n[client.default]\nai = \"leaves-group\"\n",
    ));
    for _ in 0..2 {
        let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
        assert_eq!((reply.status, reply.code()), (504, "ai_timeout"), "{}", reply.body);
    }
}

#[actix_web::test]
async fn forged_reports_do_not_extend_the_timeout() {
    let app = Application::of(&configuration(&["forged_frames"]));
    let started = Instant::now();
    let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
    assert_eq!((reply.status, reply.code()), (504, "ai_timeout"), "{}", reply.body);
    assert!(started.elapsed() < Duration::from_millis(1800), "{:?}", started.elapsed());
}

#[actix_web::test]
async fn truncates_a_forged_result() {
    let app = Application::of(&ConfigFile::new(
        "[ai.forged_frames]\nlibrary = \"forged_frames\"\noptions.frame = \"answer\"\n[client.default]\nai = \"forged_frames\"\n",
    ));
    let reply = app.post("/v1/best-move", &json!({"game": {}, "lines": 5})).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let search = &reply.body["search"];
    assert_eq!(search["pv"].as_array().unwrap().len(), 256);
    // The AI supports only one line.
    assert_eq!(search["lines"].as_array().unwrap().len(), 1);
}

#[test]
fn strips_control_characters_of_a_forged_refusal() {
    let config =
        ConfigFile::new("[ai.forged_frames]\nlibrary = \"forged_frames\"\noptions.frame = \"rejection\"\n")
            .load();
    let errors = Ais::start(&config, WorkerProgram::at(rookery())).unwrap_err();
    let AiStartError::Start { source, .. } = &errors.0[0] else { panic!("{errors}") };
    assert_eq!(source.to_string(), "rejected  [2J by  itself");
}

#[actix_web::test]
async fn reports_why_an_ai_cannot_restart() {
    let app = Application::of(&ConfigFile::new(&format!(
        "[ai.panics-once]\nlibrary = \"fault_injector\"\noptions.fault = \"panic_once_created\"\nmove_timeout_ms = 1000\n[client.default]\nai = \"panics-once\"\n\
         [client.boss]\nai = \"panics-once\"\nadmin = true\napi_key_sha256 = \"{ADMIN_KEY_SHA256}\"\n"
    )));
    let (mut lost, started) = (Vec::new(), Instant::now());
    while app.get("/v1/ais/panics-once").await.body["state"] != "quarantined" {
        assert!(started.elapsed() < Duration::from_secs(30), "no quarantine within 30 s");
        match workers_of("panics-once").as_slice() {
            [worker] if !lost.contains(worker) => {
                lost.push(*worker);
                let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
                assert_eq!((reply.status, reply.code()), (502, "ai_failed"), "{}", reply.body);
            }
            _ => actix_web::rt::task::yield_now().await,
        }
    }
    assert_eq!(lost.len(), 5);
    let last = app.post("/v1/best-move", &json!({"game": {}})).await;
    assert_eq!((last.status, last.code()), (503, "ai_unavailable"), "{}", last.body);
    assert_eq!(app.get("/readyz").await.status, 503);
    assert!((1..=5).contains(&last.header("Retry-After").unwrap().parse().unwrap()));
    let detail = last.body["detail"].as_str().unwrap();
    assert!(
        detail.contains("called exit(1)") && !detail.contains("only one instance is allowed"),
        "{detail}"
    );
    let reported = last_fault(&app, "panics-once").await;
    assert!(reported["detail"].as_str().unwrap().contains("only one instance is allowed"), "{reported}");
}

#[actix_web::test]
async fn bounds_retry_after_of_a_full_queue() {
    let app = Application::of(&configuration(&["hang"]));
    let body = json!({"game": {}});
    let requests: Vec<_> = (0..80).map(|_| Box::pin(app.post("/v1/best-move", &body))).collect();
    let (first, _, rest) = futures_util::future::select_all(requests).await;
    assert_eq!((first.status, first.code()), (503, "queue_full"), "{}", first.body);
    // A request waits at most two seconds for an AI with a timeout of one second.
    assert_eq!(first.header("Retry-After"), Some("2"));
    drop(rest);
}

#[test]
fn rejects_a_manifest_that_is_too_large() {
    let config = ConfigFile::new("[ai.many_options]\nlibrary = \"many_options\"\n").load();
    let errors = Ais::start(&config, WorkerProgram::at(rookery())).unwrap_err().to_string();
    assert!(errors.contains("describes itself in"), "{errors}");
    assert!(errors.contains("at most 262144 are allowed"), "{errors}");
}

fn with_child(id: &str, crashes: bool) -> ConfigFile {
    ai(id, if crashes { "leave_child_then_abort" } else { "leave_child" }, "sandbox = \"off\"")
}

/// The parents of all worker processes, and of their children, of an AI with a unique id.
fn processes_of(id: &str) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let of_ai = entries.filter(|process| {
        let command = fs::read(process.join("cmdline")).unwrap_or_default();
        command.split(|&byte| byte == 0).any(|word| word == id.as_bytes())
    });
    let parent =
        |status: String| status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
    of_ai.filter_map(|process| parent(fs::read_to_string(process.join("status")).ok()?)).collect()
}

async fn until(holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < Duration::from_secs(10), "timeout");
        actix_web::rt::task::yield_now().await;
    }
}
