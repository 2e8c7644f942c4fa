//! What the workers of an AI cost, asked without HTTP.

use std::{fs, path::Path, time::Duration};

use config::{Overrides, load};
use pool::{Ais, Fault, WorkerProgram};
use protocol::{Response, SearchParams, Task};
use rustix::process::{Pid, Signal, kill_process};

use crate::{built, child_of, percentiles, time};

const ROUNDS: usize = 5000;
const LOSSES: usize = 200;
const STALLS: usize = 50;
/// The hard limit of an answer that never comes.
const STALL: Duration = Duration::from_millis(200);

/// An AI in its sandbox, asked without HTTP.
struct Asked {
    ais: Ais,
    runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
}

impl Asked {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = Path::new(env!("CARGO_BIN_EXE_rookery"));
        let text = format!(
            "[plugins]\ndirectories = ['{}']\npolicy = \"configured\"\n[ai.basic1]\nlibrary = \"ai_basic1\"\nlimit = {{ depth = 1 }}\nmove_timeout_ms = {}\n",
            built().display(),
            STALL.as_millis()
        );
        let file = folder.path().join("rookery.toml");
        fs::write(&file, text).unwrap();
        let ais = Ais::start(&load(&file, &Overrides::none()).unwrap(), WorkerProgram::at(program)).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { ais, runtime, _folder: folder }
    }

    fn ask(&self) -> Result<Response, Fault> {
        let fen = rules::format_fen(&rules::start_position());
        let (moves, params, options) = (Vec::new(), SearchParams::default(), Vec::new());
        let question = protocol::Job { fen, moves, task: Task::Evaluate, params, options };
        self.runtime.block_on(self.ais.get("basic1").unwrap().ask(question, None))
    }

    fn worker() -> Pid {
        Pid::from_raw(child_of(std::process::id()).unwrap().cast_signed()).unwrap()
    }
}

/// A question to a worker and back; from the loss of a worker to the next answer; how much later than its hard limit a
/// question is answered whose worker does not.
pub(crate) fn measure() {
    let (mut round_trips, mut losses, mut overshoots) = (vec![], vec![], vec![]);
    let asked = Asked::start();
    for _ in 0..ROUNDS {
        round_trips.push(time(|| drop(asked.ask().unwrap())));
    }
    for _ in 0..LOSSES {
        let worker = Asked::worker();
        losses.push(time(|| {
            kill_process(worker, Signal::KILL).unwrap();
            asked.ask().unwrap();
        }));
    }
    drop(asked);
    for _ in 0..STALLS {
        while child_of(std::process::id()).is_some() {
            std::thread::yield_now();
        }
        let asked = Asked::start();
        kill_process(Asked::worker(), Signal::STOP).unwrap();
        let waited = time(|| assert!(matches!(asked.ask(), Err(Fault::Stalled(_)))));
        overshoots.push(waited.checked_sub(STALL).expect("nobody is given up before the hard limit"));
    }
    println!("a question to a worker and back         {}", percentiles(&mut round_trips));
    println!("from a worker's loss to the next answer {}", percentiles(&mut losses));
    println!("overshoot of the hard limit             {}\n", percentiles(&mut overshoots));
}
