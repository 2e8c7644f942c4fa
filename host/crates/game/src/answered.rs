//! What extras learn about a request to an AI with a candidate.

use std::{sync::Arc, time::Duration};

use ai_api::{Move, OptionSetting, Score};
use pool::{Ai, Fault, RequestContext, RequestScope, RetryPolicy};
use protocol::RequestId;
use rules::Game;
use tokio::sync::watch;

use crate::{
    answers::{Answers, Origin},
    client::Client,
    error::ServiceError,
    limits::{Limit, RequestedSearch, StoppedBy},
    options::RequestedOptions,
    play::{AskedMove, Played, play},
};

/// A request to an AI with a candidate, and the answer of one of the two.
#[derive(Debug)]
pub struct AnsweredRequest {
    /// The id of the request, which may ask several AIs.
    pub id: Option<RequestId>,
    pub client: Client,
    pub ai: Arc<Ai>,
    pub candidate: Arc<Ai>,
    /// Whether the AI or its candidate was asked.
    pub side: RolloutSide,
    pub game: Game,
    pub question: RolloutQuestion,
    pub answer: Result<RolloutAnswer, Fault>,
    pub reply: PendingReply,
}

/// The AI or its candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RolloutSide {
    Ai,
    Candidate,
}

/// What was asked of an AI.
#[derive(Clone, Debug)]
pub enum RolloutQuestion {
    Move(Box<SearchQuestion>),
    Evaluation,
}

/// A search as the client requested it.
#[derive(Clone, Debug)]
pub struct SearchQuestion {
    /// Without the root moves, which are in `root_moves`.
    search: RequestedSearch<'static>,
    pub root_moves: Vec<Move>,
    /// The options that the request sets.
    pub options: Vec<OptionSetting>,
    /// The limits that applied.
    pub limit: Limit,
}

/// An AI's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RolloutAnswer {
    Move(MoveAnswer),
    /// An evaluation, or the score of a finished game.
    Score(Score),
}

/// An AI's move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveAnswer {
    pub chosen: Move,
    /// White's score; `None` if no search has found one.
    pub score: Option<Score>,
    /// The depth in plies.
    pub depth: u32,
    pub nodes: u64,
    pub time: Duration,
    pub origin: Origin,
    pub stopped_by: StoppedBy,
}

/// The reply to a request, which may not have been written yet.
#[derive(Clone, Debug)]
pub struct PendingReply(Option<watch::Receiver<()>>);

impl PendingReply {
    pub(crate) fn of_current() -> Self {
        Self(RequestScope::current().map(|scope| scope.end()))
    }

    /// Resolves once the client has its reply or has disconnected.
    pub async fn written(mut self) {
        if let Some(end) = &mut self.0 {
            while end.changed().await.is_ok() {}
        }
    }
}

impl SearchQuestion {
    pub(crate) fn new(
        search: RequestedSearch<'_>,
        options: &RequestedOptions,
        limit: Limit,
    ) -> Self {
        Self {
            root_moves: search.root_moves.to_vec(),
            search: RequestedSearch {
                root_moves: &[],
                ..search
            },
            options: options.set().to_vec(),
            limit,
        }
    }
}

impl RolloutAnswer {
    pub(crate) fn of(played: &Played) -> Self {
        let Some(chosen) = &played.chosen else {
            return Self::Score(played.score);
        };
        let search = &chosen.search;
        Self::Move(MoveAnswer {
            chosen: chosen.chosen,
            score: search.known_score(),
            depth: search.result.depth,
            nodes: search.result.nodes,
            time: search.time,
            origin: search.origin,
            stopped_by: search.stopped_by,
        })
    }
}

impl AnsweredRequest {
    /// Asks the same question of an AI with the candidate's settings, such as a copy with a
    /// different priority. The job counts toward the request's client.
    ///
    /// # Errors
    /// The AI does not support the request, or fails.
    pub async fn ask(&self, ai: &Ai) -> Result<RolloutAnswer, ServiceError> {
        let RolloutQuestion::Move(question) = &self.question else {
            return Err(ServiceError::NoEvaluator { ai: ai.id.clone() });
        };
        let options = RequestedOptions::new(question.options.clone(), ai.options());
        let asked = AskedMove {
            ai,
            game: self.game.clone(),
            options: &options,
            limits: question.search.limits(ai, &self.client),
            root_moves: &question.root_moves,
            fresh: true,
        };
        let context = RequestContext {
            retry: RetryPolicy::Never,
            ..self.client.context()
        };
        let played = play(&Answers::default(), context, asked, &|| None).await?;
        Ok(RolloutAnswer::of(&played))
    }
}
