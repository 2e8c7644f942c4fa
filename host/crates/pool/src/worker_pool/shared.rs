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
    lifecycle::{States, WorkerEvent},
    queue::{Queue, Ticket},
    queued_job::QueuedJob,
    remote_slots::RemoteSlots,
};
use crate::{
    client_identity::ClientIdentity,
    fault::{Fault, FaultReason},
    process::{TimeAllowed, WorkerProcess},
    request_context::RetryPolicy,
    request_scope::SlotId,
    start::error::StartError,
    stats::AiStats,
    worker_program::WorkerProgram,
};
use config::AiSettings;
use library::SealedLibrary;
use protocol::{Job, Response};

const SHORTEST_RETRY: Duration = Duration::from_secs(1);
/// A signal from outside may kill a worker and its successor. A job that loses a third worker is
/// itself at fault, or exhausts the machine's memory.
const MAX_KILLS_FROM_OUTSIDE: u32 = 2;
/// A job is retried only if it has more than this much time left.
const MIN_RETRY_TIME: Duration = Duration::from_millis(50);

/// What it takes to start a pool's processes, apart from the settings.
#[derive(Debug)]
pub(crate) struct WorkerSpec {
    pub(crate) program: WorkerProgram,
    pub(crate) library: Arc<SealedLibrary>,
}

impl WorkerSpec {
    /// Starts a process and creates the instance.
    pub(super) async fn start(&self, shared: &PoolState) -> Result<WorkerProcess, StartError> {
        let (settings, options) = (&shared.settings, &shared.options);
        let (process, _) =
            WorkerProcess::start(&self.program, &self.library, settings, options).await?;
        let process = process.create(options.clone()).await?;
        process.with_checked_files(settings).await
    }
}

#[derive(Debug)]
pub(super) struct PoolState {
    pub(super) settings: AiSettings,
    /// The value of every option.
    pub(super) options: Vec<OptionSetting>,
    pub(super) queue: Queue<Box<QueuedJob>>,
    pub(super) states: States,
    pub(super) remote: RemoteSlots,
    pub(super) stats: Arc<AiStats>,
    /// Never held together with a queue lock.
    failures: Mutex<Failures>,
    /// The recent time per job in microseconds; 0 before the first job.
    pace_us: AtomicU64,
}

impl PoolState {
    /// Creates the state of a pool with these workers, none of which has started.
    pub(super) fn new(
        settings: AiSettings,
        options: Vec<OptionSetting>,
        stats: Arc<AiStats>,
        workers: States,
    ) -> Self {
        Self {
            queue: Queue::new(settings.queue_capacity),
            states: workers,
            remote: RemoteSlots::default(),
            settings,
            options,
            stats,
            failures: Mutex::default(),
            pace_us: AtomicU64::new(0),
        }
    }

    /// Stops the workers after all queued jobs.
    pub(super) fn close(&self) {
        self.queue.close();
        (0..self.states.workers())
            .for_each(|worker| self.states.apply(worker, WorkerEvent::Closed));
    }

    /// Stops the workers; queued jobs fail.
    pub(super) fn shut_down(&self) {
        self.close();
        self.queue
            .drain()
            .into_iter()
            .for_each(|job| job.finish(Err(shutting_down())));
    }

    pub(super) fn rejection(
        &self,
        client: &ClientIdentity,
        job: &Job,
        now: Instant,
    ) -> Option<Fault> {
        self.failures().rejection(client, job, now)
    }

    /// Returns the reason to reject a job at the head of the queue.
    pub(super) fn rejection_at_head(&self, job: &mut QueuedJob, now: Instant) -> Option<Fault> {
        match job.finish_by {
            // The client has disconnected.
            _ if job.reply.is_closed() => Some(self.not_started(job.client())),
            // An analysis that has waited too long to continue.
            Some(_) if job.found.is_some() && now > *job.queued_until.borrow() => {
                Some(self.not_started(job.client()))
            }
            None if now > *job.queued_until.borrow() => Some(self.not_started(job.client())),
            Some(finish_by) if now >= finish_by => job.fault.take(),
            _ => self.rejection(job.client(), &job.job, now),
        }
    }

    /// Records an attempt at a job that began at this time.
    pub(super) fn record_attempt(
        &self,
        job: &QueuedJob,
        began: Instant,
        response: Option<&Response>,
    ) {
        if job.attempts == 1 && job.found.is_none() {
            self.stats
                .waiting
                .observe((began - job.entered).as_secs_f64());
        }
        self.stats
            .record_job(&job.job.task, began.elapsed(), response);
    }

    /// Counts an attempt at a job and returns the time allowed for it.
    pub(super) fn begin_attempt(
        &self,
        job: &mut QueuedJob,
        now: Instant,
        slot: SlotId<'_>,
    ) -> TimeAllowed {
        if let Some(times) = &job.times {
            times.start(now, slot);
        }
        let job_time = job
            .context
            .time_allowed
            .unwrap_or_else(|| self.move_timeout());
        let finish_by = *job.finish_by.get_or_insert(now + job_time);
        job.attempts += 1;
        let preparation = Duration::from_millis(self.settings.new_game_timeout_ms);
        TimeAllowed {
            preparation,
            job: job_time,
            left: finish_by - now,
        }
    }

    /// Puts a job that killed its worker back into the queue, or fails it.
    pub(super) fn retry_or_fail(
        &self,
        ticket: Ticket,
        mut job: Box<QueuedJob>,
        fault: Fault,
        time: Duration,
    ) {
        if self.record_kill(&job, &fault, time) {
            job.fault = Some(fault);
            self.give_back(ticket, job);
        } else {
            job.finish(Err(fault));
        }
    }

    /// Puts a job back at the head of the queue. A job that was started may wait there until its
    /// deadline for a result.
    pub(super) fn give_back(&self, ticket: Ticket, job: Box<QueuedJob>) {
        job.queued_until
            .send_modify(|until| *until = job.finish_by.unwrap_or(*until));
        self.queue.give_back(ticket, job);
    }

    /// Puts an analysis that has yielded back into the queue. It must resume early enough for the
    /// AI to stop before the deadline for the result.
    pub(super) fn give_back_interrupted(&self, ticket: Ticket, job: Box<QueuedJob>) {
        let time_to_stop = 2 * self.settings.stop_grace();
        if let Some(finish_by) = job.finish_by {
            let go_on_by = finish_by.checked_sub(time_to_stop);
            job.queued_until
                .send_replace(go_on_by.unwrap_or(job.entered));
        }
        self.queue.give_back(ticket, job);
    }

    pub(super) fn open_for(&self, now: Instant) -> Option<Duration> {
        self.failures().circuit_breaker.open_for(now)
    }

    pub(super) fn is_quarantined(&self) -> bool {
        self.failures()
            .circuit_breaker
            .is_quarantined(Instant::now())
    }

    pub(super) fn record_success(&self, job: &QueuedJob, time: Duration) {
        self.record_pace(time);
        let mut failures = self.failures();
        failures
            .circuit_breaker
            .record_success(job.client(), Instant::now());
        failures.blocked_requests.clear(&job.job);
    }

    /// Records that a job killed a worker. Returns whether it may be retried.
    pub(super) fn record_kill(&self, job: &QueuedJob, fault: &Fault, time: Duration) -> bool {
        let now = Instant::now();
        if fault.kills_worker() {
            self.record_pace(time);
        }
        if fault.is_ai_fault() {
            self.failures()
                .blocked_requests
                .record_kill(&job.job, fault, now);
        }
        if fault.is_ai_fault() || job.attempts > MAX_KILLS_FROM_OUTSIDE {
            let reason = format!("{} when asked", fault.code());
            self.record_failure(Cause::Request(job.client()), reason.into());
        }
        let has_time = job
            .finish_by
            .is_some_and(|finish_by| now + MIN_RETRY_TIME < finish_by);
        has_time
            && job.context.retry == RetryPolicy::Once
            && job.attempts < fault.max_attempts()
            && self.rejection(job.client(), &job.job, now).is_none()
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
                let fault = job
                    .fault
                    .take()
                    .or_else(|| self.failures().unavailable(job.client(), now));
                job.finish(Err(fault.unwrap_or_else(shutting_down)));
            }
        }
    }

    pub(super) fn record_pace(&self, time: Duration) {
        let latest = time.as_micros().max(1) as u64;
        let pace = |before: u64| {
            Some(if before == 0 {
                latest
            } else {
                (before * 7 + latest) / 8
            })
        };
        let _ = self
            .pace_us
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, pace);
    }

    /// Returns the longest time that a job may wait in the queue.
    pub(super) fn queue_time(&self) -> Duration {
        self.move_timeout().max(Duration::from_secs(1)) * 2
    }

    pub(super) fn move_timeout(&self) -> Duration {
        Duration::from_millis(self.settings.move_timeout_ms)
    }

    pub(super) fn queue_full(&self, client: &ClientIdentity) -> Fault {
        Fault::QueueFull {
            waiting: self.queue.waiting(),
            retry_after: self.retry_after(client),
        }
    }

    pub(super) fn not_started(&self, client: &ClientIdentity) -> Fault {
        Fault::NotStarted {
            waited: self.queue_time(),
            retry_after: self.retry_after(client),
        }
    }

    /// Estimates, from the recent time per job, when another job of a client would start.
    fn retry_after(&self, client: &ClientIdentity) -> Duration {
        let slots = (self.states.workers() + self.remote.count()).max(1);
        let turns = (self.queue.ahead_of(client) / slots + 1) as u32;
        let pace = match self.pace_us.load(Ordering::Relaxed) {
            // No result yet.
            0 => self.move_timeout() / 2,
            pace_us => Duration::from_micros(pace_us),
        };
        // Jobs that wait longer than the queue time are rejected, so there is room by then.
        pace.saturating_mul(turns)
            .clamp(SHORTEST_RETRY, self.queue_time())
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn shutting_down() -> Fault {
    Fault::ShuttingDown(SHORTEST_RETRY)
}
