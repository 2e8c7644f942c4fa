//! A job on its way to a worker.

use std::sync::Arc;

use tokio::{
    sync::{oneshot, watch},
    time::Instant,
};

use super::queue::Queued;
use crate::{
    client_identity::ClientIdentity,
    fault::Fault,
    listener::Listener,
    process::{StopReason, TimeAllowed},
    request_context::RequestContext,
    request_scope::{JobTimes, RequestScope},
    slot::{Question, Slot},
};
use protocol::{Job, Response, Wanted};

#[derive(Debug)]
pub(super) struct QueuedJob {
    pub(super) times: Option<Arc<JobTimes>>,
    pub(super) job: Job,
    pub(super) context: RequestContext,
    pub(super) listener: Option<Box<dyn Listener>>,
    pub(super) entered: Instant,
    /// The latest time to leave the queue: to start, or to start again. The client watches it.
    pub(super) queued_until: watch::Sender<Instant>,
    /// After the start: the latest time for a result, retries included.
    pub(super) finish_by: Option<Instant>,
    pub(super) attempts: u32,
    /// The fault of the last attempt.
    pub(super) fault: Option<Fault>,
    /// Closed when the client has disconnected.
    pub(super) reply: oneshot::Sender<Result<Response, Fault>>,
}

impl Queued for Box<QueuedJob> {
    fn client(&self) -> &ClientIdentity {
        QueuedJob::client(self)
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
            reply,
        }
    }

    pub(super) fn client(&self) -> &ClientIdentity {
        &self.context.client
    }

    pub(super) fn request(&self) -> Option<&Arc<RequestScope>> {
        self.times.as_deref().map(JobTimes::request)
    }

    /// Runs the job in a slot, until the client disconnects or the caller stops it.
    pub(super) async fn run(
        &mut self,
        slot: &mut impl Slot,
        time_allowed: TimeAllowed,
    ) -> Result<Response, Fault> {
        let Self {
            job,
            context,
            listener,
            reply,
            ..
        } = self;
        let interrupt = async {
            tokio::select! {
                () = reply.closed() => StopReason::Disconnected,
                () = context.stopped() => StopReason::Requested,
            }
        };
        let listener = listener.as_deref();
        if let Some(listener) = listener {
            listener.on_start();
        }
        let wanted = if listener.is_some() {
            Wanted::Iterations
        } else {
            Wanted::Result
        };
        let on_iteration = |iteration| {
            if let Some(listener) = listener {
                listener.on_iteration(iteration);
            }
        };
        let question = Question {
            job,
            client: &context.client,
            time_allowed,
            wanted,
        };
        slot.run(question, context.ponder_hit(), interrupt, on_iteration)
            .await
    }

    pub(super) fn finish(self: Box<Self>, result: Result<Response, Fault>) {
        // The client may have disconnected.
        let _ = self.reply.send(result);
    }
}
