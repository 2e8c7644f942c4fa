//! A job on its way to a worker.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    sync::{oneshot, watch},
    time::Instant,
};

use ai_api::SearchResult;

use super::{
    queue::{Queued, Rank},
    search_parts::SearchParts,
};
use crate::{
    client_identity::ClientIdentity,
    fault::Fault,
    listener::Listener,
    process::{StopReason, TimeAllowed},
    request_context::RequestContext,
    request_scope::{JobTimes, RequestScope},
    slot::{Question, Slot},
};
use protocol::{Iteration, Job, Response, Task, Wanted};

#[derive(Debug)]
pub(super) struct QueuedJob {
    pub(super) times: Option<Arc<JobTimes>>,
    pub(super) job: Job,
    pub(super) context: RequestContext,
    pub(super) listener: Option<Box<dyn Listener>>,
    pub(super) entered: Instant,
    /// The deadline for leaving the queue, at the first start and after each return. The caller
    /// that waits for the result enforces it.
    pub(super) queued_until: watch::Sender<Instant>,
    /// The deadline for a result, including retries. Set once the job has started.
    pub(super) finish_by: Option<Instant>,
    pub(super) attempts: u32,
    /// The fault of the last attempt.
    pub(super) fault: Option<Fault>,
    /// What an analysis found before it yielded.
    pub(super) found: Option<SearchParts>,
    /// The greatest depth that the listener has seen.
    reported_depth: u32,
    /// Closed when the client disconnects.
    pub(super) reply: oneshot::Sender<Result<Response, Fault>>,
}

impl Queued for Box<QueuedJob> {
    fn client(&self) -> &ClientIdentity {
        QueuedJob::client(self)
    }

    fn rank(&self) -> Rank {
        QueuedJob::rank(self)
    }

    fn moves_since(&self, last: &Job) -> Option<usize> {
        let job = &self.job;
        let continues = !job.fresh && job.continues(last) && job.options == last.options;
        continues.then(|| job.moves.len() - last.moves.len())
    }

    fn is_local_only(&self) -> bool {
        self.context.local_only
    }
}

impl QueuedJob {
    pub(super) fn new(
        job: Job,
        context: RequestContext,
        listener: Option<Box<dyn Listener>>,
        queued_until: watch::Sender<Instant>,
        reply: oneshot::Sender<Result<Response, Fault>>,
        times: Option<Arc<JobTimes>>,
    ) -> Self {
        Self {
            times,
            job,
            context,
            listener,
            entered: Instant::now(),
            queued_until,
            finish_by: None,
            attempts: 0,
            fault: None,
            found: None,
            reported_depth: 0,
            reply,
        }
    }

    fn rank(&self) -> Rank {
        match self.job.task {
            Task::Search(_) if self.job.params.analysis => Rank::Analysis,
            _ => Rank::Play,
        }
    }

    /// Returns whether the job may be stopped for a job that plays, and continued afterwards. Only
    /// an analysis with nothing but time limits may, because its result is not repeatable anyway.
    pub(super) fn may_yield(&self) -> bool {
        let Job { task, params, .. } = &self.job;
        let is_timed = task.limits().hard_ms.is_some() && !task.is_repeatable();
        self.rank() == Rank::Analysis && is_timed && params.clocks.is_none()
    }

    pub(super) fn client(&self) -> &ClientIdentity {
        &self.context.client
    }

    pub(super) fn request(&self) -> Option<&Arc<RequestScope>> {
        self.times.as_deref().map(JobTimes::request)
    }

    /// Runs the job, or the rest of it, in a slot until the client disconnects, the caller stops
    /// it, or it `yields`.
    pub(super) async fn run(
        &mut self,
        slot: &mut impl Slot,
        time_allowed: TimeAllowed,
        yields: impl Future<Output = ()>,
    ) -> Result<Response, Fault> {
        let Self {
            job,
            context,
            listener,
            fault,
            found,
            reported_depth,
            reply,
            ..
        } = self;
        let (mut stopped, mut yields) = (pin!(context.stopped()), pin!(yields));
        let mut has_yielded = false;
        let interrupt = |cx: &mut Context<'_>| {
            if reply.poll_closed(cx).is_ready() {
                Poll::Ready(StopReason::Disconnected)
            } else if stopped.as_mut().poll(cx).is_ready() {
                Poll::Ready(StopReason::Requested)
            } else if !has_yielded && yields.as_mut().poll(cx).is_ready() {
                has_yielded = true;
                Poll::Ready(StopReason::Yield)
            } else {
                Poll::Pending
            }
        };
        let listener = listener.as_deref();
        let goes_on = found.is_some() && fault.is_none();
        if let Some(listener) = listener
            && !goes_on
        {
            *reported_depth = found.as_ref().map_or(0, |found| found.best.depth);
            listener.on_start();
        }
        let wanted = if listener.is_some() {
            Wanted::Iterations
        } else {
            Wanted::Result
        };
        let (least_depth, nodes_before) = match found {
            Some(found) => (*reported_depth, found.best.nodes),
            None => (0, 0),
        };
        let on_iteration = |mut iteration: Iteration| {
            let Some(listener) = listener.filter(|_| iteration.depth >= least_depth) else {
                return;
            };
            if !iteration.pv.is_empty() {
                *reported_depth = iteration.depth.max(*reported_depth);
            }
            iteration.nodes = iteration.nodes.saturating_add(nodes_before);
            listener.on_iteration(iteration);
        };
        let rest = found
            .as_ref()
            .and_then(|found| found.rest_of(job.task.limits()))
            .map(|limits| Job {
                task: Task::Search(limits),
                ..job.clone()
            });
        let question = Question {
            job: rest.as_ref().unwrap_or(job),
            client: &context.client,
            time_allowed,
            wanted,
        };
        slot.run(question, context.ponder_hit(), interrupt, on_iteration)
            .await
    }

    /// Keeps what this part of the job has found. Returns the result if too little time is left to
    /// continue.
    pub(super) fn interrupt(
        &mut self,
        part: SearchResult,
        time: Duration,
    ) -> Result<(), SearchResult> {
        let parts = match self.found.take() {
            Some(mut found) => {
                found.add(part, time);
                found
            }
            None => SearchParts::first(part, time),
        };
        if parts.rest_of(self.job.task.limits()).is_none() {
            return Err(parts.best);
        }
        self.reported_depth = self.reported_depth.max(parts.best.depth);
        self.found = Some(parts);
        self.entered = Instant::now();
        (self.attempts, self.fault) = (0, None);
        Ok(())
    }

    /// Returns the result combined with what earlier parts found. If this part failed, the earlier
    /// parts are the result.
    pub(super) fn with_found(
        &mut self,
        result: Result<Response, Fault>,
    ) -> Result<Response, Fault> {
        let Some(mut found) = self.found.take() else {
            return result;
        };
        if let Ok(Response::Searched(rest)) = result {
            found.add(rest, Duration::ZERO);
        }
        Ok(Response::Searched(found.best))
    }

    pub(super) fn finish(mut self: Box<Self>, result: Result<Response, Fault>) {
        let result = self.with_found(result);
        // The client may have disconnected.
        let _ = self.reply.send(result);
    }
}
