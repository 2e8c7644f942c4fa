//! The cost of workers, without HTTP.

use std::{
    fs,
    io::{Read as _, Write as _},
    os::{fd::OwnedFd, unix::net::UnixStream},
    process::{Child, Command},
    time::Duration,
};

use config::{LoadOptions, load};
use pool::{Ais, Fault, RequestContext, WorkerProgram};
use protocol::{Response, SearchParams, Task};
use rustix::process::Signal;
use test_kit::{
    build,
    processes::{children, kill},
    rookery,
};

use crate::{percentiles, time};

const ROUNDS: usize = 5000;
const KILLS: usize = 200;
const STALLS: usize = 50;
/// The hard limit for a request to a stopped worker.
const STALL: Duration = Duration::from_millis(200);

/// An AI in its sandbox, called without HTTP.
struct RunningAi {
    ais: Ais,
    runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
}

impl RunningAi {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "[plugins]\ndirectories = ['{}']\npolicy = \"configured\"\n[ai.basic1]\nlibrary = \
             \"ai_basic1\"\nlimit = {{ depth = 1 }}\nmove_timeout_ms = {}\n",
            build().display(),
            STALL.as_millis()
        );
        let file = folder.path().join("rookery.toml");
        fs::write(&file, text).unwrap();
        let ais = Ais::start(
            &load(&file, &LoadOptions::none()).unwrap(),
            WorkerProgram::at(rookery()),
        )
        .unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        Self {
            ais,
            runtime,
            _folder: folder,
        }
    }

    fn evaluate(&self) -> Result<Response, Fault> {
        let fen = rules::format_fen(&rules::start_position());
        let (moves, params, options) = (Vec::new(), SearchParams::default(), Vec::new());
        let job = protocol::Job {
            fresh: false,
            fen,
            moves,
            task: Task::Evaluate,
            params,
            options,
        };
        self.runtime.block_on(self.ais.get("basic1").unwrap().ask(
            RequestContext::default(),
            job,
            None,
        ))
    }

    fn worker() -> u32 {
        children(std::process::id())[0]
    }
}

/// Starts a process that returns what it reads from a socket, like a worker without a host or an
/// AI.
fn echo() -> (UnixStream, Child) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let input = OwnedFd::from(theirs.try_clone().unwrap());
    let child = Command::new("cat")
        .stdin(input)
        .stdout(OwnedFd::from(theirs))
        .spawn()
        .unwrap();
    (ours, child)
}

/// Measures round trips to a worker and over a bare socket alternately, the time from a worker's
/// death to the next result, and how long after the hard limit a timeout is noticed.
pub(crate) fn measure() {
    let (mut round_trips, mut recoveries, mut overshoots) = (vec![], vec![], vec![]);
    let (mut bare, mut message, (mut socket, mut echo)) = (vec![], [0; 128], echo());
    let ai = RunningAi::start();
    for _ in 0..ROUNDS {
        round_trips.push(time(|| drop(ai.evaluate().unwrap())));
        bare.push(time(|| {
            socket.write_all(&message).unwrap();
            socket.read_exact(&mut message).unwrap();
        }));
    }
    // The echo process exits when the socket is closed. The other children are workers.
    drop(socket);
    echo.wait().unwrap();
    for _ in 0..KILLS {
        let worker = RunningAi::worker();
        recoveries.push(time(|| {
            kill(worker, Signal::KILL);
            ai.evaluate().unwrap();
        }));
    }
    drop(ai);
    for _ in 0..STALLS {
        while !children(std::process::id()).is_empty() {
            std::thread::yield_now();
        }
        let ai = RunningAi::start();
        kill(RunningAi::worker(), Signal::STOP);
        let waited = time(|| assert!(matches!(ai.evaluate(), Err(Fault::Stalled(_)))));
        overshoots.push(waited.checked_sub(STALL).expect("a timeout is never early"));
    }
    println!(
        "round trip to a worker                  {}",
        percentiles(&mut round_trips)
    );
    println!(
        "a socket's round trip, without host or AI  {}",
        percentiles(&mut bare)
    );
    println!(
        "worker's death to the next result       {}",
        percentiles(&mut recoveries)
    );
    println!(
        "overshoot of the hard limit             {}\n",
        percentiles(&mut overshoots)
    );
}
