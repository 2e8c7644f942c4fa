//! Workers in cgroups, with a folder in place of the mounted hierarchy.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use game::GameService;
use pool::{WorkerProgram, cgroup::Cgroups};
use rustix::process::Signal;
use serde_json::json;
use tempfile::TempDir;
use test_kit::{
    processes::{kill, kill_if_running},
    wait_until,
};

use crate::{
    pool::faults::{processes_of, workers_of},
    support::{Application, ConfigFile, ai, assert_has, rookery},
};

const FILES: [&str; 8] = [
    "cgroup.procs",
    "cgroup.kill",
    "cgroup.subtree_control",
    "memory.max",
    "memory.oom.group",
    "memory.events",
    "pids.max",
    "cpu.weight",
];

fn make(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    FILES
        .iter()
        .try_for_each(|file| fs::write(path.join(file), ""))?;
    fs::write(path.join("cgroup.controllers"), "cpu memory pids")
}

fn hierarchy() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    make(&folder.path().join("root")).unwrap();
    folder
}

/// The application of a configuration whose workers use this hierarchy.
fn application(file: &ConfigFile, hierarchy: &TempDir) -> Application {
    let root = hierarchy.path().join("root");
    let cgroups = Arc::new(Cgroups::in_folder(root, "", make, |path| {
        fs::remove_dir_all(path)
    }));
    assert_eq!(cgroups.reason(), None);
    let program = WorkerProgram::at(rookery()).in_cgroups(cgroups);
    let game = GameService::start(file.load(), program).unwrap_or_else(|errors| panic!("{errors}"));
    Application::new(Arc::new(game))
}

/// Returns the cgroups of workers, oldest first.
fn cgroups(hierarchy: &TempDir) -> Vec<PathBuf> {
    let group = hierarchy
        .path()
        .join(format!("root/rookery-{}", std::process::id()));
    let entries = fs::read_dir(group)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

#[actix_web::test]
async fn a_worker_runs_in_a_cgroup_until_it_is_replaced() {
    let hierarchy = hierarchy();
    let app = application(
        &ai("in_cgroup", "ai_basic1", "memory_mb = 100\nthreads = 4"),
        &hierarchy,
    );
    let sandbox = app.get("/v1/ais/in_cgroup").await.body["sandbox"].clone();
    assert_eq!(
        sandbox["cgroup"],
        json!({"controllers": ["cpu", "memory", "pids"], "reason": null})
    );
    let (processes, first) = (processes_of("in_cgroup"), cgroups(&hierarchy));
    assert_eq!(first.len(), 1);
    // The host adds the first process. The kernel adds its children.
    let added = fs::read_to_string(first[0].join("cgroup.procs")).unwrap();
    assert_eq!(added, format!("{}\n", processes.iter().min().unwrap()));
    let memory: u64 = fs::read_to_string(first[0].join("memory.max"))
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert!((100 << 20..150 << 20).contains(&memory), "{memory}");
    kill(workers_of("in_cgroup")[0], Signal::KILL);
    wait_until("the worker is replaced", || {
        let now = cgroups(&hierarchy);
        now.len() == 1 && now != first
    });
}

#[actix_web::test]
async fn reports_an_oom_kill_as_out_of_memory() {
    let hierarchy = hierarchy();
    let settings = "memory_mb = 100\nmove_timeout_ms = 60000";
    let app = application(&ai("oom", "ai_basic1", settings), &hierarchy);
    let body = json!({"game": {}, "limit": {"movetime_ms": 50_000}});
    let killed = async {
        loop {
            let busy = app.get("/v1/ais/oom").await.body["state"] == "busy";
            // The request is retried with a second worker.
            for cgroup in cgroups(&hierarchy).iter().filter(|_| busy) {
                // In the kernel's order, the event precedes the kill.
                let _ = fs::write(cgroup.join("memory.events"), "oom 1\noom_kill 1\n");
                for worker in workers_of("oom") {
                    kill_if_running(worker, Signal::KILL);
                }
            }
            actix_web::rt::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    let reply = tokio::select! {
        reply = app.post("/v1/best-move", &body) => reply,
        () = killed => unreachable!(),
    };
    let detail = reply.check_error(502, "ai_out_of_memory");
    assert_has(&detail, &["100 MB (memory_mb in its [ai.ID])"]);
}
