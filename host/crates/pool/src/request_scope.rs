//! The request that a task works on, and what AIs did for it.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use tokio::{sync::watch, time::Instant};
use tracing::Span;

use protocol::{RequestId, TraceParent};

tokio::task_local! {
    static CURRENT: Option<Arc<RequestScope>>;
}

/// A request, shared by all tasks that work on it.
#[derive(Debug)]
pub struct RequestScope {
    pub id: RequestId,
    pub trace: Option<TraceParent>,
    usage: Mutex<AiUsage>,
    /// Set if something awaits the end of the request.
    end: OnceLock<watch::Sender<()>>,
}

/// What AIs did for a request.
#[derive(Clone, Debug, Default)]
pub struct AiUsage {
    /// The AIs that the request used.
    pub ais: BTreeSet<String>,
    /// The processes that ran its jobs.
    pub workers: BTreeSet<u32>,
    /// The nodes that ran its jobs.
    pub nodes: BTreeSet<String>,
    /// How many of its searches reused the cached answer to an earlier search.
    pub cached: u64,
    /// How many of its searches shared the search of a concurrent request.
    pub joined: u64,
    /// The time its jobs spent in queues.
    pub waiting: Duration,
    /// The time from the start of its jobs to their results, including retries.
    pub thinking: Duration,
}

/// The slot that runs a job.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SlotId<'a> {
    Worker(Option<u32>),
    Node(&'a str),
}

impl SlotId<'_> {
    /// Returns the span of a job for this AI and request.
    pub(crate) fn job_span(self, ai: &str, request: Option<&RequestScope>) -> Span {
        let (worker, node) = match self {
            Self::Worker(process) => (process, None),
            Self::Node(name) => (None, Some(name)),
        };
        tracing::info_span!(
            "job",
            ai,
            worker,
            node,
            request_id = request.map(|request| request.id.as_str()),
            trace_id = request.and_then(RequestScope::trace_id)
        )
    }
}

impl RequestScope {
    pub fn new(id: RequestId, trace: Option<TraceParent>) -> Arc<Self> {
        Arc::new(Self {
            id,
            trace,
            usage: Mutex::default(),
            end: OnceLock::new(),
        })
    }

    /// Returns the request that the calling task works on.
    pub fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Clone::clone).ok().flatten()
    }

    /// Returns a receiver whose sender is dropped once the request and its reply have ended.
    pub fn end(&self) -> watch::Receiver<()> {
        self.end.get_or_init(|| watch::Sender::new(())).subscribe()
    }

    pub fn current_id() -> Option<RequestId> {
        CURRENT
            .try_with(|scope| scope.as_ref().map(|scope| scope.id.clone()))
            .ok()
            .flatten()
    }

    /// Runs a future as part of a request.
    pub async fn enter<F: Future>(scope: Option<Arc<Self>>, work: F) -> F::Output {
        CURRENT.scope(scope, work).await
    }

    pub fn trace_id(&self) -> Option<&str> {
        self.trace.as_ref().map(TraceParent::trace_id)
    }

    /// Records that an AI did not have to search, because its answer was kept.
    pub fn record_cached(&self, ai: &str) {
        let mut usage = self.locked();
        usage.ais.insert(ai.to_owned());
        usage.cached += 1;
    }

    /// Records that an AI did not have to search again, because it is searching for an identical
    /// request.
    pub fn record_joined(&self, ai: &str) {
        let mut usage = self.locked();
        usage.ais.insert(ai.to_owned());
        usage.joined += 1;
    }

    /// Returns what AIs have done for the request, if any AI was asked.
    pub fn usage(&self) -> Option<AiUsage> {
        let usage = self.locked();
        (!usage.ais.is_empty()).then(|| usage.clone())
    }

    fn locked(&self) -> MutexGuard<'_, AiUsage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A job's times, which are added to its request's times.
#[derive(Debug)]
pub(crate) struct JobTimes {
    request: Arc<RequestScope>,
    entered: Instant,
    started: OnceLock<Instant>,
}

impl JobTimes {
    /// Creates the times for a new job of the current request.
    pub(crate) fn of_current(ai: &str) -> Option<Arc<Self>> {
        let request = RequestScope::current()?;
        request.locked().ais.insert(ai.to_owned());
        Some(Arc::new(Self {
            request,
            entered: Instant::now(),
            started: OnceLock::new(),
        }))
    }

    /// Records the start of an attempt.
    pub(crate) fn start(&self, now: Instant, slot: SlotId<'_>) {
        let _ = self.started.set(now);
        let mut usage = self.request.locked();
        match slot {
            SlotId::Worker(process) => usage.workers.extend(process),
            SlotId::Node(name) => _ = usage.nodes.insert(name.to_owned()),
        }
    }

    /// Adds these times to the request's times.
    pub(crate) fn end(&self) {
        let now = Instant::now();
        let started = self.started.get().copied().unwrap_or(now);
        let mut usage = self.request.locked();
        usage.waiting += started.saturating_duration_since(self.entered);
        usage.thinking += now.saturating_duration_since(started);
    }

    pub(crate) fn request(&self) -> &Arc<RequestScope> {
        &self.request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn signals_the_end_after_every_task_of_the_request() {
        let scope = RequestScope::new(RequestId::generate(), None);
        let mut end = scope.end();
        let task = Arc::clone(&scope);
        drop(scope);
        assert!(end.has_changed().is_ok());
        drop(task);
        assert!(end.changed().await.is_err());
    }
}
