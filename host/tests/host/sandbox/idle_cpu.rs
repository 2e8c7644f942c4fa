//! Workers that use the processor while no request is running.

use std::time::{Duration, Instant};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::retry_on_intr,
    process::{Pid, PidfdFlags, pidfd_open},
};
use serde_json::json;

use crate::{
    pool::faults::workers_of,
    support::{Application, ai},
};

async fn check_replaced(id: &str, fault: &str, settings: &str) {
    let app = Application::of(&ai(id, fault, settings));
    let resting = workers_of(id);
    assert_eq!(
        app.post("/v1/best-move", &json!({"game": {}})).await.status,
        200
    );
    for process in resting
        .iter()
        .filter_map(|process| Pid::from_raw(process.cast_signed()))
    {
        // A loaded machine gives the worker little processor time.
        let two_minutes = Timespec {
            tv_sec: 120,
            tv_nsec: 0,
        };
        if let Ok(handle) = pidfd_open(process, PidfdFlags::empty()) {
            assert_eq!(
                retry_on_intr(|| poll(
                    &mut [PollFd::new(&handle, PollFlags::IN)],
                    Some(&two_minutes)
                )),
                Ok(1),
                "the worker still runs"
            );
        }
    }
    let started = Instant::now();
    loop {
        let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
        if reply.status == 200 {
            break;
        }
        // The AI is unavailable until the new worker is ready.
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(
            detail.contains("of processor time without a request"),
            "{}",
            reply.body
        );
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "the AI did not recover"
        );
    }
}

#[actix_web::test]
async fn replaces_a_worker_that_computes_while_idle() {
    check_replaced("burns-here", "burn_in_thread", "").await;
}

#[actix_web::test]
async fn counts_unreaped_child_processes() {
    check_replaced(
        "burns-unreaped",
        "burn_in_children",
        "allow_exec = [\"/bin/true\"]",
    )
    .await;
}

#[actix_web::test]
async fn counts_child_processes() {
    check_replaced(
        "burns-elsewhere",
        "burn_in_process",
        "allow_exec = [\"/bin/true\"]",
    )
    .await;
}
