//! AIs that mean harm, not just fail: nothing of them stays behind, and nobody waits longer for them than agreed.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::support::{Application, ConfigFile, arbiter, configuration};

#[actix_web::test]
async fn a_crash_is_noticed_although_a_child_holds_the_socket_and_the_child_is_killed_too() {
    let app = Application::of(&forking("forks-and-crashes", true));
    for _ in 0..2 {
        let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
        assert_eq!((reply.status, reply.code()), (502, "ai_crashed"), "{}", reply.body);
        until(|| processes_of("forks-and-crashes").iter().all(|parent| *parent == std::process::id())).await;
    }
}

#[actix_web::test]
async fn a_child_of_an_ai_ends_with_the_server() {
    let arbiter = arbiter(&forking("forks-and-plays", false));
    assert!(processes_of("forks-and-plays").len() >= 2);
    arbiter.stop(Duration::from_secs(5));
    until(|| processes_of("forks-and-plays").is_empty()).await;
}

#[actix_web::test]
async fn a_worker_that_has_left_its_group_is_killed_all_the_same() {
    let app = Application::of(&configuration(&["deserts"]));
    for _ in 0..2 {
        let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
        assert_eq!((reply.status, reply.code()), (504, "ai_stalled"), "{}", reply.body);
    }
}

#[actix_web::test]
async fn a_flood_of_forged_reports_does_not_put_off_the_deadline() {
    let app = Application::of(&configuration(&["forges"]));
    let started = Instant::now();
    let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
    assert_eq!((reply.status, reply.code()), (504, "ai_stalled"), "{}", reply.body);
    assert!(started.elapsed() < Duration::from_millis(1800), "{:?}", started.elapsed());
}

#[actix_web::test]
async fn why_an_ai_can_not_be_made_again_is_told() {
    let app = Application::of(&configuration(&["despairs"]));
    let first = app.post("/v1/best-move", &json!({"game": {}})).await;
    assert_eq!((first.status, first.code()), (502, "ai_failed"), "{}", first.body);
    let started = Instant::now();
    while app.get("/v1/ais/despairs").await.body["state"] != "failed" {
        assert!(started.elapsed() < Duration::from_secs(10), "its end is not seen");
    }
    let second = app.post("/v1/best-move", &json!({"game": {}})).await;
    assert_eq!((second.status, second.code()), (503, "ai_unavailable"), "{}", second.body);
    assert!(second.body["detail"].as_str().unwrap().contains("once is enough"), "{}", second.body);
}

fn forking(id: &str, crashes: bool) -> ConfigFile {
    ConfigFile::new(&format!(
        "[ai.{id}]\nlibrary = \"forks\"\noptions = {{ crashes = {crashes} }}\n[client.default]\nai = \"{id}\"\n"
    ))
}

/// The parents of all processes that are or come from workers of an AI whose id no other test has.
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
        assert!(started.elapsed() < Duration::from_secs(10), "still not");
        actix_web::rt::task::yield_now().await;
    }
}
