//! Start times of workers and AIs.

use std::{
    fs,
    time::{Duration, Instant},
};

use config::{Config, LoadOptions, load};
use library::SealedLibrary;
use pool::{Ais, WorkerProgram, WorkerSession};
use test_kit::{build, rookery};
use tokio::runtime::Runtime;

use crate::percentiles;

const STARTS: usize = 300;

/// Measures the start of a worker (process, library, instance) and of an AI, which also reads,
/// hashes and seals the library and starts a supervisor thread.
pub(crate) fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let configured = |sandbox: &str| {
        let file = folder.path().join(format!("{sandbox}.toml"));
        let directory = build().display();
        let text = format!(
            "[plugins]\ndirectories = ['{directory}']\npolicy = \
             \"configured\"\n[ai.basic1]\nlibrary = \"ai_basic1\"\nsandbox = \"{sandbox}\"\n"
        );
        fs::write(&file, text).unwrap();
        load(&file, &LoadOptions::none()).unwrap()
    };
    let configs = ["required", "off"].map(configured);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (mut workers, mut ais) = ([vec![], vec![]], [vec![], vec![]]);
    for _ in 0..STARTS {
        for (place, config) in configs.iter().enumerate() {
            workers[place].push(start_worker(&runtime, config));
            ais[place].push(start_ai(config));
        }
    }
    for (what, [confined, free]) in [("a worker", &mut workers), ("an AI    ", &mut ais)] {
        println!(
            "start of {what}, in its sandbox      {}",
            percentiles(confined)
        );
        println!(
            "start of {what}, sandbox = \"off\"     {}",
            percentiles(free)
        );
    }
    println!();
}

fn program() -> WorkerProgram {
    WorkerProgram::at(rookery())
}

fn start_worker(runtime: &Runtime, config: &Config) -> Duration {
    let settings = &config.ais["basic1"];
    let library = SealedLibrary::read(&settings.library).unwrap();
    let program = program();
    let started = Instant::now();
    let worker = runtime
        .block_on(WorkerSession::start(&program, &library, settings, &[]))
        .unwrap();
    let elapsed = started.elapsed();
    runtime.block_on(worker.stop());
    elapsed
}

fn start_ai(config: &Config) -> Duration {
    let program = program();
    let started = Instant::now();
    let ais = Ais::start(config, program).unwrap();
    let elapsed = started.elapsed();
    ais.stop(Duration::from_secs(1));
    elapsed
}
