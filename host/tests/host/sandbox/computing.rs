//! An AI computes when it is asked, and rests in between.

use std::time::{Duration, Instant};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, pidfd_open},
};
use serde_json::json;

use super::ai;
use crate::{faults::workers_of, support::Application};

async fn burns(id: &str, settings: &str) {
    let app = Application::of(&ai(id, "burns", settings));
    let resting = workers_of(id);
    assert_eq!(app.post("/v1/best-move", &json!({"game": {}})).await.status, 200);
    for process in resting.iter().filter_map(|process| Pid::from_raw(process.cast_signed())) {
        // It gets little to compute on a machine that has much else to do.
        let two_minutes = Timespec { tv_sec: 120, tv_nsec: 0 };
        if let Ok(handle) = pidfd_open(process, PidfdFlags::empty()) {
            assert_eq!(
                poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&two_minutes)),
                Ok(1),
                "it goes on"
            );
        }
    }
    let started = Instant::now();
    loop {
        let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
        if reply.status == 200 {
            break;
        }
        // Until the new one is there.
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(detail.contains("of processor time without a request"), "{}", reply.body);
        assert!(started.elapsed() < Duration::from_secs(20), "it does not come back");
    }
}

#[actix_web::test]
async fn a_worker_that_computes_when_nobody_has_asked_is_replaced() {
    burns("burns-here", "").await;
}

#[actix_web::test]
async fn replaces_a_worker_that_burns_between_frequent_questions() {
    let id = "burns-often";
    let app = Application::of(&ai(id, "burns", ""));
    let first = workers_of(id);
    // It gets little to compute on a machine that has much else to do.
    let deadline = Instant::now() + Duration::from_mins(2);
    // Too often for the worker to be idle for a second.
    let mut pause = tokio::time::interval(Duration::from_millis(700));
    while workers_of(id).iter().any(|worker| first.contains(worker)) {
        assert!(Instant::now() < deadline, "it goes on");
        pause.tick().await;
        let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
}

#[actix_web::test]
async fn counts_processes_that_nobody_waits_for() {
    burns("burns-unreaped", "allow_exec = [\"/bin/true\"]\noptions = { unreaped = true }").await;
}

#[actix_web::test]
async fn what_a_worker_has_started_counts_too() {
    burns("burns-elsewhere", "allow_exec = [\"/bin/true\"]\noptions = { elsewhere = true }").await;
}
