//! `allow_exec`: only the granted programs start, and they end with the worker.

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{OPEN, ai, attempts, list_without};
use crate::{
    pool::faults::workers_of,
    support::processes::{is_running, kill, wait_until},
    support::{Application, ConfigFile, rookery},
};

const TRUE: &str = "allow_exec = [\"/bin/true\"]";

#[actix_web::test]
async fn allows_only_the_granted_program() {
    let attempts =
        attempts(&ai("launches", "sandbox_escape", &format!("memory_mb = 256\nthreads = 8\n{TRUE}"))).await;
    let counts = ["loading: threads", "search: threads"];
    let open =
        attempts.iter().filter(|(attempt, outcome)| **outcome == OPEN && !counts.contains(&attempt.as_str()));
    let open: BTreeSet<_> = open.map(|(attempt, _)| attempt.as_str()).collect();
    let expected = [
        "loading: exec",
        "loading: exec twice at once",
        "loading: fork",
        "loading: read the linker's cache",
        "search: exec",
        "search: exec twice at once",
        "search: fork",
        // The dynamic loader of the program needs it.
        "search: read the linker's cache",
    ];
    assert_eq!(open, BTreeSet::from(expected));
    assert_eq!(attempts["search: threads"], 8, "the allowed threads start");
    assert!(attempts["loading: threads"] <= 9, "{attempts:?}");
}

#[actix_web::test]
async fn reports_faults_as_without_allow_exec() {
    for (library, status, code, part) in [
        ("segfault", 502, "ai_crashed", "signal 11 (segmentation fault)"),
        ("exit", 502, "ai_crashed", "called exit(0)"),
        ("stack_overflow", 502, "ai_crashed", "after a stack overflow"),
        ("allocation_failure", 502, "ai_out_of_memory", "after an allocation failed"),
        ("hang", 504, "ai_timeout", "did not answer within 1000 ms"),
    ] {
        let settings = format!("move_timeout_ms = 1000\nlimit.depth = 1\n{TRUE}");
        let app = Application::of(&ai(&format!("{library}-with-programs"), library, &settings));
        let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
        assert_eq!((reply.status, reply.code()), (status, code), "{}", reply.body);
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(detail.contains(part), "{library}: {detail}");
    }
}

#[actix_web::test]
async fn daemons_end_with_the_worker() {
    for crashes in [true, false] {
        let id = format!("hides-{crashes}");
        let app = Application::of(&with_daemon(&id, crashes));
        let before = if crashes { workers_of(&id) } else { all_of(&id) };
        if crashes {
            let reply = app.post("/v1/best-move", &json!({"game": {}})).await;
            assert_eq!((reply.status, reply.code()), (502, "ai_crashed"), "{}", reply.body);
        } else {
            kill(worker_among(&before), Signal::KILL);
        }
        wait_until("all processes exit", || before.iter().all(|process| !is_running(*process)));
    }
}

/// The supervisor outside of the namespace, its init, the worker and the daemon.
fn all_of(id: &str) -> Vec<u32> {
    let mut processes = Vec::new();
    wait_until("the four processes", || {
        processes = workers_of(id);
        processes.len() == 4
    });
    processes
}

#[test]
fn daemons_end_with_a_killed_server() {
    // Unique, because processes of an earlier run may still exist.
    let id = format!("hides-from-server-{}", std::process::id());
    let file = with_daemon(&id, false);
    for killed in ["the server", "the process outside"] {
        let mut server = Command::new(rookery());
        server.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(file.path());
        let mut server = server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        let processes = all_of(&id);
        if killed == "the server" {
            // A stopped process does not notice a closed socket or pipe.
            for process in &processes {
                kill(*process, Signal::STOP);
            }
            kill(server.id(), Signal::KILL);
        } else {
            let outside = crate::support::processes::children(server.id());
            kill(outside[0], Signal::KILL);
        }
        wait_until(killed, || processes.iter().all(|process| !is_running(*process)));
        let _ = server.kill();
        server.wait().unwrap();
        wait_until("all processes exit", || workers_of(&id).is_empty());
    }
}

#[test]
fn requires_a_pid_namespace() {
    let file = ai("basic1", "ai_basic1", TRUE);
    let output = list_without(&file, &[libc::SYS_unshare], &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let message = text.lines().find(|line| line.contains("its sandbox is required")).unwrap();
    assert!(message.contains("processes (the worker can't enter a PID namespace"), "{message}");

    let file = ai("basic1", "ai_basic1", &format!("sandbox = \"best-effort\"\n{TRUE}"));
    let output = list_without(&file, &[libc::SYS_unshare], &["--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let missing = listed[0]["sandbox"]["missing"].as_array().unwrap();
    assert!(missing.contains(&json!("processes")), "{listed}");
}

#[actix_web::test]
async fn lists_the_granted_programs() {
    let file = ai("basic1", "ai_basic1", TRUE);
    let app = Application::of(&file);
    let sandbox = app.get("/v1/ais/basic1").await.body["sandbox"].clone();
    assert_eq!(sandbox["exec"], json!(["true"]), "without the server's paths");
    assert!(sandbox["enforced"].as_array().unwrap().contains(&json!("processes")), "{sandbox}");
    let output = list_without(&file, &[], &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    let path = std::fs::canonicalize("/bin/true").unwrap();
    assert!(text.contains(&format!("  exec     {}", path.display())), "{text}");
}

fn with_daemon(id: &str, crashes: bool) -> ConfigFile {
    ai(id, if crashes { "leave_daemon_then_abort" } else { "leave_daemon" }, TRUE)
}

/// The child of the namespace's init.
fn worker_among(processes: &[u32]) -> u32 {
    let outside = crate::support::processes::children(std::process::id());
    let outside = processes.iter().find(|process| outside.contains(process)).unwrap();
    let first = crate::support::processes::children(*outside)[0];
    let worker = crate::support::processes::children(first).into_iter().min();
    worker.unwrap()
}
