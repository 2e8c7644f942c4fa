//! The worker pool of one AI: its workers, its queue and its recent failures.
//!
//! The pool stops by itself after it is closed, once every queued job has a result.

mod back_off;
mod blocked_requests;
mod circuit_breaker;
mod failures;
mod lifecycle;
mod queue;
mod queued_job;
mod shared;
mod tenancy;
mod worker;

use std::sync::Arc;

use ai_api::OptionSetting;
use tokio::{
    sync::{oneshot, watch},
    task::JoinSet,
    time::{Instant, sleep_until},
};

use crate::{
    fault::Fault, listener::Listener, process::WorkerProcess, request_context::RequestContext,
    requester::Requester, stats::AiStats,
};
use lifecycle::Event;
use protocol::{Job, Response};
use queue::{Rejection, Ticket};
use queued_job::QueuedJob;
use shared::{Shared, shutting_down};
use worker::Worker;

pub use lifecycle::State;
pub(crate) use shared::WorkerSpec;

/// Dropping it stops the workers after all queued jobs.
#[derive(Debug)]
pub(crate) struct WorkerPool {
    shared: Arc<Shared>,
}

impl WorkerPool {
    /// Starts the workers as tasks of the calling thread. `first` is the process of the first one.
    pub(crate) fn launch(
        spec: WorkerSpec,
        stats: Arc<AiStats>,
        first: WorkerProcess,
        stop: &watch::Receiver<bool>,
        workers: &mut JoinSet<()>,
    ) -> Self {
        let shared = Arc::new(Shared::new(spec, stats));
        // A request may arrive before the task of the first worker runs.
        shared.states.apply(0, Event::Started);
        let mut first = Some(first);
        for number in 0..shared.states.workers() {
            let worker = Worker::new(Arc::clone(&shared), number, stop.clone());
            workers.spawn(worker.run(first.take()));
        }
        Self { shared }
    }

    /// Returns the result of a job. Dropping the future cancels the job, queued or running.
    pub(crate) async fn run(
        &self,
        context: RequestContext,
        job: Job,
        listener: Option<Box<dyn Listener>>,
    ) -> Result<Response, Fault> {
        let (now, requester) = (Instant::now(), context.requester.clone());
        if let Some(rejection) = self.shared.rejection(&requester, &job, now) {
            return Err(rejection);
        }
        let (reply, mut result) = oneshot::channel();
        let start_by = now + self.shared.queue_time();
        let queued = Box::new(QueuedJob::new(job, context, listener, start_by, reply));
        let entered = self.shared.queue.enter(&requester, queued).map_err(|rejection| match rejection {
            Rejection::Full => self.shared.queue_full(&requester),
            Rejection::Closed => shutting_down(),
        })?;
        if let Some(evicted) = entered.evicted {
            let queue_full = self.shared.queue_full(evicted.requester());
            evicted.finish(Err(queue_full));
        }
        let place = Place { shared: &self.shared, requester, ticket: entered.ticket };
        let result = tokio::select! {
            biased;
            result = &mut result => result,
            () = sleep_until(start_by) => {
                if place.leave() {
                    return Err(self.shared.not_started(&place.requester));
                }
                // A worker runs it, with a deadline of its own.
                result.await
            }
        };
        result.unwrap_or_else(|_| Err(shutting_down()))
    }

    pub(crate) fn options(&self) -> &[OptionSetting] {
        &self.shared.spec.options
    }

    pub(crate) fn state(&self) -> State {
        let best = self.shared.states.best();
        if best != State::Draining && self.shared.is_quarantined() { State::Quarantined } else { best }
    }

    /// Returns whether the pool accepts jobs of a client without failures.
    pub(crate) fn is_available(&self) -> bool {
        self.shared.open_for(Instant::now()).is_none()
    }

    pub(crate) fn workers_by_state(&self) -> Vec<(State, usize)> {
        self.shared.states.counts()
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

/// A place in the queue, released on drop.
struct Place<'a> {
    shared: &'a Shared,
    requester: Requester,
    ticket: Ticket,
}

impl Place<'_> {
    /// Removes the job from the queue. Returns false if a worker has already started it.
    fn leave(&self) -> bool {
        match self.shared.queue.leave(&self.requester, self.ticket) {
            // A job that waits for a retry keeps the deadline that it got at its start.
            Some(job) if job.finish_by.is_some() => {
                self.shared.queue.give_back(self.ticket, job);
                false
            }
            left => left.is_some(),
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.shared.queue.leave(&self.requester, self.ticket);
    }
}
