//! The context of a request: its client, its interrupts, its time and its retries.

use std::time::Duration;

use tokio::sync::watch;

use crate::client_identity::ClientIdentity;

#[derive(Clone, Debug)]
pub struct RequestContext {
    /// The client. Clients take turns in the queue.
    pub client: ClientIdentity,
    /// Becomes true to stop the search.
    pub stop: Option<watch::Receiver<bool>>,
    /// Becomes true on a ponder hit, for a job that [ponders](protocol::SearchParams::ponder).
    pub ponder_hit: Option<watch::Receiver<bool>>,
    /// The hard limit; defaults to the AI's [`move_timeout`](crate::Ai::move_timeout).
    pub time_allowed: Option<Duration>,
    pub retry: RetryPolicy,
    /// Whether only a local worker may run the job.
    pub local_only: bool,
}

/// Whether a job whose worker exited is retried on another worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryPolicy {
    /// Retries the job on one other worker, or on more if the process was killed from outside.
    Once,
    /// Never retries the job. Set this if the caller reports each of the AI's faults.
    Never,
}

impl Default for RequestContext {
    /// Returns the context for a local client without custom limits.
    fn default() -> Self {
        Self::of(ClientIdentity::Local)
    }
}

impl RequestContext {
    /// Returns the context for a client without custom limits.
    pub fn of(client: ClientIdentity) -> Self {
        let (stop, ponder_hit, time_allowed) = (None, None, None);
        Self {
            client,
            stop,
            ponder_hit,
            time_allowed,
            retry: RetryPolicy::Once,
            local_only: false,
        }
    }

    pub(crate) fn stopped(&self) -> impl Future<Output = ()> + use<> {
        becomes_true(self.stop.clone())
    }

    pub(crate) fn ponder_hit(&self) -> impl Future<Output = ()> + use<> {
        becomes_true(self.ponder_hit.clone())
    }
}

/// Resolves when the flag becomes true; never resolves without a sender.
async fn becomes_true(flag: Option<watch::Receiver<bool>>) {
    if let Some(mut flag) = flag
        && flag.wait_for(|flag| *flag).await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}
