//! Scheduling priority: the server takes priority over the workers, and all workers are equal.

use std::{fs, process::Command};

use rustix::process::{Pid, geteuid, getpriority_process};
use test_kit::processes::stat;

use crate::{
    pool::faults::workers_of,
    support::{Application, ai, rookery},
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
