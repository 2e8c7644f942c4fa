//! The crew of one AI: its workers, which take questions from its queue, and are replaced where they are lost.
//!
//! A crew ends by itself once its AI is gone, that is, when nobody can ask any more: first it answers what is asked.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use ai_api::OptionSetting;
use tokio::{
    sync::{Mutex, mpsc, watch},
    task::JoinSet,
    time::timeout_at,
};
use tracing::Instrument;

use super::{
    Ai, Fault, Job, QUEUE_LENGTH, State, WorkerProgram,
    library::SealedLibrary,
    process::{FailedIdle, StartError, WorkerProcess},
    record::Record,
    starting::Started,
};
use crate::{config::AiSettings, telemetry::RequestId};

const FIRST_BACK_OFF: Duration = Duration::from_millis(100);
const LONGEST_BACK_OFF: Duration = Duration::from_secs(10);

/// What the workers of one AI share. It does not hold the AI, whose end is theirs.
struct Crew {
    settings: AiSettings,
    program: WorkerProgram,
    library: Arc<SealedLibrary>,
    options: Vec<OptionSetting>,
    queue: Mutex<mpsc::Receiver<Job>>,
    states: Arc<States>,
    record: Arc<Record>,
}

/// What each worker of an AI is doing.
#[derive(Debug)]
pub(super) struct States(Vec<AtomicU8>);

impl States {
    fn starting(workers: usize) -> Self {
        Self((0..workers).map(|_| AtomicU8::new(State::Starting as u8)).collect())
    }

    pub(super) fn workers(&self) -> usize {
        self.0.len()
    }

    /// The best that any of them is doing.
    pub(super) fn best(&self) -> State {
        let states = self.0.iter().map(|state| State::ALL[usize::from(state.load(Ordering::Relaxed)) & 3]);
        states.max().unwrap_or(State::Failed)
    }

    /// How many are doing what.
    pub(super) fn counts(&self) -> Vec<(State, usize)> {
        let doing = |wanted| self.0.iter().filter(move |state| state.load(Ordering::Relaxed) == wanted as u8);
        State::ALL.iter().map(|&state| (state, doing(state).count())).collect()
    }

    fn set(&self, worker: usize, state: State) {
        self.0[worker].store(state as u8, Ordering::Relaxed);
    }
}

/// Gives a started AI its queue and its workers, as tasks of the calling thread.
pub(super) fn crew(
    started: Started,
    program: &WorkerProgram,
    stop: &watch::Receiver<bool>,
    workers: &mut JoinSet<()>,
) -> Arc<Ai> {
    let Started { settings, library, about, options, process } = started;
    for missing in &process.confined().missing {
        tracing::warn!(ai = %settings.id, %missing, "a part of the sandbox is not enforced");
    }
    let (jobs, queue) = mpsc::channel(QUEUE_LENGTH);
    let states = Arc::new(States::starting(settings.workers));
    let record = Arc::new(Record::new(settings.workers));
    let library_file = library.file().file_name().map(|name| name.to_string_lossy().into_owned());
    let ai = Arc::new(Ai {
        id: settings.id.clone(),
        settings: settings.clone(),
        about,
        library_file: library_file.unwrap_or_default(),
        library_sha256: library.sha256(),
        limit: settings.limit,
        move_timeout: Duration::from_millis(settings.move_timeout_ms),
        sandbox: settings.sandbox.clone(),
        confined: process.confined().clone(),
        jobs,
        waiting: AtomicUsize::new(0),
        states: Arc::clone(&states),
        record: Arc::clone(&record),
    });
    // The first worker is there already; a request may come before its task has run.
    states.set(0, State::Ready);
    let program = program.clone();
    let queue = Mutex::new(queue);
    let crew = Arc::new(Crew { settings, program, library, options, queue, states, record });
    let mut first = Some(process);
    for number in 0..crew.states.workers() {
        let worker = Worker { crew: Arc::clone(&crew), number, stop: stop.clone(), back_off: FIRST_BACK_OFF };
        workers.spawn(worker.run(first.take()));
    }
    ai
}

/// One place in which a process of an AI runs, and then the next.
struct Worker {
    crew: Arc<Crew>,
    number: usize,
    stop: watch::Receiver<bool>,
    back_off: Duration,
}

/// What a worker has to do next.
enum Next {
    Answer(Box<Job>),
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
            self.crew.record.started(self.number, running.id());
            self.set_state(State::Ready);
            match self.next(&mut running).await {
                Next::Answer(job) => process = self.answer_as_told(job, running).await,
                Next::Replace(failed) => {
                    self.set_state(State::Starting);
                    let (fault, output) = running.fault_when_idle(failed).await;
                    self.crew.record.failed(&fault, output);
                    let error = StartError::Idle(fault);
                    if !self.wait_out(&error).await {
                        return;
                    }
                }
                Next::End => return running.stop().await,
            }
        }
    }

    fn set_state(&self, state: State) {
        self.crew.states.set(self.number, state);
    }

    async fn start_process(&self) -> Result<WorkerProcess, StartError> {
        self.set_state(State::Starting);
        let crew = &self.crew;
        let (program, settings) = (&crew.program.0, &crew.settings);
        let (process, _) =
            WorkerProcess::start(program, &crew.library, &settings.id, &settings.sandbox, &crew.options)
                .await?;
        process.create(crew.options.clone()).await
    }

    async fn next(&mut self, running: &mut WorkerProcess) -> Next {
        let crew = Arc::clone(&self.crew);
        let job = async { crew.queue.lock().await.recv().await };
        tokio::select! {
            biased;
            _ = self.stop.wait_for(|stop| *stop) => Next::End,
            failed = running.failed_idle() => Next::Replace(failed),
            job = job => job.map_or(Next::End, |job| Next::Answer(Box::new(job))),
        }
    }

    /// Answers so that all that is logged meanwhile says for which request, and which AI and process do.
    async fn answer_as_told(&mut self, job: Box<Job>, running: WorkerProcess) -> Option<WorkerProcess> {
        let request_id = job.request_id.clone();
        let span = tracing::info_span!(
            "question",
            ai = %self.crew.settings.id,
            worker = running.id(),
            request_id = request_id.as_ref().map(RequestId::as_str)
        );
        RequestId::scope(request_id, self.answer(job, running)).instrument(span).await
    }

    /// Gives the process back unless the question has cost it.
    async fn answer(&mut self, job: Box<Job>, mut running: WorkerProcess) -> Option<WorkerProcess> {
        let Job { request_id: _, question, mut conditions, iterations, deadline, mut reply } = *job;
        // The client is gone or has waited too long: it is told so by the dropped reply.
        if reply.is_closed() || Instant::now() > deadline {
            return Some(running);
        }
        self.set_state(State::Busy);
        let on_iteration = |iteration| {
            let _ = iterations.as_ref().map(|listener| listener.try_send(iteration));
        };
        let usual = Duration::from_millis(self.crew.settings.move_timeout_ms);
        let time_allowed = conditions.time_allowed.unwrap_or(usual);
        let give_up = async {
            tokio::select! {
                () = reply.closed() => {}
                () = conditions.stopped() => {}
            }
        };
        let asked = Instant::now();
        let answer = running.ask(&question, time_allowed, give_up, on_iteration).await;
        let fault = answer.as_ref().err().cloned();
        self.crew.record.asked(&question.task, asked.elapsed(), answer.as_ref().ok());
        if let Some(fault) = &fault {
            self.crew.record.failed(fault, running.output());
        }
        // The place is free before the client hears the answer and may ask again.
        self.set_state(if fault.is_none() { State::Ready } else { State::Starting });
        let _ = reply.send(answer);
        match fault {
            None => {
                self.back_off = FIRST_BACK_OFF;
                Some(running)
            }
            Some(fault) if fault.costs_the_worker() => {
                tracing::warn!(code = fault.code(), %fault, "a worker is replaced");
                running.kill().await;
                None
            }
            Some(fault) => {
                tracing::warn!(code = fault.code(), %fault, "an AI failed");
                Some(running)
            }
        }
    }

    /// After a failed start: answers every request at once until it is time to try again. False if it is time to end.
    async fn wait_out(&mut self, error: &StartError) -> bool {
        let until = tokio::time::Instant::now() + self.back_off;
        self.back_off = (self.back_off * 2).min(LONGEST_BACK_OFF);
        tracing::error!(ai = %self.crew.settings.id, %error, "a worker is not there; it is started anew");
        self.set_state(State::Failed);
        loop {
            // Other workers of this AI may be fine and take its requests.
            let alone = self.crew.states.best() == State::Failed;
            let crew = Arc::clone(&self.crew);
            let job = async { if alone { crew.queue.lock().await.recv().await } else { pending().await } };
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
