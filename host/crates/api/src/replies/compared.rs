//! The move of one of several AIs.

use crate::{
    error::RequestError,
    problem::{Problem, ProblemBody},
    replies::{
        ai::AiReply,
        game::{MoveReply, ScoreReply},
        search::SearchReply,
    },
};
use game::Played;
use protocol::RequestId;
use serde::Serialize;
use utoipa::ToSchema;

/// The move or the problem of one AI.
#[derive(Debug, Serialize)]
pub struct ComparedAiReply {
    pub ai: AiReply,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    chosen: Option<ChosenReply>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ProblemBody>,
}

/// The move of one of several AIs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ChosenReply {
    /// The move, or `null` if the game is over.
    #[serde(rename = "move")]
    #[schema(required)]
    pub chosen: Option<MoveReply>,
    /// The score, from White's point of view. If `search.depth` is 0 and `search.nodes` is 1, the
    /// AI did not search, for example because it played from its book. The score is then 0 or a
    /// guess.
    pub score: ScoreReply,
    /// The search.
    pub search: SearchReply,
}

/// The result of one of several AIs.
#[derive(Debug)]
pub struct ComparedAi {
    pub ai: AiReply,
    pub result: Result<ChosenReply, RequestError>,
}

impl ComparedAiReply {
    pub fn new(compared: &ComparedAi, request_id: Option<&RequestId>) -> Self {
        let ComparedAi { ai, result } = compared;
        let error = result
            .as_ref()
            .err()
            .map(|error| Problem::from(error).part(request_id));
        Self {
            ai: ai.clone(),
            chosen: result.as_ref().ok().cloned(),
            error,
        }
    }
}

impl From<Played> for ChosenReply {
    fn from(played: Played) -> Self {
        let chosen = played.chosen.as_ref();
        let chosen = chosen.map(|chosen| MoveReply::new(&chosen.position, chosen.chosen));
        Self {
            chosen,
            score: played.score.into(),
            search: SearchReply::new(&played),
        }
    }
}
