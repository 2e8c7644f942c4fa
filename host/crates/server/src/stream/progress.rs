//! Progress of a request: its start, iterations and partial results. Sending never blocks; of the iterations of a search only the
//! latest is kept.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;
use tokio::sync::Notify;
use utoipa::ToSchema;

use super::search_progress::{InfoReply, SearchProgress};
use crate::replies::{
    ai::AiReply, compared::ComparedAi, game::GameReply, judged::JudgedRecord, search::LimitReply,
};
use pool::Listener;
use protocol::Iteration;

/// The channel of a request's progress: the service sends, a stream reads.
#[derive(Clone, Debug, Default)]
pub struct ProgressSender(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Held only to add or remove events.
    pending: Mutex<Pending>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Pending {
    /// The unread start.
    start: Option<Box<StartReply>>,
    is_start_read: bool,
    records: VecDeque<ProgressEvent>,
    searches: Vec<Arc<SearchProgress>>,
}

/// An event, read once and in order.
#[derive(Debug)]
pub(crate) enum ProgressEvent {
    /// The AI is being asked.
    Start(Box<StartReply>),
    /// The result of one of several AIs.
    Compared(Arc<ComparedAi>),
    /// A judged move of a game.
    Judged(Box<JudgedRecord>),
}

/// The AIs that are asked, and the game. An AI that is unavailable may have a fallback: the `ai` of the result is the one that
/// answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StartReply {
    /// The AIs.
    #[serde(flatten)]
    pub asked: AskedReply,
    /// The game.
    pub game: GameReply,
    /// The number of moves to judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
}

/// The AIs that are asked, with the effective limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum AskedReply {
    /// One AI.
    One {
        /// The AI.
        ai: AiReply,
        /// The effective limits.
        limit: LimitReply,
    },
    /// Several.
    Several {
        /// The AIs.
        ais: Vec<AskedAiReply>,
    },
}

/// One of several AIs that are asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AskedAiReply {
    /// The AI.
    #[serde(flatten)]
    pub ai: AiReply,
    /// The effective limits.
    pub limit: LimitReply,
}

impl ProgressSender {
    /// Sends the start. Replaces an unread start, which belongs to an unavailable AI.
    pub(crate) fn send_start(&self, start: StartReply) {
        let mut pending = self.pending();
        if !pending.is_start_read {
            pending.start = Some(Box::new(start));
            self.0.changed.notify_one();
        }
    }

    /// Sends a partial result. Its search reports no more iterations.
    pub(crate) fn send(&self, event: ProgressEvent) {
        let mut pending = self.pending();
        match &event {
            ProgressEvent::Compared(compared) => {
                pending.searches.retain(|search| search.ai.as_ref() != Some(&compared.ai.id));
            }
            ProgressEvent::Judged(_) => pending.searches.clear(),
            ProgressEvent::Start(_) => {}
        }
        pending.records.push_back(event);
        self.0.changed.notify_one();
    }

    /// Returns the listener of a search. It replaces that of an earlier search of the same AI.
    pub(crate) fn listener(&self, search: SearchProgress) -> Box<dyn Listener> {
        let search = Arc::new(search);
        let mut pending = self.pending();
        pending.searches.retain(|earlier| earlier.ai != search.ai);
        pending.searches.push(Arc::clone(&search));
        Box::new(ProgressListener { shared: Arc::clone(&self.0), search })
    }

    /// Resolves when there may be something to read. Dropping the future loses no event.
    pub async fn changed(&self) {
        self.0.changed.notified().await;
    }

    /// Returns whether a judged move is unread. Such a partial result is sent as a stream even if the report fails.
    pub(crate) fn has_judgements(&self) -> bool {
        self.pending().records.iter().any(|event| matches!(event, ProgressEvent::Judged(_)))
    }

    /// Returns the next event.
    pub(crate) fn next_record(&self) -> Option<ProgressEvent> {
        let mut pending = self.pending();
        if let Some(start) = pending.start.take() {
            pending.is_start_read = true;
            return Some(ProgressEvent::Start(start));
        }
        pending.records.pop_front()
    }

    /// Returns whether a search has an unread iteration.
    pub(crate) fn has_iterations(&self) -> bool {
        self.pending().searches.iter().any(|search| search.has_unread())
    }

    /// Returns the unread iteration of each search.
    pub fn iterations(&self) -> Vec<InfoReply> {
        let searches = self.pending().searches.clone();
        searches.iter().filter_map(|search| search.read()).collect()
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.0.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The listener of one search.
#[derive(Debug)]
struct ProgressListener {
    shared: Arc<Shared>,
    search: Arc<SearchProgress>,
}

impl Listener for ProgressListener {
    fn on_start(&self) {
        self.search.on_start();
    }

    fn on_iteration(&self, iteration: Iteration) {
        self.search.on_iteration(iteration);
        if self.search.has_unread() {
            self.shared.changed.notify_one();
        }
    }
}
