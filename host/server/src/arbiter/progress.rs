//! Progress of a request: its start, iterations and partial results. Sending never blocks; of the iterations of a search only the
//! latest is kept.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;
use tokio::sync::Notify;
use utoipa::ToSchema;

use super::{
    AiReply, Answered, GameReply, JudgedRecord, LimitReply,
    search_progress::{InfoReply, Search},
};
use pool::Listener;
use protocol::Iteration;

/// Both ends of the progress of a request: the service sends, a stream reads.
#[derive(Clone, Debug, Default)]
pub struct ProgressSender(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    pending: Mutex<Pending>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Pending {
    start: Start,
    records: VecDeque<ProgressEvent>,
    searches: Vec<Arc<Search>>,
}

#[derive(Debug, Default)]
enum Start {
    #[default]
    ToCome,
    Unread(Box<StartReply>),
    Read,
}

/// An event, read once and in order.
#[derive(Debug)]
pub enum ProgressEvent {
    /// The question is on its way.
    Start(Box<StartReply>),
    /// One of several AIs has answered.
    Answered(Arc<Answered>),
    /// A move of a game is judged.
    Judged(Box<JudgedRecord>),
}

/// What is asked of whom. An AI that turns out not to be available later on may have a fallback all the same: the `ai` of
/// the result is who has answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StartReply {
    /// Who is asked.
    #[serde(flatten)]
    pub asked: AskedReply,
    /// The game so far.
    pub game: GameReply,
    /// How many moves there are to judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<usize>,
}

/// Who is asked, and within which limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum AskedReply {
    /// One AI.
    One {
        /// The AI.
        ai: AiReply,
        /// Every limit that holds.
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
    /// Every limit that holds for it.
    pub limit: LimitReply,
}

impl ProgressSender {
    /// Sends the start. Replaces a start that has not been read, of an AI that was not asked after all.
    pub(super) fn starts(&self, start: StartReply) {
        let mut pending = self.pending();
        if !matches!(pending.start, Start::Read) {
            pending.start = Start::Unread(Box::new(start));
            self.0.news.notify_one();
        }
    }

    /// Sends a partial result. Its search reports no more iterations.
    pub(super) fn tells(&self, told: ProgressEvent) {
        let mut pending = self.pending();
        match &told {
            ProgressEvent::Answered(answered) => {
                pending.searches.retain(|search| search.ai.as_ref() != Some(&answered.ai.id));
            }
            ProgressEvent::Judged(_) => pending.searches.clear(),
            ProgressEvent::Start(_) => {}
        }
        pending.records.push_back(told);
        self.0.news.notify_one();
    }

    /// Returns the listener of a search. It replaces that of an earlier search of the same AI.
    pub(super) fn listener(&self, search: Search) -> Box<dyn Listener> {
        let search = Arc::new(search);
        let mut pending = self.pending();
        pending.searches.retain(|earlier| earlier.ai != search.ai);
        pending.searches.push(Arc::clone(&search));
        Box::new(ProgressListener { shared: Arc::clone(&self.0), search })
    }

    /// Resolves when there may be something to read.
    pub async fn news(&self) {
        self.0.news.notified().await;
    }

    /// Whether a move of the game has been judged, so that there is a partial result whatever happens to the others.
    pub fn has_judgements(&self) -> bool {
        self.pending().records.iter().any(|told| matches!(told, ProgressEvent::Judged(_)))
    }

    /// Returns the next event.
    pub fn next_record(&self) -> Option<ProgressEvent> {
        let mut pending = self.pending();
        match std::mem::take(&mut pending.start) {
            Start::ToCome => None,
            Start::Unread(start) => {
                pending.start = Start::Read;
                Some(ProgressEvent::Start(start))
            }
            Start::Read => {
                pending.start = Start::Read;
                pending.records.pop_front()
            }
        }
    }

    /// Whether a search has an unread iteration.
    pub fn has_thoughts(&self) -> bool {
        self.pending().searches.iter().any(|search| search.has_news())
    }

    /// Returns the unread iteration of each search.
    pub fn thoughts(&self) -> Vec<InfoReply> {
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
    search: Arc<Search>,
}

impl Listener for ProgressListener {
    fn on_start(&self) {
        self.search.on_start();
    }

    fn on_iteration(&self, iteration: Iteration) {
        self.search.on_iteration(iteration);
        if self.search.has_news() {
            self.shared.news.notify_one();
        }
    }
}
