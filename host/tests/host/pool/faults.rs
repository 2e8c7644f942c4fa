//! Faults of AIs, and the replies to clients. The server always survives.

use std::os::unix::fs::PermissionsExt;

use rustix::process::Signal;
use serde_json::json;

use crate::{
    support::processes::kill,
    support::{Application, ConfigFile, configuration},
};

/// Sends two requests to the AI, each followed by one to a good AI.
async fn check(library: &str, status: u16, code: &str, part: &str) {
    let app = Application::of(&configuration(&["ai_basic1", library]));
    let bad = json!({"game": {}, "ai": library, "limit": {"depth": 2}});
    for _ in 0..2 {
        let reply = app.post("/v1/best-move", &bad).await;
        assert_eq!((reply.status, reply.code()), (status, code), "{}", reply.body);
        let detail = reply.body["detail"].as_str().unwrap().to_owned();
        let reported = app.last_fault(library);
        if code == "ai_failed" {
            // The message of an AI may contain data of another client.
            assert_eq!(detail, format!("AI '{library}': the AI failed: it returned an error"));
        } else {
            assert!(detail.contains(part), "{detail}");
        }
        assert!(reported.contains(part), "{reported}");
        assert!(
            !detail.contains(char::is_control) && !reported.contains(char::is_control),
            "{detail:?} {reported:?}"
        );
        assert_eq!(reply.header("Content-Type"), Some("application/problem+json"));
        let good = app.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 2}})).await;
        assert_eq!(good.status, 200, "{}", good.body);
    }
}

#[actix_web::test]
async fn reports_the_panic_message_to_operators() {
    check("panic", 502, "ai_failed", "panicked: I can't see the board").await;
}

#[actix_web::test]
async fn strips_control_characters_of_an_error() {
    check("error", 502, "ai_failed", "no idea [2J what to play").await;
}

#[actix_web::test]
async fn reports_a_segmentation_fault_as_a_crash() {
    check("segfault", 502, "ai_crashed", "signal 11 (segmentation fault)").await;
}

#[actix_web::test]
async fn reports_exit_0_as_a_crash() {
    check("exit", 502, "ai_crashed", "called exit(0)").await;
}

#[actix_web::test]
async fn reports_a_stack_overflow_as_a_crash() {
    check("stack_overflow", 502, "ai_crashed", "signal 6 (abort) after a stack overflow").await;
}

#[actix_web::test]
async fn reports_a_failed_allocation_as_out_of_memory() {
    check("allocation_failure", 502, "ai_out_of_memory", "signal 6 (abort) after an allocation failed").await;
}

#[actix_web::test]
async fn kills_a_hanging_ai_at_its_timeout() {
    let started = std::time::Instant::now();
    check("hang", 504, "ai_timeout", "did not answer within 1000 ms").await;
    assert!(started.elapsed() >= std::time::Duration::from_secs(2));
}

#[actix_web::test]
async fn rejects_an_illegal_move() {
    check("illegal_move", 502, "ai_illegal_move", "played e1e5 in rnbqkbnr/").await;
}

#[actix_web::test]
async fn rejects_a_result_without_a_move() {
    check("no_move", 502, "ai_illegal_move", "played no move").await;
}

#[actix_web::test]
async fn reports_unexpected_bytes_as_a_protocol_error() {
    check("write_to_socket", 502, "ai_protocol_error", "not of the protocol").await;
}

#[actix_web::test]
async fn discards_a_flood_of_output() {
    let app = Application::of(&ConfigFile::new(
        "[ai.floods]\nlibrary = \"fault_injector\"\noptions.fault = \"flood_output\"\n[client.default]\nai = \"floods\"\n",
    ));
    for _ in 0..3 {
        let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
}

#[actix_web::test]
async fn truncates_a_line_at_its_first_illegal_move() {
    let app = Application::of(&configuration(&["implausible_info"]));
    let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let line = reply.body["search"]["pv"].as_array().unwrap();
    assert_eq!(line.len(), 2, "{line:?}");
    assert_eq!(line[0], reply.body["move"]["uci"]);
}

/// The largest integer that JSON readers represent exactly.
const LARGEST_EXACT: u64 = (1 << 53) - 1;

#[actix_web::test]
async fn keeps_the_sign_of_extreme_scores() {
    for (value, score) in [
        (i32::MAX, json!({"mate": 1})),
        (1_000_000, json!({"mate": 1})),
        (999_998, json!({"mate": 1})),
        (989_999, json!({"cp": 989_999})),
        (-989_999, json!({"cp": -989_999})),
        (-999_998, json!({"mate": -1})),
        (-1_000_000, json!({"mate": -1})),
        // `i32::MIN` itself marks a failed evaluation.
        (i32::MIN + 1, json!({"mate": -1})),
    ] {
        let app = Application::of(&ConfigFile::new(&format!(
            "[ai.extremes]\nlibrary = \"fault_injector\"\noptions.fault = \"extreme_score\"\noptions.score = {value}\n[client.default]\nai = \"extremes\"\n"
        )));
        for moves in [json!([]), json!(["e2e4"])] {
            let body = json!({"game": {"moves": moves}});
            let reply = app.post("/v1/best-move", &body).await;
            assert_eq!(reply.body["score"], score, "{value}: {}", reply.body);
            assert_eq!(reply.body["search"]["nodes"], LARGEST_EXACT, "{value}: {}", reply.body);
            let reply = app.post("/v1/evaluate", &body).await;
            assert_eq!(reply.body["score"], score, "{value}: {}", reply.body);
            let records = app.stream("/v1/best-move", &body).await;
            for info in records.iter().filter(|record| record["type"] == "info") {
                assert_eq!(info["score"], score, "{value}: {info}");
                assert_eq!(info["nodes"], LARGEST_EXACT, "{value}: {info}");
                assert!(info["nps"].as_u64().unwrap() <= LARGEST_EXACT, "{value}: {info}");
            }
        }
    }
}

#[actix_web::test]
async fn shows_the_path_of_a_lost_grant_to_operators_only() {
    let file = ConfigFile::new("");
    let nets = file.folder().join("nets");
    std::fs::create_dir(&nets).unwrap();
    for path in [file.folder(), &nets] {
        // With root the worker runs as another user.
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let id = "loses-its-grant";
    file.write(&format!(
        "[ai.{id}]\nlibrary = \"ai_basic1\"\nallow_read = [{nets:?}]\n[client.default]\nai = \"{id}\"\n"
    ));
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
    let kind = format!(
        "AI '{id}': the AI is not available: it keeps failing, the last time: its worker can't load it;"
    );
    assert!(detail.starts_with(&kind), "{detail}");
    let reported = app.last_fault(id);
    assert!(reported.contains(nets.to_str().unwrap()), "{reported}");
}

#[actix_web::test]
async fn replaces_a_worker_killed_between_requests() {
    let app = Application::of(&ConfigFile::new(
        "[ai.killed-idle]\nlibrary = \"ai_basic1\"\n[client.default]\nai = \"killed-idle\"\n",
    ));
    let mut killed = Vec::new();
    for _ in 0..3 {
        let worker = loop {
            // The supervisor is replacing the killed worker.
            match workers_of("killed-idle").as_slice() {
                [worker] if !killed.contains(worker) => break *worker,
                _ => actix_web::rt::task::yield_now().await,
            }
        };
        let reply = app.post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 1}})).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        kill(worker, Signal::KILL);
        killed.push(worker);
    }
}

/// The worker processes of an AI with a unique id.
pub(crate) fn workers_of(id: &str) -> Vec<u32> {
    let names =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_worker = |process: &u32| {
        let command = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let mut words = command.split(|&byte| byte == 0);
        words.any(|word| word == b"worker") && words.any(|word| word == id.as_bytes())
    };
    names.filter_map(|name| name.parse().ok()).filter(is_worker).collect()
}
