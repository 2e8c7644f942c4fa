//! How long an AI takes to start.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use rookery::{
    ai::{Ais, WorkerProgram},
    config::{Overrides, load},
};

use crate::{built, percentiles};

const STARTS: usize = 300;

/// How long it takes until an AI's worker is there, its library read, hashed, loaded and its instance made.
pub(crate) fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let configured = |sandbox: &str| {
        let file = folder.path().join(format!("{sandbox}.toml"));
        let directory = built().display();
        let text = format!(
            "[plugins]\ndirectories = ['{directory}']\npolicy = \"known\"\n[ai.basic1]\nlibrary = \"ai_basic1\"\nsandbox = \"{sandbox}\"\n"
        );
        fs::write(&file, text).unwrap();
        load(&file, &Overrides::none()).unwrap()
    };
    let configs = ["required", "off"].map(configured);
    let mut times = [vec![], vec![]];
    for _ in 0..STARTS {
        for (config, times) in configs.iter().zip(&mut times) {
            let program = WorkerProgram::at(Path::new(env!("CARGO_BIN_EXE_rookery")));
            let started = Instant::now();
            let ais = Ais::start(config, program).unwrap();
            times.push(started.elapsed());
            ais.stop(Duration::from_secs(1));
        }
    }
    let [mut confined, mut free] = times;
    println!("start of an AI, in its sandbox          {}", percentiles(&mut confined));
    println!("start of an AI, sandbox = \"off\"         {}\n", percentiles(&mut free));
}
