//! Kernels without a feature of the sandbox, simulated by a seccomp filter, and workers without a
//! sandbox.

use std::fs;

use serde_json::{Value, json};

use super::{file_system::reading, list_without, rejection_without, sandbox_without, without};
use test_kit::run;

use crate::{
    pool::faults::check_faults_with,
    support::{Application, ConfigFile, ai, assert_has, built, own_library},
};

/// The system calls for namespaces and mounts.
const NAMESPACES: [i64; 5] = [
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_fsopen,
    libc::SYS_open_tree,
];

/// Returns the output of `rookery best-move` without these system calls.
fn best_move_without(file: &ConfigFile, calls: &[i64]) -> Value {
    let printed = run(&mut without(
        calls,
        &["best-move", "--json", "--config"],
        file,
    ));
    serde_json::from_str(&printed).unwrap()
}

#[test]
fn serves_without_mounts_even_if_the_sandbox_is_required() {
    if !rustix::process::geteuid().is_root() {
        // An unprivileged user needs a namespace for the thread limit, which is required.
        return;
    }
    let file = ai("basic1", "ai_basic1", "");
    let sandbox = sandbox_without(&file, &NAMESPACES);
    assert_eq!(
        (&sandbox["mode"], &sandbox["missing"]),
        (
            &json!("required"),
            &json!(["pid_namespace", "mount_namespace"])
        )
    );
    assert!(
        sandbox["enforced"]
            .as_array()
            .unwrap()
            .contains(&json!("working_directory")),
        "{sandbox}"
    );
    assert_eq!(best_move_without(&file, &NAMESPACES)["search"]["depth"], 5);
    let text = String::from_utf8(list_without(&file, &NAMESPACES, &[]).stdout).unwrap();
    assert_has(
        &text,
        &["not enforced: mount_namespace (the worker can't build a private root"],
    );
}

#[test]
fn hides_everything_but_paths_without_mounts() {
    if rustix::process::geteuid().is_root() {
        let file = ai("sandbox_probe", "sandbox_probe", "");
        // Three probes, each in the constructor and in a search, reveal only that a path exists.
        assert_eq!(
            best_move_without(&file, &NAMESPACES)["score"],
            json!({"cp": 6})
        );
    }
}

/// In a systemd service with `RestrictSUIDSGID`, `openat2` is not available.
#[test]
fn reads_granted_files_without_openat2() {
    for granted in ["nets/deep/small", "link/small", "nets/far/large"] {
        let file = reading("allow_read = [\"nets\", \"link\", \"other\"]", granted);
        let found = best_move_without(&file, &[libc::SYS_openat2]);
        assert_eq!(found["score"], json!({"cp": 0}), "{granted}");
    }
}

#[test]
fn hides_files_without_landlock() {
    let file = ai(
        "sandbox_probe",
        "sandbox_probe",
        "sandbox = \"best-effort\"",
    );
    let found = best_move_without(&file, &[libc::SYS_landlock_create_ruleset]);
    assert_eq!(
        found["score"],
        json!({"cp": 0}),
        "the mount namespace is enough to hide them"
    );
    let sandbox = sandbox_without(&file, &[libc::SYS_landlock_create_ruleset]);
    assert_eq!(sandbox["missing"], json!(["files"]));
}

#[test]
fn rejects_an_ai_without_seccomp() {
    let calls = [libc::SYS_seccomp];
    // The filter denies new filters. A worker cannot distinguish this from a kernel without
    // seccomp.
    let message = rejection_without(&ai("basic1", "ai_basic1", ""), &calls);
    let cause = "its sandbox is required but can't be enforced here: system_calls (";
    assert_has(&message, &[cause, "CONFIG_SECCOMP_FILTER"]);
    let file = ai("basic1", "ai_basic1", "sandbox = \"best-effort\"");
    assert_eq!(best_move_without(&file, &calls)["search"]["depth"], 5);
}

#[test]
fn starts_despite_squatted_working_folders() {
    let _squatted = Squatted::after_this_process();
    // Without a namespace, an unprivileged user's threads have no limit.
    let file = ai("basic1", "ai_basic1", "sandbox = \"best-effort\"");
    let sandbox = sandbox_without(&file, &[libc::SYS_unshare]);
    assert!(
        sandbox["enforced"]
            .as_array()
            .unwrap()
            .contains(&json!("working_directory")),
        "{sandbox}"
    );
}

/// Folders with the names that the working folders of the next processes would have.
struct Squatted(Vec<String>);

impl Squatted {
    fn after_this_process() -> Self {
        let last = fs::read_to_string("/proc/sys/kernel/ns_last_pid").unwrap();
        let last: u32 = last.trim().parse().unwrap();
        let names = (last..last + 1500).flat_map(|process| {
            ["/tmp", "/var/tmp", "/dev/shm"]
                .map(|folder| format!("{folder}/rookery-worker-{process}"))
        });
        Self(names.filter(|name| fs::create_dir(name).is_ok()).collect())
    }
}

impl Drop for Squatted {
    fn drop(&mut self) {
        for name in &self.0 {
            let _ = fs::remove_dir(name);
        }
    }
}

#[actix_web::test]
async fn handles_crashes_and_timeouts_without_the_sandbox() {
    check_faults_with(&["segfault", "exit", "hang"], "sandbox = \"off\"").await;
}

#[actix_web::test]
async fn loads_the_sealed_bytes_without_the_sandbox() {
    let settings = "options.fault = \"exit\"\nsandbox = \"off\"\nlimit.depth = 1";
    let (file, library) = own_library("fault_injector", settings);
    let app = Application::of(&file);
    // The next worker loads the sealed bytes, not the file.
    fs::copy(built("ai_basic1"), &library).unwrap();
    for _ in 0..2 {
        app.post("/v1/best-move", &json!({"game": {}}))
            .await
            .check_error(502, "ai_crashed");
    }
}
