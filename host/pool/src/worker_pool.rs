//! The worker pool of one AI: its workers, its queue and the record of its failures.
//!
//! The pool stops by itself after its `Ai` is dropped, once every queued request has an answer.

mod back_off;
mod lifecycle;
mod blocked_requests;
mod circuit_breaker;
mod queue;
mod tenancy;
mod worker;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use ai_api::OptionSetting;
use tokio::{
    sync::{oneshot, watch},
    task::JoinSet,
    time::{Instant, sleep_until},
};

use super::{
    Ai, Fault, FaultReason, Listener, RequestContext, Requester, RetryPolicy, WorkerProgram,
    process::{StartError, WorkerProcess},
    starting::Started,
    stats::AiStats,
};
use blocked_requests::BlockedRequests;
use circuit_breaker::{Cause, CircuitBreaker};
use config::AiSettings;
use library::SealedLibrary;
use lifecycle::{Event, States};
use protocol::RequestId;
use protocol::{Job, Response};
use queue::{NoPlace, Queue, Ticket};
use worker::Worker;

pub use lifecycle::State;

const SHORTEST_RETRY: Duration = Duration::from_secs(1);
/// A signal from outside may kill a worker and its successor. A request that kills a third one is the cause itself, or exhausts
/// the memory of the machine.
const KILLS_OF_OTHERS: u32 = 2;
/// A request is retried only if more of its time is left.
const LEAST_TIME: Duration = Duration::from_millis(50);

/// The state that an AI shares with its workers. Does not own the `Ai`; dropping the `Ai` stops its workers.
#[derive(Debug)]
pub(super) struct WorkerPool {
    settings: AiSettings,
    program: WorkerProgram,
    library: Arc<SealedLibrary>,
    options: Vec<OptionSetting>,
    queue: Queue<Box<QueuedJob>>,
    states: States,
    troubles: Mutex<Troubles>,
    /// The recent time per result in microseconds; 0 before the first one.
    pace_us: AtomicU64,
    stats: Arc<AiStats>,
}

/// The failures of an AI.
#[derive(Debug, Default)]
struct Troubles {
    circuit_breaker: CircuitBreaker,
    blocked_requests: BlockedRequests,
    /// The last failure.
    last: Option<FaultReason>,
}

/// A request on its way to a worker.
#[derive(Debug)]
struct QueuedJob {
    request_id: Option<RequestId>,
    question: Job,
    context: RequestContext,
    listener: Option<Box<dyn Listener>>,
    /// The latest time to start.
    start_by: Instant,
    /// After the start: the latest time for a retry.
    answer_by: Option<Instant>,
    times_asked: u32,
    /// The outcome of the last attempt.
    fault: Option<Fault>,
    reply: oneshot::Sender<Result<Response, Fault>>,
}

impl QueuedJob {
    fn requester(&self) -> &Requester {
        &self.context.requester
    }

    fn answer(self: Box<Self>, answer: Result<Response, Fault>) {
        // The client may have disconnected.
        let _ = self.reply.send(answer);
    }
}

/// Starts the queue and the workers of an AI as tasks of the calling thread.
pub(super) fn pool(
    started: Started,
    program: &WorkerProgram,
    stop: &watch::Receiver<bool>,
    workers: &mut JoinSet<()>,
) -> Arc<Ai> {
    let Started { configured, settings, library, about, options, process } = started;
    for missing in &process.confined().missing {
        tracing::warn!(ai = %settings.id, %missing, "a part of the sandbox is not enforced");
    }
    let library_file = library.file().file_name().map(|name| name.to_string_lossy().into_owned());
    let library_sha256 = library.sha256();
    let pool = Arc::new(WorkerPool {
        queue: Queue::new(settings.queue_capacity),
        states: States::new(settings.workers),
        settings: settings.clone(),
        program: program.clone(),
        library,
        options,
        troubles: Mutex::default(),
        pace_us: AtomicU64::new(0),
        stats: Arc::new(AiStats::new(settings.workers)),
    });
    let ai = Arc::new(Ai {
        id: settings.id.clone(),
        about,
        library_file: library_file.unwrap_or_default(),
        library_sha256,
        limit: settings.limit,
        move_timeout: Duration::from_millis(settings.move_timeout_ms),
        sandbox: settings.sandbox.clone(),
        confined: process.confined().clone(),
        cgroup: process.cgroup_status().clone(),
        settings: configured,
        stats: Arc::clone(&pool.stats),
        pool: Arc::clone(&pool),
    });
    // The first worker is ready; a request may arrive before its task runs.
    pool.states.tell(0, Event::Started);
    let mut first = Some(process);
    for number in 0..pool.states.workers() {
        let worker = Worker::new(Arc::clone(&pool), number, stop.clone());
        workers.spawn(worker.run(first.take()));
    }
    ai
}

impl WorkerPool {
    /// Returns the result of a request. Dropping the future cancels the request, queued or running.
    pub(super) async fn ask(
        &self,
        context: RequestContext,
        question: Job,
        listener: Option<Box<dyn Listener>>,
    ) -> Result<Response, Fault> {
        let (asked, requester) = (Instant::now(), context.requester.clone());
        if let Some(refusal) = self.refusal(&requester, &question, asked) {
            return Err(refusal);
        }
        let (reply, mut replied) = oneshot::channel();
        let start_by = asked + self.queue_time();
        let (answer_by, times_asked, fault) = (None, 0, None);
        let job = Box::new(QueuedJob {
            request_id: RequestId::current(),
            question,
            context,
            listener,
            start_by,
            answer_by,
            times_asked,
            fault,
            reply,
        });
        let entered = self.queue.enter(&requester, job).map_err(|no_place| match no_place {
            NoPlace::Full => self.queue_full(&requester),
            NoPlace::Closed => shutting_down(),
        })?;
        if let Some(evicted) = entered.evicted {
            let queue_full = self.queue_full(evicted.requester());
            evicted.answer(Err(queue_full));
        }
        let place = Place { pool: self, requester, ticket: entered.ticket };
        let answer = tokio::select! {
            biased;
            answer = &mut replied => answer,
            () = sleep_until(start_by) => {
                if place.gives_up_waiting() {
                    return Err(self.not_started(&place.requester));
                }
                // A worker runs it, with a deadline of its own.
                replied.await
            }
        };
        answer.unwrap_or_else(|_| Err(shutting_down()))
    }

    /// The configured value of every option.
    pub(super) fn options(&self) -> &[OptionSetting] {
        &self.options
    }

    /// The state of the AI as a whole.
    pub(super) fn state(&self) -> State {
        let best = self.states.best();
        let is_quarantined =
            best != State::Draining && self.troubles().circuit_breaker.is_quarantined(Instant::now());
        if is_quarantined { State::Quarantined } else { best }
    }

    /// Whether the pool accepts requests of a client without failures.
    pub(super) fn is_available(&self) -> bool {
        self.quarantine(Instant::now()).is_none()
    }

    /// The number of workers in each state.
    pub(super) fn workers_by_state(&self) -> [(State, usize); State::ALL.len()] {
        self.states.counts()
    }

    /// The number of queued requests.
    pub(super) fn queue_length(&self) -> usize {
        self.queue.waiting()
    }

    /// Stops the workers after all queued requests.
    pub(super) fn close(&self) {
        self.queue.close();
        (0..self.states.workers()).for_each(|worker| self.states.tell(worker, Event::Closed));
    }

    /// Stops the workers; queued requests fail.
    fn end(&self) {
        self.close();
        self.queue.drain().into_iter().for_each(|job| job.answer(Err(shutting_down())));
    }

    async fn start_process(&self) -> Result<WorkerProcess, StartError> {
        let (program, settings) = (&self.program, &self.settings);
        let (process, _) = WorkerProcess::start(program, &self.library, settings, &self.options).await?;
        process.create(self.options.clone()).await
    }

    /// The reason to reject a request of a client.
    fn refusal(&self, requester: &Requester, question: &Job, now: Instant) -> Option<Fault> {
        let troubles = self.troubles();
        troubles.unavailable(requester, now).or_else(|| troubles.blocked_requests.refusal(question, now))
    }

    /// How long the circuit stays open for all clients.
    fn quarantine(&self, now: Instant) -> Option<Duration> {
        self.troubles().circuit_breaker.pause(now)
    }

    /// Records a result.
    fn answered(&self, job: &QueuedJob, time: Duration) {
        self.keep_pace(time);
        let mut troubles = self.troubles();
        troubles.circuit_breaker.answered(job.requester(), Instant::now());
        troubles.blocked_requests.answered(&job.question);
    }

    /// Records that a request killed a worker. Returns whether it may be retried.
    fn killed(&self, job: &QueuedJob, fault: &Fault, time: Duration) -> bool {
        self.keep_pace(time);
        let now = Instant::now();
        if fault.is_ai_fault() {
            self.troubles().blocked_requests.killed(&job.question, fault, now);
        }
        if fault.is_ai_fault() || job.times_asked > KILLS_OF_OTHERS {
            self.failed(
                Cause::Request(job.requester()),
                FaultReason::from(format!("{} when it was asked", fault.code())),
            );
        }
        let has_time = job.answer_by.is_some_and(|answer_by| now + LEAST_TIME < answer_by);
        has_time
            && job.context.retry == RetryPolicy::Once
            && job.times_asked < fault.times_to_ask()
            && self.refusal(job.requester(), &job.question, now).is_none()
    }

    /// Records a failure. If it opens the circuit, queued requests fail.
    fn failed(&self, cause: Cause<'_>, reason: FaultReason) {
        let now = Instant::now();
        let is_quarantined = {
            let mut troubles = self.troubles();
            troubles.last = Some(reason);
            troubles.circuit_breaker.failed(cause, now);
            troubles.circuit_breaker.pause(now).is_some()
        };
        if is_quarantined {
            for mut job in self.queue.drain() {
                let fault = job.fault.take().or_else(|| self.troubles().unavailable(job.requester(), now));
                job.answer(Err(fault.unwrap_or_else(shutting_down)));
            }
        }
    }

    fn keep_pace(&self, time: Duration) {
        let latest = time.as_micros().max(1) as u64;
        let pace = |before: u64| Some(if before == 0 { latest } else { (before * 7 + latest) / 8 });
        let _ = self.pace_us.fetch_update(Ordering::Relaxed, Ordering::Relaxed, pace);
    }

    /// The longest time in the queue.
    fn queue_time(&self) -> Duration {
        Duration::from_millis(self.settings.move_timeout_ms).max(Duration::from_secs(1)) * 2
    }

    fn queue_full(&self, requester: &Requester) -> Fault {
        Fault::QueueFull { waiting: self.queue.waiting(), retry_after: self.retry_after(requester) }
    }

    fn not_started(&self, requester: &Requester) -> Fault {
        Fault::NotStarted { waited: self.queue_time(), retry_after: self.retry_after(requester) }
    }

    /// When a further request of a requester would start, by the recent time per result.
    fn retry_after(&self, requester: &Requester) -> Duration {
        let turns = (self.queue.ahead_of(requester) / self.states.workers() + 1) as u32;
        let pace = match self.pace_us.load(Ordering::Relaxed) {
            // No result yet.
            0 => Duration::from_millis(self.settings.move_timeout_ms) / 2,
            pace_us => Duration::from_micros(pace_us),
        };
        // Requests that wait longer than the queue time are rejected, so that there is room by then.
        pace.saturating_mul(turns).clamp(SHORTEST_RETRY, self.queue_time())
    }

    fn troubles(&self) -> MutexGuard<'_, Troubles> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Troubles {
    fn unavailable(&self, requester: &Requester, now: Instant) -> Option<Fault> {
        let retry_after = self.circuit_breaker.pause_for(requester, now)?;
        let why = if self.circuit_breaker.pause(now).is_some() {
            "it keeps failing"
        } else if requester.keyed_id().is_some() {
            "requests of this client keep making it fail"
        } else {
            "requests of clients without a key keep making it fail"
        };
        let reason = self.last.as_ref().map(|last| last.summed_up(format!("{why}, the last time: {last}")));
        Some(Fault::Unavailable { reason: reason.unwrap_or_else(|| why.into()), retry_after })
    }
}

/// A place in the queue, released on drop.
struct Place<'a> {
    pool: &'a WorkerPool,
    requester: Requester,
    ticket: Ticket,
}

impl Place<'_> {
    /// Removes the request from the queue. Returns false if it has already started.
    fn gives_up_waiting(&self) -> bool {
        match self.pool.queue.leave(&self.requester, self.ticket) {
            Some(job) if job.answer_by.is_some() => {
                self.pool.queue.give_back(self.ticket, job);
                false
            }
            left => left.is_some(),
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.pool.queue.leave(&self.requester, self.ticket);
    }
}

fn shutting_down() -> Fault {
    Fault::ShuttingDown(SHORTEST_RETRY)
}
