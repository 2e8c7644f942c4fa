//! `allow_exec`: only the granted programs start, and they end with the worker.

use std::collections::BTreeSet;

use rustix::process::Signal;
use serde_json::json;
use test_kit::{
    processes::{children, is_running, kill},
    wait_until,
};

use super::{OPEN, attempts, list_without, rejection_without, sandbox_without};
use crate::{
    pool::faults::{check_faults_with, processes_of},
    server::Server,
    support::{Application, ConfigFile, ai, assert_has},
};

const TRUE: &str = "allow_exec = [\"/bin/true\"]";

#[actix_web::test]
async fn allows_only_the_granted_program() {
    let settings = format!("memory_mb = 256\nthreads = 8\n{TRUE}");
    let attempts = attempts(&ai("launches", "sandbox_escape", &settings)).await;
    let counts = ["loading: threads", "search: threads"];
    let open = attempts
        .iter()
        .filter(|(attempt, outcome)| **outcome == OPEN && !counts.contains(&attempt.as_str()));
    let open: BTreeSet<_> = open.map(|(attempt, _)| attempt.as_str()).collect();
    let expected = [
        "loading: exec",
        "loading: exec twice at once",
        "loading: fork",
        // Only memory that programs use counts, not memory that they reserve.
        "loading: more memory than allowed",
        "loading: read the linker's cache",
        "search: exec",
        "search: exec twice at once",
        "search: fork",
        "search: more memory than allowed",
        // The program's dynamic loader needs the cache.
        "search: read the linker's cache",
    ];
    assert_eq!(open, BTreeSet::from(expected));
    assert_eq!(attempts["search: threads"], 8, "the allowed threads start");
    assert!(attempts["loading: threads"] <= 9, "{attempts:?}");
}

#[actix_web::test]
async fn reports_the_same_faults_with_allow_exec() {
    check_faults_with(
        &[
            "segfault",
            "exit",
            "stack_overflow",
            "allocation_failure",
            "hang",
        ],
        TRUE,
    )
    .await;
}

#[actix_web::test]
async fn daemons_end_with_the_worker() {
    for crashes in [true, false] {
        let id = format!("hides-{crashes}");
        let app = Application::of(&with_daemon(&id, crashes));
        let before = if crashes {
            processes_of(&id)
        } else {
            all_of(&id)
        };
        if crashes {
            app.post("/v1/best-move", &json!({"game": {}}))
                .await
                .check_error(502, "ai_crashed");
        } else {
            kill(worker_among(&before), Signal::KILL);
        }
        wait_until("all processes exit", || {
            before.iter().all(|process| !is_running(*process))
        });
    }
}

/// Returns the supervisor outside the namespace, the namespace's init, the worker and the daemon.
fn all_of(id: &str) -> Vec<u32> {
    let mut processes = Vec::new();
    wait_until("the four processes run", || {
        processes = processes_of(id);
        processes.len() == 4
    });
    processes
}

#[test]
fn daemons_end_when_the_server_is_killed() {
    // The id is unique, because processes of an earlier run may still exist.
    let id = format!("hides-from-server-{}", std::process::id());
    let file = with_daemon(&id, false);
    for killed in ["the server", "the process outside"] {
        let server = Server::start(&file);
        let processes = all_of(&id);
        if killed == "the server" {
            // A stopped process does not notice a closed socket or pipe.
            for process in &processes {
                kill(*process, Signal::STOP);
            }
            server.signal(Signal::KILL);
        } else {
            kill(server.children()[0], Signal::KILL);
        }
        wait_until(killed, || {
            processes.iter().all(|process| !is_running(*process))
        });
        drop(server);
        wait_until("all processes exit", || processes_of(&id).is_empty());
    }
}

#[test]
fn requires_a_pid_namespace() {
    let file = ai("basic1", "ai_basic1", TRUE);
    let message = rejection_without(&file, &[libc::SYS_unshare]);
    assert_has(
        &message,
        &["processes (the worker can't enter a PID namespace"],
    );

    let file = ai(
        "basic1",
        "ai_basic1",
        &format!("sandbox = \"best-effort\"\n{TRUE}"),
    );
    let sandbox = sandbox_without(&file, &[libc::SYS_unshare]);
    assert!(
        sandbox["missing"]
            .as_array()
            .unwrap()
            .contains(&json!("processes")),
        "{sandbox}"
    );
}

#[actix_web::test]
async fn lists_the_granted_programs() {
    let file = ai("basic1", "ai_basic1", TRUE);
    let app = Application::of(&file);
    let sandbox = app.get("/v1/ais/basic1").await.body["sandbox"].clone();
    assert_eq!(
        sandbox["exec"],
        json!(["true"]),
        "without the server's paths"
    );
    assert!(
        sandbox["enforced"]
            .as_array()
            .unwrap()
            .contains(&json!("processes")),
        "{sandbox}"
    );
    let output = list_without(&file, &[], &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    let path = std::fs::canonicalize("/bin/true").unwrap();
    assert_has(&text, &[format!("  exec     {}", path.display())]);
}

fn with_daemon(id: &str, crashes: bool) -> ConfigFile {
    ai(
        id,
        if crashes {
            "leave_daemon_then_abort"
        } else {
            "leave_daemon"
        },
        TRUE,
    )
}

/// Returns the worker, which is the child of the namespace's init.
fn worker_among(processes: &[u32]) -> u32 {
    let outside = children(std::process::id());
    let outside = processes
        .iter()
        .find(|process| outside.contains(process))
        .unwrap();
    let first = children(*outside)[0];
    children(first).into_iter().min().unwrap()
}
