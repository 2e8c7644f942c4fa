//! A worker's sandbox, and how the host reports it.

mod allow_exec;
mod cgroups;
mod constructors;
mod file_system;
mod idle_cpu;
mod kernel_features;
mod needed_libraries;
mod priority;

use std::{
    collections::BTreeMap,
    fs::{self, Permissions},
    os::unix::{fs::PermissionsExt, process::CommandExt},
    process::{Command, Output},
};

use insta::assert_snapshot;
use rustix::process::{Resource, Signal, getrlimit};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
use serde_json::{Value, json};
use test_kit::{
    processes::{is_running, kill, limit, status},
    wait_until,
};

use crate::{
    pool::faults::workers_of,
    server::Server,
    support::{Application, ConfigFile, ai, assert_has, rookery, shown, with_ais},
};

pub(crate) const OPEN: i64 = 1;
const CLOSED: i64 = 0;

/// Returns the outcome of each escape attempt, in the constructor and in a search.
pub(crate) async fn attempts(file: &ConfigFile) -> BTreeMap<String, i64> {
    let app = Application::of(file);
    app.post("/v1/best-move", &json!({"game": {}})).await.ok();
    let judged = app.post("/v1/evaluate", &json!({"game": {}})).await.ok();
    let terms = judged["terms"].as_array().unwrap().iter();
    terms
        .map(|term| {
            (
                term["name"].as_str().unwrap().to_owned(),
                term["score"]["cp"].as_i64().unwrap(),
            )
        })
        .collect()
}

/// Removes and returns the thread counts.
fn threads(attempts: &mut BTreeMap<String, i64>) -> [i64; 2] {
    ["loading: threads", "search: threads"].map(|when| attempts.remove(when).unwrap())
}

#[actix_web::test]
async fn blocks_every_escape_while_loading_and_searching() {
    let mut attempts = attempts(&ai(
        "sandbox_escape",
        "sandbox_escape",
        "memory_mb = 256\nthreads = 8",
    ))
    .await;
    let [loading, search] = threads(&mut attempts);
    // The worker's thread does not exist yet.
    assert!(loading <= 9, "{loading} threads");
    assert_eq!(search, 8, "the allowed threads start");
    let open: Vec<_> = attempts
        .iter()
        .filter(|(_, outcome)| **outcome != CLOSED)
        .collect();
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(attempts.len(), 59, "{attempts:?}");
}

#[actix_web::test]
async fn allows_every_escape_without_the_sandbox() {
    let mut attempts = attempts(&ai("sandbox_escape", "sandbox_escape", "sandbox = \"off\"")).await;
    assert_eq!(threads(&mut attempts), [1000, 1000]);
    attempts.remove("search: read the granted file");
    // Some kernels let only root trace other processes.
    let traceable = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope")
        .map_or(true, |scope| {
            scope.trim() == "0" || rustix::process::geteuid().is_root()
        });
    let may_be_closed = |attempt: &str| {
        let needs_tracing = ["trace the", "memory from", "memory by"]
            .iter()
            .any(|part| attempt.contains(part));
        !traceable && needs_tracing
    };
    let closed: Vec<_> = attempts
        .iter()
        .filter(|(attempt, outcome)| **outcome != OPEN && !may_be_closed(attempt))
        .collect();
    assert!(closed.is_empty(), "{closed:?}");
    assert_eq!(attempts.len(), 58, "{attempts:?}");
}

#[actix_web::test]
async fn grants_only_the_files_of_allow_read() {
    let settings = "allow_read = [\"nets\"]\noptions = { granted = \"FOLDER/nets/small\" }";
    let file = ai("sandbox_escape", "sandbox_escape", settings);
    let folder = file.path().parent().unwrap().to_path_buf();
    fs::create_dir(folder.join("nets")).unwrap();
    for path in ["nets/small", "weights"] {
        fs::write(folder.join(path), "1.5").unwrap();
    }
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    let text = fs::read_to_string(file.path())
        .unwrap()
        .replace("FOLDER", folder.to_str().unwrap());
    fs::write(file.path(), &text).unwrap();
    let granted = attempts(&file).await;
    assert_eq!(granted["search: read the granted file"], OPEN);
    assert_eq!(granted["search: read /etc/passwd"], CLOSED);
    assert_eq!(granted["search: read the linker's cache"], CLOSED);
    fs::write(file.path(), text.replace("nets/small", "weights")).unwrap();
    assert_eq!(
        attempts(&file).await["search: read the granted file"],
        CLOSED
    );
}

#[actix_web::test]
async fn limits_memory_to_memory_mb() {
    let body = json!({"game": {}});
    let app = Application::of(&ai("allocate_512_mb", "allocate_512_mb", "memory_mb = 128"));
    for _ in 0..2 {
        let detail = app
            .post("/v1/best-move", &body)
            .await
            .check_error(502, "ai_out_of_memory");
        assert_has(&detail, &["signal 6 (abort) after an allocation failed"]);
        assert_has(&detail, &["128 MB (memory_mb in its [ai.ID])"]);
    }
    let app = Application::of(&ai("allocate_512_mb", "allocate_512_mb", ""));
    app.post("/v1/best-move", &body).await.ok();
}

#[actix_web::test]
async fn reports_what_is_enforced() {
    let app = Application::of(&with_ais(
        &[
            ("in", "ai_basic1", "memory_mb = 99\nthreads = 3"),
            ("out", "ai_basic1", "sandbox = \"off\""),
        ],
        "",
    ));
    let inside = app.get("/v1/ais/in").await.body["sandbox"].clone();
    assert_eq!(
        (&inside["mode"], &inside["missing"]),
        (&json!("required"), &json!([])),
        "{inside}"
    );
    assert_eq!(
        (&inside["memory_mb"], &inside["threads"]),
        (&json!(99), &json!(3)),
        "{inside}"
    );
    let cgroup = json!({"controllers": [], "reason": "this command does not use cgroups"});
    let none = json!({
        "mode": "off",
        "memory_mb": null,
        "threads": null,
        "exec": [],
        "enforced": [],
        "missing": [],
        "cgroup": cgroup,
    });
    assert_eq!(app.get("/v1/ais/out").await.body["sandbox"], none);
}

#[actix_web::test]
async fn a_worker_has_no_privileges() {
    let _app = Application::of(&ai("without-rights", "ai_basic1", ""));
    let workers = workers_of("without-rights");
    let [worker] = workers.as_slice() else {
        panic!("{workers:?}")
    };
    for (name, value) in [
        ("NoNewPrivs", "1"),
        ("Seccomp", "2"),
        ("CapEff", "0000000000000000"),
        ("CapPrm", "0000000000000000"),
    ] {
        assert_eq!(status(*worker, name).unwrap(), value, "{name}");
    }
    let users = status(*worker, "Uid").unwrap();
    assert!(!users.split('\t').any(|user| user == "0"), "{users}");
    // A limit of one byte stops even the programs of `core_pattern`. A lower inherited limit
    // remains.
    let core = if getrlimit(Resource::Core).maximum == Some(0) {
        "0"
    } else {
        "1"
    };
    for (name, most) in [
        ("Max core file size", core),
        ("Max open files", "256"),
        ("Max processes", "66"),
    ] {
        assert_eq!(limit(*worker, name), [most, most], "{name}");
    }
}

/// Runs `rookery ais` without these system calls.
fn list_without(file: &ConfigFile, calls: &[i64], arguments: &[&str]) -> Output {
    without(calls, &[&["ais"], arguments, &["--config"]].concat(), file)
        .output()
        .unwrap()
}

/// Returns the sandbox of the only AI, listed without these system calls.
#[track_caller]
fn sandbox_without(file: &ConfigFile, calls: &[i64]) -> Value {
    let output = list_without(file, calls, &["--json"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let listed: Value = serde_json::from_slice(&output.stdout).unwrap();
    listed[0]["sandbox"].clone()
}

/// Returns why the only AI is rejected without these system calls.
#[track_caller]
fn rejection_without(file: &ConfigFile, calls: &[i64]) -> String {
    let output = list_without(file, calls, &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let message = text
        .lines()
        .find(|line| line.contains("its sandbox is required"));
    message.unwrap_or_else(|| panic!("{text}")).to_owned()
}

/// `rookery` with these arguments and the path of the configuration, without these system
/// calls.
fn without(calls: &[i64], arguments: &[&str], file: &ConfigFile) -> Command {
    let mut command = Command::new(rookery());
    command.args(arguments).arg(file.path());
    hide(calls, &mut command);
    command
}

/// Hides these system calls from a command.
pub(crate) fn hide(calls: &[i64], command: &mut Command) {
    let rules = calls.iter().map(|&call| (call, Vec::new())).collect();
    let missing = SeccompAction::Errno(libc::ENOSYS.cast_unsigned());
    let machine = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, missing, machine).unwrap();
    let filter: BpfProgram = filter.try_into().unwrap();
    // SAFETY: the filter exists; installing it takes two system calls.
    unsafe { command.pre_exec(move || apply_filter(&filter).map_err(std::io::Error::other)) };
}

pub(crate) const LANDLOCK_AND_USERS: [i64; 3] = [
    libc::SYS_landlock_create_ruleset,
    libc::SYS_setresuid,
    libc::SYS_unshare,
];

#[test]
fn rejects_an_ai_whose_sandbox_cannot_be_enforced() {
    let file = ai("basic1", "ai_basic1", "");
    let message = rejection_without(&file, &LANDLOCK_AND_USERS);
    assert_has(
        &message,
        &[
            "threads (",
            "files (",
            "Landlock",
            "sandbox = \"best-effort\"",
        ],
    );
    for part in ["memory (", "mount_namespace ("] {
        assert!(!message.contains(part), "unexpected {part:?} in {message}");
    }
}

#[test]
fn best_effort_enforces_what_is_available() {
    let file = ai("basic1", "ai_basic1", "sandbox = \"best-effort\"");
    let mut sandbox = sandbox_without(&file, &LANDLOCK_AND_USERS);
    sandbox.as_object_mut().unwrap().remove("cgroup");
    assert_snapshot!(shown(&sandbox), @r#"
    {
      "mode": "best-effort",
      "memory_mb": 1024,
      "threads": null,
      "exec": [],
      "enforced": ["priority","core_dumps","open_files","memory","working_directory","privileges","system_calls","computing_time"],
      "missing": ["pid_namespace","threads","mount_namespace","files"]
    }
    "#);
    let output = list_without(&file, &LANDLOCK_AND_USERS, &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    let enforced = "  sandbox  best-effort, 1024 MB; enforced: priority, core_dumps";
    assert_has(&text, &[enforced, "not enforced: files (Landlock"]);
}

#[test]
fn a_worker_dies_with_its_server() {
    let file = ai("dies-with-server", "hang", "");
    let server = Server::start(&file);
    let worker = server.children()[0];
    // A stopped worker does not notice its closed socket.
    kill(worker, Signal::STOP);
    // Kills the server.
    drop(server);
    wait_until("the worker exits", || !is_running(worker));
}
