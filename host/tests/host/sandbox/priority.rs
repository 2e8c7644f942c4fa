//! Scheduling priority: the server before the workers, all workers alike.

use std::{
    fs,
    process::Command,
    time::{Duration, Instant},
};

use rustix::process::{Pid, geteuid, getpriority_process};
use serde_json::json;
use test_kit::processes::stat;

use crate::{
    pool::faults::workers_of,
    server::Server,
    support::{Application, ai, rookery, with_ais},
};

#[actix_web::test]
async fn workers_have_a_lower_priority_than_the_server() {
    for (id, settings) in [
        ("gives-way", ""),
        ("gives-way-programs", "allow_exec = [\"/bin/true\"]"),
        ("gives-way-off", "sandbox = \"off\""),
    ] {
        let _app = Application::of(&ai(id, "ai_basic1", settings));
        let workers = workers_of(id);
        assert!(!workers.is_empty());
        for worker in workers {
            let pid = Pid::from_raw(worker.cast_signed());
            let niceness = getpriority_process(pid).unwrap();
            assert!(niceness >= 10, "{id}: {niceness}");
            let score = fs::read_to_string(format!("/proc/{worker}/oom_score_adj")).unwrap();
            assert_eq!(score.trim(), "1000", "{id}");
            let (theirs, ours) = (stat(worker).unwrap(), stat(std::process::id()).unwrap());
            assert_eq!(theirs[38], "3", "{id}: SCHED_BATCH in {theirs:?}");
            // The scheduler divides the processor between sessions.
            assert_ne!(theirs[3], ours[3], "{id}");
        }
    }
}

#[test]
fn workers_start_in_a_foreign_pid_namespace() {
    let file = ai("namespaced", "ai_basic1", "limit = { depth = 1 }");
    let mut command = Command::new("unshare");
    if !geteuid().is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    command
        .args(["--pid", "--fork", "--mount-proc"])
        .arg(rookery())
        .args(["best-move", "--config"]);
    let output = command.arg(file.path()).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The sorted times of some requests.
fn times(times: usize, mut request: impl FnMut() -> u16) -> Vec<Duration> {
    let time = |_| {
        let started = Instant::now();
        assert_eq!(request(), 200);
        started.elapsed()
    };
    let mut times: Vec<_> = (0..times).map(time).collect();
    times.sort_unstable();
    times
}

fn p95(times: &[Duration]) -> Duration {
    times[times.len() * 95 / 100]
}

#[test]
fn many_threads_of_one_ai_do_not_slow_another() {
    let threads = "move_timeout_ms = 60000\nmemory_mb = 8000\noptions.time_ms = 8000";
    let file = with_ais(
        &[
            ("good", "ai_basic1", ""),
            ("threads", "many_threads", threads),
        ],
        "",
    );
    let server = Server::start(&file);
    let good = || {
        server
            .post("/v1/best-move", &json!({"game": {}, "limit": {"depth": 1}}))
            .0
    };
    let health = || server.get("/healthz").0;
    let quiet = [times(100, good), times(100, health)].map(|times| p95(&times));
    let body = json!({"game": {}, "ai": "threads"});
    let busy = server.post_and_wait_until_busy("threads", body);
    let started = Instant::now();
    let crowded = [times(100, good), times(100, health)].map(|times| p95(&times));
    let elapsed = started.elapsed();
    println!("p95 quiet {quiet:?}, beside 64 threads {crowded:?}, in {elapsed:?}");
    let (status, answer) = busy.join().unwrap();
    assert_eq!(status, 200, "{answer}");
    let is_grouped = fs::read_to_string("/proc/sys/kernel/sched_autogroup_enabled");
    if is_grouped.is_ok_and(|enabled| enabled.trim() == "1") {
        for (quiet, crowded) in quiet.into_iter().zip(crowded) {
            // Other tests use the processor too, in groups of their own. Without groups the factor
            // is 300.
            assert!(
                crowded < 20 * quiet.max(Duration::from_millis(2)),
                "{quiet:?} became {crowded:?}"
            );
        }
    }
}
