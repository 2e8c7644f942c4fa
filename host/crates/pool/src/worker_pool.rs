//! The worker pool of one AI: its workers, its queue and its recent failures.
//!
//! The pool stops by itself once it is closed and every queued job has a result.

mod back_off;
mod blocked_requests;
mod circuit_breaker;
mod failures;
mod lifecycle;
mod queue;
mod queued_job;
mod remote;
mod remote_slots;
mod search_parts;
mod shared;
mod tenancy;
mod worker;

use std::{collections::BTreeMap, future::pending, sync::Arc, time::Duration};

use ai_api::OptionSetting;
use tokio::{
    sync::{oneshot, watch},
    task::JoinSet,
    time::{Instant, sleep_until},
};

use crate::{
    client_identity::ClientIdentity, fault::Fault, listener::Listener, process::WorkerProcess,
    request_context::RequestContext, request_scope::JobTimes, slot::RemoteSlot, stats::AiStats,
};
use config::AiSettings;
use lifecycle::{States, WorkerEvent};
use protocol::{Job, Response};
use queue::{Rejection, Ticket};
use queued_job::QueuedJob;
use shared::{PoolState, shutting_down};
use worker::Worker;

pub use lifecycle::WorkerState;
pub use remote_slots::SlotCount;
pub(crate) use shared::WorkerSpec;

/// How soon a client may retry a request for an AI that no node offers.
const NO_SLOT_RETRY: Duration = Duration::from_secs(1);
/// How often to check whether a job without a slot has returned to the queue.
const NO_SLOT_CHECK: Duration = Duration::from_millis(50);

/// Dropping it stops the workers after all queued jobs.
#[derive(Debug)]
pub(crate) struct WorkerPool {
    shared: Arc<PoolState>,
}

impl WorkerPool {
    /// Starts the workers as tasks of the calling thread. `first` is the process of the first
    /// worker. If the settings do not give a number, the others start when requests wait.
    pub(crate) fn launch(
        spec: WorkerSpec,
        settings: AiSettings,
        options: Vec<OptionSetting>,
        count: usize,
        first: WorkerProcess,
        stop: &watch::Receiver<bool>,
        workers: &mut JoinSet<()>,
    ) -> Self {
        // If the number is configured, all workers start at once.
        let reserves = match settings.workers {
            Some(_) => count..count,
            None => 1..count,
        };
        let shared = Arc::new(PoolState::new(
            settings,
            options,
            Arc::new(AiStats::new(count)),
            States::new(count, &reserves),
        ));
        let spec = Arc::new(spec);
        // A request may arrive before the first worker's task runs.
        shared.states.apply(0, WorkerEvent::Started);
        let mut first = Some(first);
        for number in 0..count {
            let mut worker =
                Worker::new(Arc::clone(&shared), Arc::clone(&spec), number, stop.clone());
            let is_reserve = reserves.contains(&number);
            let process = first.take();
            workers.spawn(async move {
                if !is_reserve || worker.is_needed().await {
                    Box::pin(worker.run(process)).await;
                }
            });
        }
        Self { shared }
    }

    /// Creates a pool without workers, for slots on other machines.
    pub(crate) fn without_workers(
        settings: AiSettings,
        options: Vec<OptionSetting>,
        stats: Arc<AiStats>,
    ) -> Self {
        Self {
            shared: Arc::new(PoolState::new(settings, options, stats, States::default())),
        }
    }

    /// Runs jobs in a node's slot until the node is gone or the pool is dropped.
    pub(crate) fn serve<S: RemoteSlot>(
        &self,
        node: String,
        slot: S,
    ) -> impl Future<Output = ()> + use<S> {
        let shared = Arc::clone(&self.shared);
        async move { remote::serve(&shared, &node, slot).await }
    }

    /// Returns the slots on other machines, by node.
    pub(crate) fn remote_slots(&self) -> BTreeMap<String, SlotCount> {
        self.shared.remote.counts()
    }

    /// Returns the result of a job. Dropping the future cancels the job, even if it is running.
    pub(crate) fn run(
        &self,
        context: RequestContext,
        job: Job,
        listener: Option<Box<dyn Listener>>,
    ) -> impl Future<Output = Result<Response, Fault>> + use<> {
        Arc::clone(&self.shared).run(context, job, listener)
    }

    pub(crate) fn stats(&self) -> &Arc<AiStats> {
        &self.shared.stats
    }
    pub(crate) fn options(&self) -> &[OptionSetting] {
        &self.shared.options
    }

    pub(crate) fn state(&self) -> WorkerState {
        let remote = self.shared.remote.counts().into_values();
        let remote = remote.map(|count| {
            if count.busy < count.slots {
                WorkerState::Ready
            } else {
                WorkerState::Busy
            }
        });
        let best = remote
            .max()
            .unwrap_or(WorkerState::Failed)
            .max(self.shared.states.best());
        if best != WorkerState::Draining && self.shared.is_quarantined() {
            WorkerState::Quarantined
        } else {
            best
        }
    }

    /// Returns whether the pool accepts jobs from a client that has no failures.
    pub(crate) fn is_available(&self) -> bool {
        let has_slots = self.shared.states.workers() + self.shared.remote.count() > 0;
        has_slots && self.shared.open_for(Instant::now()).is_none()
    }

    pub(crate) fn workers_by_state(&self) -> Vec<(WorkerState, usize)> {
        self.shared.states.counts()
    }

    /// Returns how long the oldest queued job has waited; zero if the queue is empty.
    pub(crate) fn longest_wait(&self) -> Duration {
        self.shared
            .queue
            .least(|job| job.entered)
            .map(|entered| entered.elapsed())
            .unwrap_or_default()
    }

    pub(crate) fn queue_length(&self) -> usize {
        self.shared.queue.waiting()
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.shared.close();
    }
}

impl PoolState {
    async fn run(
        self: Arc<Self>,
        context: RequestContext,
        job: Job,
        listener: Option<Box<dyn Listener>>,
    ) -> Result<Response, Fault> {
        let (now, client) = (Instant::now(), context.client.clone());
        let times = JobTimes::of_current(&self.settings.id);
        if context.local_only && self.states.workers() == 0 {
            let reason = "only nodes run it, and this client may use only this machine".into();
            return Err(Fault::Unavailable {
                reason,
                retry_after: NO_SLOT_RETRY,
            });
        }
        if let Some(rejection) = self.rejection(&client, &job, now) {
            return Err(rejection);
        }
        let (reply, mut answer) = oneshot::channel();
        let (queued_until, deadline) = watch::channel(now + self.queue_time());
        let queued = Box::new(QueuedJob::new(
            job,
            context,
            listener,
            queued_until,
            reply,
            times.clone(),
        ));
        let entered = self
            .queue
            .enter(queued)
            .map_err(|rejection| match rejection {
                Rejection::Full => self.queue_full(&client),
                Rejection::Closed => shutting_down(),
            })?;
        if let Some(evicted) = entered.evicted {
            let queue_full = self.queue_full(evicted.client());
            evicted.finish(Err(queue_full));
        }
        let place = QueuePlace {
            shared: &self,
            client,
            ticket: entered.ticket,
            times,
        };
        let outcome = tokio::select! {
            biased;
            outcome = &mut answer => outcome,
            () = self.no_slot_left(&place) => return Err(Fault::Unavailable {
                reason: "no node currently offers it".into(),
                retry_after: NO_SLOT_RETRY,
            }),
            overdue = place.overdue(deadline) => return overdue,
        };
        outcome.unwrap_or_else(|_| Err(shutting_down()))
    }

    /// Resolves once the pool has had no slot for some time and the job is removed from the queue.
    async fn no_slot_left(&self, place: &QueuePlace<'_>) {
        loop {
            if self.states.workers() > 0 {
                return pending().await;
            }
            self.remote.absent().await;
            if self.queue.leave(&place.client, place.ticket).is_some() {
                return;
            }
            // Its slot is gone, but has not returned the job yet.
            sleep_until(Instant::now() + NO_SLOT_CHECK).await;
        }
    }
}

/// Waits until a slot returns the job to the queue.
async fn next_deadline(deadline: &mut watch::Receiver<Instant>) {
    if deadline.changed().await.is_err() {
        // The sender is gone, because the job has its result.
        pending::<()>().await;
    }
}

/// A place in the queue, which is released when this is dropped.
struct QueuePlace<'a> {
    shared: &'a PoolState,
    client: ClientIdentity,
    ticket: Ticket,
    times: Option<Arc<JobTimes>>,
}

impl QueuePlace<'_> {
    /// Resolves once the job has been in the queue for too long and is removed from it. A slot that
    /// runs the job has its own deadline; a job that it returns gets a new deadline in the queue.
    /// An analysis that has waited too long to continue returns what it has found so far.
    async fn overdue(&self, mut deadline: watch::Receiver<Instant>) -> Result<Response, Fault> {
        loop {
            let queued_until = *deadline.borrow_and_update();
            tokio::select! {
                biased;
                () = next_deadline(&mut deadline) => continue,
                () = sleep_until(queued_until) => {}
            }
            match self.shared.queue.leave(&self.client, self.ticket) {
                // A slot has returned the job in the meantime.
                Some(job) if deadline.has_changed().unwrap_or(false) => {
                    self.shared.queue.give_back(self.ticket, job);
                }
                Some(mut job) => {
                    let fault = job.fault.take();
                    let fault = fault.unwrap_or_else(|| self.shared.not_started(&self.client));
                    return job.with_found(Err(fault));
                }
                None => next_deadline(&mut deadline).await,
            }
        }
    }
}

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        self.shared.queue.leave(&self.client, self.ticket);
        if let Some(times) = &self.times {
            times.end();
        }
    }
}
