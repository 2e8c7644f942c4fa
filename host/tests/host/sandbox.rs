//! The sandbox of a worker, and how the host reports it.

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
    io::{BufRead, BufReader},
    os::unix::{fs::PermissionsExt, process::CommandExt},
    process::{Command, Output, Stdio},
};

use insta::assert_snapshot;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open},
};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
use serde_json::{Value, json};

use crate::{
    pool::faults::workers_of,
    support::processes::children,
    support::{Application, ConfigFile, library, rookery, shown},
};

pub(crate) const OPEN: i64 = 1;
const CLOSED: i64 = 0;

/// A configuration with one AI, of a library or a fault.
pub(crate) fn ai(id: &str, name: &str, settings: &str) -> ConfigFile {
    let library = library(name);
    ConfigFile::new(&format!("[ai.{id}]\n{library}{settings}\n[client.default]\nai = \"{id}\"\n"))
}

/// Returns the outcome of each escape attempt, in the constructor and in a search.
pub(crate) async fn attempts(file: &ConfigFile) -> BTreeMap<String, i64> {
    let app = Application::of(file);
    let searched = app.post("/v1/best-move", &json!({"game": {}})).await;
    assert_eq!(searched.status, 200, "{}", searched.body);
    let judged = app.post("/v1/evaluate", &json!({"game": {}})).await;
    assert_eq!(judged.status, 200, "{}", judged.body);
    let terms = judged.body["terms"].as_array().unwrap().iter();
    terms
        .map(|term| (term["name"].as_str().unwrap().to_owned(), term["score"]["cp"].as_i64().unwrap()))
        .collect()
}

/// Removes and returns the thread counts.
fn threads(attempts: &mut BTreeMap<String, i64>) -> [i64; 2] {
    ["loading: threads", "search: threads"].map(|when| attempts.remove(when).unwrap())
}

#[actix_web::test]
async fn blocks_every_escape_while_loading_and_searching() {
    let mut attempts =
        attempts(&ai("sandbox_escape", "sandbox_escape", "memory_mb = 256\nthreads = 8")).await;
    let [loading, search] = threads(&mut attempts);
    // The worker's own thread does not exist yet.
    assert!(loading <= 9, "{loading} threads");
    assert_eq!(search, 8, "the allowed threads start");
    let open: Vec<_> = attempts.iter().filter(|(_, outcome)| **outcome != CLOSED).collect();
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
        .map_or(true, |scope| scope.trim() == "0" || rustix::process::geteuid().is_root());
    let may_be_closed = |attempt: &str| {
        !traceable
            && (attempt.contains("trace the")
                || attempt.contains("memory from")
                || attempt.contains("memory by"))
    };
    let closed: Vec<_> =
        attempts.iter().filter(|(attempt, outcome)| **outcome != OPEN && !may_be_closed(attempt)).collect();
    assert!(closed.is_empty(), "{closed:?}");
    assert_eq!(attempts.len(), 58, "{attempts:?}");
}

#[actix_web::test]
async fn grants_only_the_files_of_allow_read() {
    let file = ai(
        "sandbox_escape",
        "sandbox_escape",
        "allow_read = [\"nets\"]\noptions = { granted = \"FOLDER/nets/small\" }",
    );
    let folder = file.path().parent().unwrap().to_path_buf();
    fs::create_dir(folder.join("nets")).unwrap();
    for path in ["nets/small", "weights"] {
        fs::write(folder.join(path), "1.5").unwrap();
    }
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    let text = fs::read_to_string(file.path()).unwrap().replace("FOLDER", folder.to_str().unwrap());
    fs::write(file.path(), &text).unwrap();
    let granted = attempts(&file).await;
    assert_eq!(granted["search: read the granted file"], OPEN);
    assert_eq!(granted["search: read /etc/passwd"], CLOSED);
    assert_eq!(granted["search: read the linker's cache"], CLOSED);
    fs::write(file.path(), text.replace("nets/small", "weights")).unwrap();
    assert_eq!(attempts(&file).await["search: read the granted file"], CLOSED);
}

#[actix_web::test]
async fn limits_memory_to_memory_mb() {
    let body = json!({"game": {}});
    let app = Application::of(&ai("allocate_512_mb", "allocate_512_mb", "memory_mb = 128"));
    for _ in 0..2 {
        let reply = app.post("/v1/best-move", &body).await;
        assert_eq!((reply.status, reply.code()), (502, "ai_out_of_memory"), "{}", reply.body);
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(detail.contains("signal 6 (abort) after an allocation failed"), "{detail}");
        assert!(detail.contains("128 MB (memory_mb in its [ai.ID])"), "{detail}");
    }
    let app = Application::of(&ai("allocate_512_mb", "allocate_512_mb", ""));
    let reply = app.post("/v1/best-move", &body).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
}

#[actix_web::test]
async fn reports_what_is_enforced() {
    let app = Application::of(&ConfigFile::new(
        "[ai.in]\nlibrary = \"ai_basic1\"\nmemory_mb = 99\nthreads = 3\n\
         [ai.out]\nlibrary = \"ai_basic1\"\nsandbox = \"off\"\n[client.default]\nai = \"out\"\n",
    ));
    let inside = app.get("/v1/ais/in").await.body["sandbox"].clone();
    assert_eq!((&inside["mode"], &inside["missing"]), (&json!("required"), &json!([])), "{inside}");
    assert_eq!((&inside["memory_mb"], &inside["threads"]), (&json!(99), &json!(3)), "{inside}");
    let cgroup = json!({"controllers": [], "reason": "this command does not use cgroups"});
    assert_eq!(
        app.get("/v1/ais/out").await.body["sandbox"],
        json!({
            "mode": "off", "memory_mb": null, "threads": null, "exec": [], "enforced": [], "missing": [], "cgroup": cgroup
        })
    );
}

/// A field of `/proc/PROCESS/status`.
fn status(process: u32, name: &str) -> String {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.unwrap_or_else(|| panic!("no {name} in {status}")).trim().to_owned()
}

#[actix_web::test]
async fn a_worker_has_no_privileges() {
    let _app = Application::of(&ai("without-rights", "ai_basic1", ""));
    let workers = workers_of("without-rights");
    let [worker] = workers.as_slice() else { panic!("{workers:?}") };
    for (name, value) in [
        ("NoNewPrivs", "1"),
        ("Seccomp", "2"),
        ("CapEff", "0000000000000000"),
        ("CapPrm", "0000000000000000"),
    ] {
        assert_eq!(status(*worker, name), value, "{name}");
    }
    let users = status(*worker, "Uid");
    assert!(!users.split('\t').any(|user| user == "0"), "{users}");
    let limits = fs::read_to_string(format!("/proc/{worker}/limits")).unwrap();
    for (name, most) in [("Max core file size", "0"), ("Max open files", "256"), ("Max processes", "66")] {
        let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        let values: Vec<_> = line.split_whitespace().take(2).collect();
        assert_eq!(values, [most, most], "{name}");
    }
}

/// Runs `rookery ais` without these system calls.
fn list_without(file: &ConfigFile, calls: &[i64], arguments: &[&str]) -> Output {
    without(calls, &[&["ais"], arguments, &["--config"]].concat(), file).output().unwrap()
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

pub(crate) const LANDLOCK_AND_USERS: [i64; 3] =
    [libc::SYS_landlock_create_ruleset, libc::SYS_setresuid, libc::SYS_unshare];

#[test]
fn rejects_an_ai_whose_sandbox_cannot_be_enforced() {
    let file = ai("basic1", "ai_basic1", "");
    let output = list_without(&file, &LANDLOCK_AND_USERS, &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let message = text.lines().find(|line| line.contains("its sandbox is required")).unwrap();
    for part in ["threads (", "files (", "Landlock", "sandbox = \"best-effort\""] {
        assert!(message.contains(part), "{part:?} in {message}");
    }
    for part in ["memory (", "mount_namespace ("] {
        assert!(!message.contains(part), "{part:?} in {message}");
    }
}

#[test]
fn best_effort_enforces_what_is_available() {
    let file = ai("basic1", "ai_basic1", "sandbox = \"best-effort\"");
    let output = list_without(&file, &LANDLOCK_AND_USERS, &["--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut sandbox = listed[0]["sandbox"].clone();
    sandbox.as_object_mut().unwrap().remove("cgroup");
    assert_snapshot!(shown(&sandbox), @r#"
    {
      "enforced": ["priority","core_dumps","open_files","memory","working_directory","privileges","system_calls","computing_time"],
      "exec": [],
      "memory_mb": 1024,
      "missing": ["threads","mount_namespace","files"],
      "mode": "best-effort",
      "threads": null
    }
    "#);
    let output = list_without(&file, &LANDLOCK_AND_USERS, &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("  sandbox  best-effort, 1024 MB; enforced: priority, core_dumps"), "{text}");
    assert!(text.contains("not enforced: files (Landlock"), "{text}");
}

#[test]
fn a_worker_dies_with_its_server() {
    let file = ai("dies-with-server", "hang", "");
    let mut server = Command::new(rookery());
    server.args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(file.path());
    let mut server = server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
    let workers = children(server.id());
    let worker = *workers.first().unwrap();
    let worker = Pid::from_raw(worker.cast_signed()).unwrap();
    let handle = pidfd_open(worker, PidfdFlags::empty()).unwrap();
    // A stopped worker does not notice its closed socket.
    kill_process(worker, Signal::STOP).unwrap();
    kill_process(Pid::from_child(&server), Signal::KILL).unwrap();
    server.wait().unwrap();
    let five_seconds = Timespec { tv_sec: 5, tv_nsec: 0 };
    let ended = poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&five_seconds)).unwrap();
    assert_eq!(ended, 1, "the worker survives");
}
