//! The thread on which every worker is started and looked after.
//!
//! It is one thread that lives as long as the server, because the kernel ties a worker's life to the *thread* that
//! started it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use tokio::{
    runtime::{self, Runtime},
    sync::watch,
    task::JoinSet,
};

use super::{
    Ai, StartErrors, WorkerProgram,
    crew::crew,
    starting::{AiStartError, start_all},
};
use crate::config::Config;

type ById = BTreeMap<String, Arc<Ai>>;

#[derive(Debug)]
pub(super) struct Supervisor {
    stopping: watch::Sender<bool>,
    ended: Mutex<mpsc::Receiver<()>>,
}

impl Supervisor {
    /// Starts the thread and, on it, every AI.
    pub(super) fn start(config: Config, program: WorkerProgram) -> Result<(Self, ById), StartErrors> {
        let failed = |error| StartErrors(vec![AiStartError::Supervisor(error)]);
        let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let (stopping, stop) = watch::channel(false);
        let (outcome, started) = mpsc::channel();
        let (ending, ended) = mpsc::channel();
        let supervise = move || {
            supervise(&runtime, &config, &program, &outcome, &stop);
            // Nobody may be waiting.
            let _ = ending.send(());
        };
        thread::Builder::new().name("ai-supervisor".into()).spawn(supervise).map_err(failed)?;
        let died = || StartErrors(vec![AiStartError::Supervisor(std::io::Error::other("the thread ended"))]);
        let ais = started.recv().map_err(|_| died())??;
        Ok((Self { stopping, ended: Mutex::new(ended) }, ais))
    }

    /// Lets running answers finish, ends the workers and waits until they are gone, but no longer than `at_most`. What
    /// still runs then is killed by the kernel when this process ends.
    pub(super) fn stop(&self, at_most: Duration) {
        self.stopping.send_replace(true);
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = ended.recv_timeout(at_most);
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.stopping.send_replace(true);
    }
}

fn supervise(
    runtime: &Runtime,
    config: &Config,
    program: &WorkerProgram,
    outcome: &mpsc::Sender<Result<ById, StartErrors>>,
    stop: &watch::Receiver<bool>,
) {
    runtime.block_on(async {
        let started = match start_all(config, program).await {
            Ok(started) => started,
            Err(errors) => return drop(outcome.send(Err(errors))),
        };
        let mut workers = JoinSet::new();
        let with_crew = |ai| crew(ai, program, stop, &mut workers);
        let ais = started.into_iter().map(with_crew).map(|ai| (ai.id.clone(), ai)).collect();
        if outcome.send(Ok(ais)).is_ok() {
            workers.join_all().await;
        }
    });
}
