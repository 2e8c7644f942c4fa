//! The state that a pool shares with its workers.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use ai_api::OptionSetting;
use tokio::time::Instant;

use super::{
    circuit_breaker::Cause,
    failures::Failures,
    lifecycle::{Event, States},
    queue::Queue,
    queued_job::QueuedJob,
};
use crate::{
    fault::{Fault, FaultReason},
    process::WorkerProcess,
    request_context::RetryPolicy,
    requester::Requester,
    start_error::StartError,
    stats::AiStats,
    worker_program::WorkerProgram,
};
use config::AiSettings;
use library::SealedLibrary;
use protocol::Job;

const SHORTEST_RETRY: Duration = Duration::from_secs(1);
/// A signal from outside may kill a worker and its successor. A job that kills a third one is the cause itself, or exhausts
/// the memory of the machine.
const MAX_KILLS_FROM_OUTSIDE: u32 = 2;
/// A job is retried only if more of its time is left.
const MIN_RETRY_TIME: Duration = Duration::from_millis(50);

/// The library, settings and options that every process of a pool starts with.
#[derive(Debug)]
pub(crate) struct WorkerSpec {
    pub(crate) settings: AiSettings,
    pub(crate) program: WorkerProgram,
    pub(crate) library: Arc<SealedLibrary>,
    pub(crate) options: Vec<OptionSetting>,
}

impl WorkerSpec {
    /// Starts a process and creates the instance.
    pub(super) async fn start(&self) -> Result<WorkerProcess, StartError> {
        let (program, settings) = (&self.program, &self.settings);
        let (process, _) = WorkerProcess::start(program, &self.library, settings, &self.options).await?;
        process.create(self.options.clone()).await
    }
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) spec: WorkerSpec,
    pub(super) queue: Queue<Box<QueuedJob>>,
    pub(super) states: States,
    pub(super) stats: Arc<AiStats>,
    /// Never held together with a lock of the queue.
    failures: Mutex<Failures>,
    /// The recent time per job in microseconds; 0 before the first one.
    pace_us: AtomicU64,
}

impl Shared {
    pub(super) fn new(spec: WorkerSpec, stats: Arc<AiStats>) -> Self {
        Self {
            queue: Queue::new(spec.settings.queue_capacity),
            states: States::new(spec.settings.workers),
            spec,
            stats,
            failures: Mutex::default(),
            pace_us: AtomicU64::new(0),
        }
    }

    /// Stops the workers after all queued jobs.
    pub(super) fn close(&self) {
        self.queue.close();
        (0..self.states.workers()).for_each(|worker| self.states.apply(worker, Event::Closed));
    }

    /// Stops the workers; queued jobs fail.
    pub(super) fn shut_down(&self) {
        self.close();
        self.queue.drain().into_iter().for_each(|job| job.finish(Err(shutting_down())));
    }

    pub(super) fn rejection(&self, requester: &Requester, job: &Job, now: Instant) -> Option<Fault> {
        self.failures().rejection(requester, job, now)
    }

    pub(super) fn open_for(&self, now: Instant) -> Option<Duration> {
        self.failures().circuit_breaker.open_for(now)
    }

    pub(super) fn is_quarantined(&self) -> bool {
        self.failures().circuit_breaker.is_quarantined(Instant::now())
    }

    pub(super) fn record_success(&self, job: &QueuedJob, time: Duration) {
        self.record_pace(time);
        let mut failures = self.failures();
        failures.circuit_breaker.record_success(job.requester(), Instant::now());
        failures.blocked_requests.clear(&job.job);
    }

    /// Records that a job killed a worker. Returns whether it may be retried.
    pub(super) fn record_kill(&self, job: &QueuedJob, fault: &Fault, time: Duration) -> bool {
        self.record_pace(time);
        let now = Instant::now();
        if fault.is_ai_fault() {
            self.failures().blocked_requests.record_kill(&job.job, fault, now);
        }
        if fault.is_ai_fault() || job.attempts > MAX_KILLS_FROM_OUTSIDE {
            let reason = format!("{} when it was asked", fault.code());
            self.record_failure(Cause::Request(job.requester()), reason.into());
        }
        let has_time = job.finish_by.is_some_and(|finish_by| now + MIN_RETRY_TIME < finish_by);
        has_time
            && job.context.retry == RetryPolicy::Once
            && job.attempts < fault.max_attempts()
            && self.rejection(job.requester(), &job.job, now).is_none()
    }

    /// Records a failure. If it opens the circuit, queued jobs fail.
    pub(super) fn record_failure(&self, cause: Cause<'_>, reason: FaultReason) {
        let now = Instant::now();
        let is_open = {
            let mut failures = self.failures();
            failures.last = Some(reason);
            failures.circuit_breaker.record_failure(cause, now);
            failures.circuit_breaker.open_for(now).is_some()
        };
        if is_open {
            for mut job in self.queue.drain() {
                let fault = job.fault.take().or_else(|| self.failures().unavailable(job.requester(), now));
                job.finish(Err(fault.unwrap_or_else(shutting_down)));
            }
        }
    }

    pub(super) fn record_pace(&self, time: Duration) {
        let latest = time.as_micros().max(1) as u64;
        let pace = |before: u64| Some(if before == 0 { latest } else { (before * 7 + latest) / 8 });
        let _ = self.pace_us.fetch_update(Ordering::Relaxed, Ordering::Relaxed, pace);
    }

    /// Returns the longest time in the queue.
    pub(super) fn queue_time(&self) -> Duration {
        self.move_timeout().max(Duration::from_secs(1)) * 2
    }

    pub(super) fn move_timeout(&self) -> Duration {
        Duration::from_millis(self.spec.settings.move_timeout_ms)
    }

    pub(super) fn queue_full(&self, requester: &Requester) -> Fault {
        Fault::QueueFull { waiting: self.queue.waiting(), retry_after: self.retry_after(requester) }
    }

    pub(super) fn not_started(&self, requester: &Requester) -> Fault {
        Fault::NotStarted { waited: self.queue_time(), retry_after: self.retry_after(requester) }
    }

    /// Estimates when a further job of a requester would start, by the recent time per job.
    fn retry_after(&self, requester: &Requester) -> Duration {
        let turns = (self.queue.ahead_of(requester) / self.states.workers() + 1) as u32;
        let pace = match self.pace_us.load(Ordering::Relaxed) {
            // No result yet.
            0 => self.move_timeout() / 2,
            pace_us => Duration::from_micros(pace_us),
        };
        // Jobs that wait longer than the queue time are rejected, so that there is room by then.
        pace.saturating_mul(turns).clamp(SHORTEST_RETRY, self.queue_time())
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn shutting_down() -> Fault {
    Fault::ShuttingDown(SHORTEST_RETRY)
}
