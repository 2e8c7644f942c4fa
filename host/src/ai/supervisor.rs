//! The thread that starts every worker, passes questions on, and replaces a worker that is lost.
//!
//! It is one thread that lives as long as the server, because the kernel ties a worker's life to the *thread* that
//! started it.

use std::{
    collections::BTreeMap,
    future::pending,
    sync::{
        Arc, Mutex as StdMutex, PoisonError,
        atomic::{AtomicU8, AtomicUsize},
        mpsc as std_mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use ai_api::OptionSetting;
use tokio::{
    runtime::{self, Runtime},
    sync::{Mutex, mpsc, watch},
    task::JoinSet,
    time::timeout_at,
};

use super::{
    Ai, Fault, Job, QUEUE_LENGTH, StartErrors, State, WorkerProgram,
    library::SealedLibrary,
    process::{FailedIdle, StartError, WorkerProcess},
    starting::{AiStartError, Started, start_all},
};
use crate::config::Config;

const FIRST_BACK_OFF: Duration = Duration::from_millis(100);
const LONGEST_BACK_OFF: Duration = Duration::from_secs(10);

type ById = BTreeMap<String, Arc<Ai>>;

#[derive(Debug)]
pub(super) struct Supervisor {
    stopping: watch::Sender<bool>,
    ended: StdMutex<std_mpsc::Receiver<()>>,
}

impl Supervisor {
    /// Starts the thread and, on it, every AI.
    pub(super) fn start(config: Config, program: WorkerProgram) -> Result<(Self, ById), StartErrors> {
        let failed = |error| StartErrors(vec![AiStartError::Supervisor(error)]);
        let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let (stopping, stop) = watch::channel(false);
        let (outcome, started) = std_mpsc::channel();
        let (ending, ended) = std_mpsc::channel();
        let supervise = move || {
            supervise(&runtime, &config, &program, &outcome, &stop);
            // Nobody may be waiting.
            let _ = ending.send(());
        };
        thread::Builder::new().name("ai-supervisor".into()).spawn(supervise).map_err(failed)?;
        let died = || StartErrors(vec![AiStartError::Supervisor(std::io::Error::other("the thread ended"))]);
        let ais = started.recv().map_err(|_| died())??;
        Ok((Self { stopping, ended: StdMutex::new(ended) }, ais))
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
    outcome: &std_mpsc::Sender<Result<ById, StartErrors>>,
    stop: &watch::Receiver<bool>,
) {
    runtime.block_on(async {
        let started = match start_all(config, program).await {
            Ok(started) => started,
            Err(errors) => return drop(outcome.send(Err(errors))),
        };
        let mut workers = JoinSet::new();
        let ais = started.into_iter().map(|ai| serve(ai, program, stop, &mut workers)).collect();
        if outcome.send(Ok(ais)).is_ok() {
            workers.join_all().await;
        }
    });
}

/// Gives an AI its queue and its workers.
fn serve(
    started: Started,
    program: &WorkerProgram,
    stop: &watch::Receiver<bool>,
    workers: &mut JoinSet<()>,
) -> (String, Arc<Ai>) {
    let Started { settings, library, about, options, process } = started;
    for missing in &process.confined().missing {
        tracing::warn!(ai = %settings.id, %missing, "a part of the sandbox is not enforced");
    }
    let (jobs, queue) = mpsc::channel(QUEUE_LENGTH);
    let starting = || AtomicU8::new(State::Starting as u8);
    let library_file = library.file().file_name().map(|name| name.to_string_lossy().into_owned());
    let ai = Arc::new(Ai {
        id: settings.id.clone(),
        about,
        library_file: library_file.unwrap_or_default(),
        library_sha256: library.sha256().to_owned(),
        limit: settings.limit,
        move_timeout: Duration::from_millis(settings.move_timeout_ms),
        sandbox: settings.sandbox,
        confined: process.confined().clone(),
        jobs,
        waiting: AtomicUsize::new(0),
        states: (0..settings.workers).map(|_| starting()).collect(),
    });
    let queue = Arc::new(Mutex::new(queue));
    let mut first = Some(process);
    for number in 0..ai.states.len() {
        let worker = Worker {
            ai: Arc::clone(&ai),
            number,
            program: program.clone(),
            library: Arc::clone(&library),
            options: options.clone(),
            queue: Arc::clone(&queue),
            stop: stop.clone(),
            back_off: FIRST_BACK_OFF,
        };
        // The first worker is there already; a request may come before its task has run.
        ai.set_state(0, State::Ready);
        workers.spawn(worker.run(first.take()));
    }
    (settings.id, ai)
}

/// One place in which a process of an AI runs, and then the next.
struct Worker {
    ai: Arc<Ai>,
    number: usize,
    program: WorkerProgram,
    library: Arc<SealedLibrary>,
    options: Vec<OptionSetting>,
    queue: Arc<Mutex<mpsc::Receiver<Job>>>,
    stop: watch::Receiver<bool>,
    back_off: Duration,
}

/// What a worker has to do next.
enum Next {
    Answer(Job),
    Replace(FailedIdle),
    End,
}

impl Worker {
    async fn run(mut self, mut process: Option<WorkerProcess>) {
        loop {
            let mut running = match process.take() {
                Some(running) => running,
                None => match self.start_process().await {
                    Ok(running) => running,
                    Err(error) if self.wait_out(&error).await => continue,
                    Err(_) => return,
                },
            };
            self.ai.set_state(self.number, State::Ready);
            match self.next(&mut running).await {
                Next::Answer(job) => process = self.answer(job, running).await,
                Next::Replace(failed) => {
                    self.ai.set_state(self.number, State::Starting);
                    let error = StartError::Idle(running.fault_when_idle(failed).await);
                    if !self.wait_out(&error).await {
                        return;
                    }
                }
                Next::End => return running.stop().await,
            }
        }
    }

    async fn start_process(&self) -> Result<WorkerProcess, StartError> {
        self.ai.set_state(self.number, State::Starting);
        let (process, _) =
            WorkerProcess::start(&self.program.0, &self.library, &self.ai.id, &self.ai.sandbox).await?;
        process.create(self.options.clone()).await
    }

    async fn next(&mut self, running: &mut WorkerProcess) -> Next {
        let queue = Arc::clone(&self.queue);
        let job = async { queue.lock().await.recv().await };
        tokio::select! {
            biased;
            _ = self.stop.wait_for(|stop| *stop) => Next::End,
            failed = running.failed_idle() => Next::Replace(failed),
            job = job => job.map_or(Next::End, Next::Answer),
        }
    }

    /// Gives the process back unless the question has cost it.
    async fn answer(&mut self, job: Job, mut running: WorkerProcess) -> Option<WorkerProcess> {
        let Job { question, iterations, deadline, mut reply } = job;
        // The client is gone or has waited too long: it is told so by the dropped reply.
        if reply.is_closed() || Instant::now() > deadline {
            return Some(running);
        }
        self.ai.set_state(self.number, State::Busy);
        let on_iteration = |iteration| {
            let _ = iterations.as_ref().map(|listener| listener.try_send(iteration));
        };
        let asked = running.ask(&question, self.ai.move_timeout, reply.closed(), on_iteration);
        let answer = asked.await;
        let fault = answer.as_ref().err().cloned();
        // The place is free before the client hears the answer and may ask again.
        self.ai.set_state(self.number, if fault.is_none() { State::Ready } else { State::Starting });
        let _ = reply.send(answer);
        match fault {
            None => {
                self.back_off = FIRST_BACK_OFF;
                Some(running)
            }
            Some(fault) if fault.costs_the_worker() => {
                tracing::warn!(ai = %self.ai.id, code = fault.code(), %fault, "a worker is replaced");
                running.kill().await;
                None
            }
            Some(fault) => {
                tracing::warn!(ai = %self.ai.id, code = fault.code(), %fault, "an AI failed");
                Some(running)
            }
        }
    }

    /// After a failed start: answers every request at once until it is time to try again. False if it is time to end.
    async fn wait_out(&mut self, error: &StartError) -> bool {
        let until = tokio::time::Instant::now() + self.back_off;
        self.back_off = (self.back_off * 2).min(LONGEST_BACK_OFF);
        tracing::error!(ai = %self.ai.id, %error, "a worker is not there; it is started anew");
        self.ai.set_state(self.number, State::Failed);
        loop {
            // Other workers of this AI may be fine and take its requests.
            let alone = self.ai.state() == State::Failed;
            let queue = Arc::clone(&self.queue);
            let job = async { if alone { queue.lock().await.recv().await } else { pending().await } };
            let job = tokio::select! {
                biased;
                _ = self.stop.wait_for(|stop| *stop) => return false,
                job = timeout_at(until, job) => job,
            };
            match job {
                Ok(Some(job)) => {
                    let retry_after = until.saturating_duration_since(tokio::time::Instant::now());
                    let reason = error.to_string();
                    let _ = job.reply.send(Err(Fault::Unavailable { reason, retry_after }));
                }
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }
}
