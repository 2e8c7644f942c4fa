//! How an answer comes about, told while it does. The arbiter never waits for whoever listens: of what an AI thinks, the
//! latest alone is kept.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;
use tokio::sync::Notify;
use utoipa::ToSchema;

use super::{
    AiReply, Answered, GameReply, JudgedRecord, LimitReply,
    thought::{InfoReply, Search},
};
use crate::ai::{Iteration, Listener};

/// Where it is told, and where whoever listens reads it.
#[derive(Clone, Debug, Default)]
pub struct Telling(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    untold: Mutex<Untold>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Untold {
    start: Start,
    records: VecDeque<Told>,
    searches: Vec<Arc<Search>>,
}

#[derive(Debug, Default)]
enum Start {
    #[default]
    ToCome,
    Unread(Box<StartReply>),
    Read,
}

/// What is told once, in its order.
#[derive(Debug)]
pub enum Told {
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

impl Telling {
    /// What is asked of whom. What was told before and not read, about an AI that is not asked after all, is taken back.
    pub(super) fn starts(&self, start: StartReply) {
        let mut untold = self.untold();
        if !matches!(untold.start, Start::Read) {
            untold.start = Start::Unread(Box::new(start));
            self.0.news.notify_one();
        }
    }

    /// What has become of an AI, or of a move. Of an AI that has answered, and of a position that is judged, no more
    /// thoughts are told.
    pub(super) fn tells(&self, told: Told) {
        let mut untold = self.untold();
        match &told {
            Told::Answered(answered) => {
                untold.searches.retain(|search| search.ai.as_ref() != Some(&answered.ai.id));
            }
            Told::Judged(_) => untold.searches.clear(),
            Told::Start(_) => {}
        }
        untold.records.push_back(told);
        self.0.news.notify_one();
    }

    /// Who listens to a search, in the place of whoever listened to an earlier one of the same AI.
    pub(super) fn listener(&self, search: Search) -> Box<dyn Listener> {
        let search = Arc::new(search);
        let mut untold = self.untold();
        untold.searches.retain(|earlier| earlier.ai != search.ai);
        untold.searches.push(Arc::clone(&search));
        Box::new(Ear { shared: Arc::clone(&self.0), search })
    }

    /// Comes when there may be something to read.
    pub async fn news(&self) {
        self.0.news.notified().await;
    }

    /// Whether a move of a game is judged already, so that there is something to read whatever becomes of the others.
    pub fn has_judgements(&self) -> bool {
        self.untold().records.iter().any(|told| matches!(told, Told::Judged(_)))
    }

    /// The next record.
    pub fn next_record(&self) -> Option<Told> {
        let mut untold = self.untold();
        match std::mem::take(&mut untold.start) {
            Start::ToCome => None,
            Start::Unread(start) => {
                untold.start = Start::Read;
                Some(Told::Start(start))
            }
            Start::Read => {
                untold.start = Start::Read;
                untold.records.pop_front()
            }
        }
    }

    /// Whether an AI has thought of something.
    pub fn has_thoughts(&self) -> bool {
        self.untold().searches.iter().any(|search| search.has_news())
    }

    /// How far each AI has come that has thought of something.
    pub fn thoughts(&self) -> Vec<InfoReply> {
        let searches = self.untold().searches.clone();
        searches.iter().filter_map(|search| search.read()).collect()
    }

    fn untold(&self) -> MutexGuard<'_, Untold> {
        self.0.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Listens to one search.
#[derive(Debug)]
struct Ear {
    shared: Arc<Shared>,
    search: Arc<Search>,
}

impl Listener for Ear {
    fn begins(&self) {
        self.search.begins();
    }

    fn hears(&self, iteration: Iteration) {
        self.search.hears(iteration);
        if self.search.has_news() {
            self.shared.news.notify_one();
        }
    }
}
