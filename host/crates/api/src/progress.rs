//! Progress of a request: its start, iterations and partial results. Sending never blocks, and only
//! the latest iteration of a search is kept.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;
use strum::AsRefStr;
use tokio::sync::Notify;
use utoipa::ToSchema;

use crate::{
    replies::{
        ai::AiReply, compared::ComparedAiReply, game::GameReply, judged::JudgedRecord,
        search::LimitReply,
    },
    search_progress::{InfoReply, SearchProgress},
};
use pool::Listener;
use protocol::Iteration;

/// What a running request reports before its result. Clones share it. The request writes to it, and
/// the request's stream reads from it.
pub trait Progress: Clone + Default + 'static {
    /// A record. Its name, which `as_ref` returns, is also its serialized `type`.
    type Record: Serialize + AsRef<str>;

    /// Returns the next record. Each record is read once, in order.
    fn next_record(&self) -> Option<Self::Record>;
    /// Returns whether a partial result is unread. It is streamed even if the request fails.
    fn has_results(&self) -> bool {
        false
    }
    /// Returns whether a search has an unread iteration.
    fn has_iterations(&self) -> bool {
        false
    }
    /// Returns the unread iteration of each search.
    fn iterations(&self) -> Vec<Self::Record> {
        Vec::new()
    }
    /// Resolves when there may be something to read. Dropping the future loses nothing.
    fn changed(&self) -> impl Future<Output = ()>;
}

/// The channel for a request's progress: the service sends, and a stream reads.
#[derive(Clone, Debug, Default)]
pub struct ProgressSender(Arc<SharedProgress>);

#[derive(Debug, Default)]
struct SharedProgress {
    /// Held only to add or remove events.
    pending: Mutex<Pending>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Pending {
    /// The unread start.
    start: Option<Box<StartReply>>,
    is_start_read: bool,
    records: VecDeque<ProgressRecord>,
    searches: Vec<Arc<SearchProgress>>,
}

/// A record of a stream before its last one.
#[derive(Debug, Serialize, AsRefStr)]
#[serde(tag = "type", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ProgressRecord {
    /// The start of the request.
    Start(Box<StartReply>),
    /// The progress of a search.
    Info(InfoReply),
    /// The result of one of several AIs.
    Answer(Box<ComparedAiReply>),
    /// A judged move in a game.
    Judged(Box<JudgedRecord>),
}

/// The AIs to ask, and the game. If an AI becomes unavailable, its fallback may answer. The `ai` of
/// the result is the AI that answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

/// The AIs to ask, with the effective limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum AskedReply {
    /// One AI.
    One {
        /// The AI.
        ai: Box<AiReply>,
        /// The limits that apply.
        limit: LimitReply,
    },
    /// Several AIs.
    Several {
        /// The AIs.
        ais: Vec<AskedAiReply>,
    },
}

/// One of the AIs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AskedAiReply {
    /// The AI.
    #[serde(flatten)]
    pub ai: AiReply,
    /// The limits that apply.
    pub limit: LimitReply,
}

impl ProgressSender {
    /// Sends the start. Replaces an unread start, which belongs to an unavailable AI.
    pub fn send_start(&self, start: StartReply) {
        let mut pending = self.pending();
        if !pending.is_start_read {
            pending.start = Some(Box::new(start));
            self.0.changed.notify_one();
        }
    }

    /// Sends a partial result. After that, its search reports no further iterations.
    pub fn send(&self, record: ProgressRecord) {
        let mut pending = self.pending();
        match &record {
            ProgressRecord::Answer(answer) => {
                pending
                    .searches
                    .retain(|search| search.ai.as_ref() != Some(&answer.ai.id));
            }
            ProgressRecord::Judged(judged) => {
                let place = (judged.index, Some(judged.judged.ply));
                pending.searches.retain(|search| search.place() > place);
            }
            ProgressRecord::Start(_) | ProgressRecord::Info(_) => {}
        }
        pending.records.push_back(record);
        self.0.changed.notify_one();
    }

    /// Creates a listener for a search. It replaces the AI's earlier listener for the same
    /// position.
    pub fn listener(&self, search: SearchProgress) -> Box<dyn Listener> {
        let search = Arc::new(search);
        let mut pending = self.pending();
        pending
            .searches
            .retain(|earlier| (&earlier.ai, earlier.place()) != (&search.ai, search.place()));
        pending.searches.push(Arc::clone(&search));
        Box::new(ProgressListener {
            shared: Arc::clone(&self.0),
            search,
        })
    }

    /// Resolves when there may be something to read. Dropping the future loses nothing.
    pub async fn changed(&self) {
        self.0.changed.notified().await;
    }

    /// Returns the unread iteration of each search.
    pub fn iterations(&self) -> Vec<InfoReply> {
        let searches = self.pending().searches.clone();
        searches.iter().filter_map(|search| search.read()).collect()
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.0
            .pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for ProgressSender {
    type Record = ProgressRecord;

    fn next_record(&self) -> Option<ProgressRecord> {
        let mut pending = self.pending();
        if let Some(start) = pending.start.take() {
            pending.is_start_read = true;
            return Some(ProgressRecord::Start(start));
        }
        pending.records.pop_front()
    }

    fn has_results(&self) -> bool {
        self.pending()
            .records
            .iter()
            .any(|record| matches!(record, ProgressRecord::Judged(_)))
    }

    fn has_iterations(&self) -> bool {
        self.pending()
            .searches
            .iter()
            .any(|search| search.has_unread())
    }

    fn iterations(&self) -> Vec<ProgressRecord> {
        self.iterations()
            .into_iter()
            .map(ProgressRecord::Info)
            .collect()
    }

    async fn changed(&self) {
        self.changed().await;
    }
}

/// The listener for one search.
#[derive(Debug)]
struct ProgressListener {
    shared: Arc<SharedProgress>,
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
