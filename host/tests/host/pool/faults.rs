//! Faults of AIs, and the replies to clients. The server always survives.

use std::{
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use rustix::process::Signal;
use serde_json::json;
use test_kit::processes::{self, command_line, is_worker, kill};

use crate::support::{Application, ConfigFile, ai, ais_text, assert_has, configuration};

/// Each fault with the status and the code of the reply, and a part of its message to operators.
const FAULTS: [(&str, u16, &str, &str); 10] = [
    ("panic", 502, "ai_failed", "panicked: I can't see the board"),
    ("error", 502, "ai_failed", "no idea [2J what to play"),
    (
        "segfault",
        502,
        "ai_crashed",
        "signal 11 (segmentation fault)",
    ),
    ("exit", 502, "ai_crashed", "called exit(0)"),
    (
        "stack_overflow",
        502,
        "ai_crashed",
        "signal 6 (abort) after a stack overflow",
    ),
    (
        "allocation_failure",
        502,
        "ai_out_of_memory",
        "signal 6 (abort) after an allocation failed",
    ),
    ("hang", 504, "ai_timeout", "did not answer within 1000 ms"),
    (
        "illegal_move",
        502,
        "ai_illegal_move",
        "played e1e5, which is not legal in rnbqkbnr/",
    ),
    ("no_move", 502, "ai_illegal_move", "played no move"),
    (
        "write_to_socket",
        502,
        "ai_protocol_error",
        "a frame is malformed",
    ),
];

#[actix_web::test]
async fn reports_each_fault_and_serves_the_other_ais() {
    let checks = FAULTS.map(|(fault, status, code, part)| async move {
        let app = Application::of(&configuration(&["ai_basic1", fault]));
        let started = Instant::now();
        for _ in 0..2 {
            let reply = app
                .post(
                    "/v1/best-move",
                    &json!({"game": {}, "ai": fault, "limit": {"depth": 2}}),
                )
                .await;
            let detail = reply.check_error(status, code);
            let reported = app.last_fault(fault);
            if code == "ai_failed" {
                // An AI's message may contain another client's data.
                assert_eq!(
                    detail,
                    format!("AI '{fault}': the AI failed: it returned an error")
                );
            } else {
                assert_has(&detail, &[part]);
            }
            assert_has(&reported, &[part]);
            let texts = detail + &reported;
            assert!(!texts.contains(char::is_control), "{texts:?}");
            assert_eq!(
                reply.header("Content-Type"),
                Some("application/problem+json"),
                "{fault}"
            );
            app.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 2}}))
                .await
                .ok();
        }
        assert!(fault != "hang" || started.elapsed() >= Duration::from_secs(2));
    });
    join_all(checks).await;
}

/// Panics unless each of these faults causes its reply when the AI has these settings.
pub(crate) async fn check_faults_with(faults: &[&str], settings: &str) {
    let settings = format!("move_timeout_ms = 1000\nlimit.depth = 1\n{settings}");
    for (fault, status, code, part) in FAULTS.iter().filter(|(fault, ..)| faults.contains(fault)) {
        let app = Application::of(&ai(fault, fault, &settings));
        let detail = app
            .post("/v1/best-move", &json!({"game": {}}))
            .await
            .check_error(*status, code);
        assert_has(&detail, &[part]);
        assert_eq!(app.get("/healthz").await.status, 200, "{fault}");
    }
}

#[actix_web::test]
async fn truncates_a_line_at_its_first_illegal_move() {
    let app = Application::of(&configuration(&["implausible_info"]));
    let reply = app.post("/v1/best-move", &json!({"game": {}})).await.ok();
    let line = reply["search"]["pv"].as_array().unwrap();
    assert_eq!(line.len(), 2, "{line:?}");
    assert_eq!(line[0], reply["move"]["uci"]);
}

/// The largest integer that JSON readers represent exactly.
const LARGEST_EXACT: u64 = (1 << 53) - 1;

#[actix_web::test]
async fn keeps_the_sign_of_extreme_scores() {
    for (value, score) in [
        (i32::MAX, json!({"mate": 1})),
        (1_000_005, json!({"mate": 1})),
        (1_000_000, json!({"mate": 1})),
        (999_998, json!({"mate": 1})),
        (989_999, json!({"cp": 989_999})),
        (-989_999, json!({"cp": -989_999})),
        (-999_998, json!({"mate": -1})),
        (-1_000_000, json!({"mate": -1})),
        (-1_000_005, json!({"mate": -1})),
        (i32::MIN + 1, json!({"mate": -1})),
        (i32::MIN, json!({"mate": -1})),
    ] {
        let app = Application::of(&ai(
            "extremes",
            "extreme_score",
            &format!("options.score = {value}"),
        ));
        for moves in [json!([]), json!(["e2e4"])] {
            let body = json!({"game": {"moves": moves}});
            let reply = app.post("/v1/best-move", &body).await;
            assert_eq!(reply.body["score"], score, "{value}: {}", reply.body);
            assert_eq!(
                reply.body["search"]["nodes"], LARGEST_EXACT,
                "{value}: {}",
                reply.body
            );
            // In the contract, `i32::MIN` marks a failed evaluation.
            if value > i32::MIN {
                let reply = app.post("/v1/evaluate", &body).await;
                assert_eq!(reply.body["score"], score, "{value}: {}", reply.body);
            }
            let records = app.stream("/v1/best-move", &body).await;
            for info in records.iter().filter(|record| record["type"] == "info") {
                assert_eq!(info["score"], score, "{value}: {info}");
                assert_eq!(info["nodes"], LARGEST_EXACT, "{value}: {info}");
                assert!(
                    info["nps"].as_u64().unwrap() <= LARGEST_EXACT,
                    "{value}: {info}"
                );
            }
        }
    }
}

#[actix_web::test]
async fn shows_the_path_of_a_lost_grant_only_to_operators() {
    let file = ConfigFile::new("");
    let nets = file.folder().join("nets");
    std::fs::create_dir(&nets).unwrap();
    for path in [file.folder(), &nets] {
        // If the test runs as root, the worker runs as another user.
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let id = "loses-its-grant";
    file.write(&ais_text(&[(
        id,
        "ai_basic1",
        &format!("allow_read = [{nets:?}]"),
    )]));
    let app = Application::of(&file);
    std::fs::remove_dir(&nets).unwrap();
    for worker in workers_of(id) {
        kill(worker, Signal::KILL);
    }
    let reply = loop {
        // A request may reach the worker before its death is detected.
        let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
        if reply.code() == "ai_unavailable" {
            break reply;
        }
        assert!([200, 502].contains(&reply.status), "{}", reply.body);
    };
    let detail = reply.body["detail"].as_str().unwrap();
    let kind = "the AI is not available: it keeps failing; last time: its worker can't load it;";
    assert!(
        detail.starts_with(&format!("AI '{id}': {kind}")),
        "{detail}"
    );
    assert_has(&app.last_fault(id), &[nets.to_str().unwrap()]);
}

#[actix_web::test]
async fn replaces_a_worker_killed_between_requests() {
    let app = Application::of(&ai("killed-idle", "ai_basic1", ""));
    let mut killed = Vec::new();
    for _ in 0..3 {
        let worker = loop {
            // Waits while the supervisor replaces the killed worker.
            match workers_of("killed-idle").as_slice() {
                [worker] if !killed.contains(worker) => break *worker,
                _ => actix_web::rt::task::yield_now().await,
            }
        };
        app.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 1}}))
            .await
            .ok();
        kill(worker, Signal::KILL);
        killed.push(worker);
    }
}

/// Returns the worker processes of an AI with a unique id.
pub(crate) fn workers_of(id: &str) -> Vec<u32> {
    let mut workers = processes_of(id);
    workers.retain(|&process| is_worker(process));
    workers
}

/// Returns the worker processes of an AI with a unique id, and the processes that wait for them.
pub(crate) fn processes_of(id: &str) -> Vec<u32> {
    let is_of_ai = |process: &u32| {
        let mut words = command_line(*process).into_iter();
        words.any(|word| word == "worker") && words.any(|word| word == id)
    };
    processes::all().filter(is_of_ai).collect()
}
