//! A worker slot in a pool: runs a process and replaces it when it stops.

use std::{future::pending, sync::Arc, time::Duration};

use ai_api::SearchResult;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};
use tracing::Instrument;

use super::{
    back_off::{BackOff, chance},
    circuit_breaker::Cause,
    lifecycle::WorkerEvent,
    queue::{Consumer, Ticket},
    queued_job::QueuedJob,
    shared::{PoolState, WorkerSpec},
    tenancy::{Fit, may_share},
};
use crate::{
    client_identity::ClientIdentity,
    fault::{Fault, FaultReason},
    process::{IdleFailure, WorkerProcess},
    request_scope::{RequestScope, SlotId},
    start::error::StartError,
};
use config::Isolation;
use protocol::Response;

/// Losing a process that has run this long does not count as a failed start.
const LONG_LIFE: Duration = Duration::from_mins(1);

/// The shortest time that a search runs before it yields.
const SHORTEST_PART: Duration = Duration::from_millis(50);

/// A slot for one process at a time.
pub(super) struct Worker {
    shared: Arc<PoolState>,
    spec: Arc<WorkerSpec>,
    number: usize,
    stop: watch::Receiver<bool>,
    back_off: BackOff,
    started_at: Instant,
    /// The delay before the next start, after a loss.
    pause: Option<Duration>,
    /// The client that the process has served, for an isolated AI.
    served: Option<ClientIdentity>,
    /// Set when a job calls for a reserve, until the reserve waits for jobs or fails to start.
    called: Option<CalledWorker>,
    /// Set at the end of a job, until the worker waits for the next one.
    finishing: Option<FinishingWorker>,
    /// A job that waits for a fresh process in this slot.
    held: Option<(Ticket, Box<QueuedJob>)>,
}

/// Until it is dropped, counts a worker as about to wait for the next job.
struct FinishingWorker(Arc<PoolState>);

impl FinishingWorker {
    fn new(shared: &Arc<PoolState>) -> Self {
        shared.queue.add_finishing_worker();
        Self(Arc::clone(shared))
    }
}

impl Drop for FinishingWorker {
    fn drop(&mut self) {
        self.0.queue.remove_finishing_worker();
    }
}

/// Until it is dropped, counts a reserve as about to wait for a job.
struct CalledWorker(Arc<PoolState>);

impl Drop for CalledWorker {
    fn drop(&mut self) {
        self.0.queue.remove_called_reserve();
    }
}

/// Until it is dropped, counts a worker as yielding to a waiting job.
struct YieldingWorker(Arc<PoolState>);

impl YieldingWorker {
    /// Waits until a job that plays needs this worker, which has been running its job since
    /// `since`.
    async fn when_needed(shared: &Arc<PoolState>, job_may_yield: bool, since: Instant) -> Self {
        if !job_may_yield {
            return pending().await;
        }
        sleep_until(since + SHORTEST_PART).await;
        shared.queue.yield_needed().await;
        Self(Arc::clone(shared))
    }
}

impl Drop for YieldingWorker {
    fn drop(&mut self) {
        self.0.queue.remove_yielding_worker();
    }
}

/// The next step of a worker.
enum WorkerStep {
    Run(Ticket, Box<QueuedJob>),
    Replace(IdleFailure),
    Stop,
}

impl Worker {
    pub(super) fn new(
        shared: Arc<PoolState>,
        spec: Arc<WorkerSpec>,
        number: usize,
        stop: watch::Receiver<bool>,
    ) -> Self {
        Self {
            shared,
            spec,
            number,
            stop,
            back_off: BackOff::default(),
            started_at: Instant::now(),
            pause: None,
            served: None,
            called: None,
            finishing: None,
            held: None,
        }
    }

    /// Waits until there is a queued job for which no worker is free. Returns false if the worker
    /// must stop.
    pub(super) async fn is_needed(&mut self) -> bool {
        let shared = Arc::clone(&self.shared);
        let is_needed = self
            .unless_stopped(shared.queue.reserve_needed())
            .await
            .is_some();
        if is_needed {
            self.called = Some(CalledWorker(shared));
            self.apply(WorkerEvent::Needed);
        }
        is_needed
    }

    /// Runs until the server stops or the pool is closed and empty. The first worker of an AI
    /// starts with a process.
    pub(super) async fn run(mut self, first: Option<WorkerProcess>) {
        let mut process = first;
        loop {
            if process.is_none() {
                process = self.start().await;
            }
            let Some(mut running) = process.take() else {
                return;
            };
            self.shared.stats.record_start(self.number, running.id());
            let next = match self.held.take() {
                Some((ticket, job)) => WorkerStep::Run(ticket, job),
                None => self.next(&mut running).await,
            };
            match next {
                WorkerStep::Run(ticket, job) if self.must_be_replaced_for(&job) => {
                    self.held = Some((ticket, job));
                    self.replace(running).await;
                }
                WorkerStep::Run(ticket, job) => {
                    process = self.run_in_span(ticket, job, running).await;
                    if self
                        .served
                        .as_ref()
                        .is_some_and(|served| !may_share(served))
                        && let Some(spent) = process.take()
                    {
                        self.replace(spent).await;
                    }
                }
                WorkerStep::Replace(failure) => {
                    self.record_loss();
                    let (fault, output) = running.into_idle_fault(failure).await;
                    self.shared.stats.record_fault(&fault, output);
                    self.record_failure(&StartError::Idle(fault));
                }
                WorkerStep::Stop => return running.stop().await,
            }
        }
    }

    /// Starts a process, with retries; `None` if the worker must stop.
    async fn start(&mut self) -> Option<WorkerProcess> {
        loop {
            if let Some(pause) = self.pause.take() {
                self.wait_out(pause).await?;
                self.apply(WorkerEvent::Retried);
            }
            let (shared, spec) = (Arc::clone(&self.shared), Arc::clone(&self.spec));
            match self.unless_stopped(spec.start(&shared)).await? {
                Ok(process) => {
                    self.started_at = Instant::now();
                    self.served = None;
                    self.apply(WorkerEvent::Started);
                    return Some(process);
                }
                Err(error) => {
                    self.called = None;
                    self.record_loss();
                    if let Some((ticket, job)) = self.held.take() {
                        self.shared.give_back(ticket, job);
                    }
                    self.record_failure(&error);
                }
            }
        }
    }

    /// Returns whether the process has served a client that may not share it with this one.
    fn must_be_replaced_for(&self, job: &QueuedJob) -> bool {
        self.is_isolated() && Fit::of(self.served.as_ref(), job.client()) == Fit::Replaced
    }

    fn is_isolated(&self) -> bool {
        self.shared.settings.isolate == Isolation::Client
    }

    /// Replaces a healthy process with a fresh one.
    async fn replace(&mut self, process: WorkerProcess) {
        self.finishing = None;
        self.apply(WorkerEvent::Replaced);
        process.kill().await;
    }

    /// Waits until the delay after a loss is over and the circuit is closed.
    async fn wait_out(&mut self, pause: Duration) -> Option<()> {
        let mut until = Instant::now() + pause;
        let mut is_open = false;
        loop {
            let now = Instant::now();
            if let Some(open_for) = self.shared.open_for(now) {
                until = until.max(now + open_for);
                if !is_open {
                    is_open = true;
                    self.apply(WorkerEvent::CircuitOpened);
                }
            } else if until <= now {
                return Some(());
            }
            self.unless_stopped(sleep_until(until)).await?;
        }
    }

    /// Runs a future unless the worker must stop first.
    async fn unless_stopped<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let is_held = self.held.is_some();
        tokio::select! {
            biased;
            _ = self.stop.wait_for(|stop| *stop) => {
                self.shared.shut_down();
                None
            }
            () = self.shared.queue.finished(), if !is_held => None,
            done = work => Some(done),
        }
    }

    async fn next(&mut self, running: &mut WorkerProcess) -> WorkerStep {
        let last = running.last_job();
        let consumer = if self.is_isolated() {
            Consumer::IsolatedWorker {
                served: self.served.clone(),
                last,
            }
        } else {
            Consumer::Worker { last }
        };
        self.called = None;
        let queued = self.shared.queue.next(consumer);
        let step = tokio::select! {
            biased;
            _ = self.stop.wait_for(|stop| *stop) => {
                self.shared.shut_down();
                WorkerStep::Stop
            }
            failure = running.idle_failure() => WorkerStep::Replace(failure),
            taken = queued => match taken {
                Some((ticket, job)) => WorkerStep::Run(ticket, job),
                None => WorkerStep::Stop,
            },
        };
        self.finishing = None;
        step
    }

    /// Runs a job in a span with the request, the AI and the process.
    async fn run_in_span(
        &mut self,
        ticket: Ticket,
        job: Box<QueuedJob>,
        running: WorkerProcess,
    ) -> Option<WorkerProcess> {
        let request = job.request().cloned();
        let span =
            SlotId::Worker(running.id()).job_span(&self.shared.settings.id, request.as_deref());
        RequestScope::enter(request, self.run_job(ticket, job, running))
            .instrument(span)
            .await
    }

    /// Returns the process unless the job killed it.
    async fn run_job(
        &mut self,
        ticket: Ticket,
        mut job: Box<QueuedJob>,
        mut running: WorkerProcess,
    ) -> Option<WorkerProcess> {
        let now = Instant::now();
        if let Some(rejection) = self.shared.rejection_at_head(&mut job, now) {
            job.finish(Err(rejection));
            return Some(running);
        }
        if self.is_isolated() {
            self.served = Some(job.client().clone());
        }
        self.apply(WorkerEvent::JobStarted);
        let time_allowed = self
            .shared
            .begin_attempt(&mut job, now, SlotId::Worker(running.id()));
        let mut yielding = None;
        let may_yield = job.may_yield();
        let yields = async {
            yielding = Some(YieldingWorker::when_needed(&self.shared, may_yield, now).await);
        };
        let result = job.run(&mut running, time_allowed, yields).await;
        let time = now.elapsed();
        self.shared.record_attempt(&job, now, result.as_ref().ok());
        if let Err(fault) = &result
            && !job.reply.is_closed()
        {
            self.shared.stats.record_fault(fault, running.output());
        }
        // Frees the slot before the client receives the result and can send another request.
        match &result {
            Ok(_) => {
                self.shared.record_success(&job, time);
                self.back_off.reset();
            }
            Err(fault) if fault.kills_worker() => {
                self.record_loss();
                self.retry_or_fail(ticket, job, fault.clone(), time);
                running.kill().await;
                return None;
            }
            Err(fault) => {
                tracing::warn!(code = %fault.code(), fault = %fault.in_full(), "request failed");
                self.shared.record_pace(time);
            }
        }
        self.apply(WorkerEvent::JobFinished);
        self.finishing = Some(FinishingWorker::new(&self.shared));
        match result {
            Ok(Response::Searched(part)) if yielding.is_some() && !job.reply.is_closed() => {
                self.interrupt(ticket, job, part, time);
            }
            result => job.finish(result),
        }
        Some(running)
    }

    /// Puts an analysis back into the queue unless little of its time is left.
    fn interrupt(
        &self,
        ticket: Ticket,
        mut job: Box<QueuedJob>,
        part: SearchResult,
        time: Duration,
    ) {
        match job.interrupt(part, time) {
            Ok(()) => self.shared.give_back_interrupted(ticket, job),
            Err(found) => job.finish(Ok(Response::Searched(found))),
        }
    }

    /// Retries or fails a job that killed the worker.
    fn retry_or_fail(&mut self, ticket: Ticket, job: Box<QueuedJob>, fault: Fault, time: Duration) {
        let code = fault.code();
        if job.reply.is_closed() {
            // This is not a failure: the client disconnected, so the AI had little time to stop.
            tracing::info!(%code, "replacing a worker that did not stop after its client \
                disconnected");
            return;
        }
        tracing::warn!(%code, fault = %fault.in_full(), "replacing a worker");
        self.shared.retry_or_fail(ticket, job, fault, time);
    }

    /// Records the loss of the process, or a failed start.
    fn record_loss(&mut self) {
        if self.started_at.elapsed() >= LONG_LIFE {
            self.back_off.reset();
        }
        self.pause = Some(self.back_off.after_loss(chance()));
        self.apply(WorkerEvent::Lost);
    }

    /// Records a failure outside a job: in an idle process, or while a process starts.
    fn record_failure(&self, error: &StartError) {
        let (ai, full) = (&self.shared.settings.id, error.in_full());
        let reason = FaultReason::from(error.summary()).with_details(full.as_str());
        if !matches!(error, StartError::Idle(_)) {
            let retry_after = self.pause.unwrap_or_default();
            self.shared.stats.record_failed_start(Fault::Unavailable {
                reason: reason.clone(),
                retry_after,
            });
        }
        tracing::error!(%ai, error = %full, "worker unavailable; restarting");
        // Any other cause is a signal from outside.
        if error.is_ai_fault() {
            self.shared.record_failure(Cause::Ai, reason);
        }
    }

    fn apply(&self, event: WorkerEvent) {
        self.shared.states.apply(self.number, event);
    }
}
