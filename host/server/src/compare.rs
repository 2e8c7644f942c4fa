//! What several AIs say, each its move or its problem.

use serde::Serialize;

use super::problem::{Problem, ProblemBody};
use crate::arbiter::{AgreementReply, AiReply, Answered, ChosenReply, Comparison, GameReply};
use protocol::RequestId;

/// What `POST /v1/compare` answers.
#[derive(Debug, Serialize)]
pub(super) struct CompareBody {
    game: GameReply,
    answers: Vec<AnswerBody>,
    agreement: Vec<AgreementReply>,
}

/// What one of several AIs says.
#[derive(Debug, Serialize)]
pub(super) struct AnswerBody {
    ai: AiReply,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    chosen: Option<ChosenReply>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ProblemBody>,
}

impl CompareBody {
    /// What is answered.
    ///
    /// # Errors
    /// No AI has a move: then it is the problem of the first one.
    pub(super) fn new(comparison: Comparison) -> Result<Self, Problem> {
        let Comparison { game, answers, agreement } = comparison;
        if answers.iter().all(|answered| answered.outcome.is_err())
            && let Some(Err(first)) = answers.first().map(|answered| &answered.outcome)
        {
            return Err(first.into());
        }
        let request_id = RequestId::current();
        let answer = |answered: &_| AnswerBody::new(answered, request_id.as_ref());
        Ok(Self { game, answers: answers.iter().map(|answered| answer(answered)).collect(), agreement })
    }
}

impl AnswerBody {
    pub(super) fn new(answered: &Answered, request_id: Option<&RequestId>) -> Self {
        let Answered { ai, outcome } = answered;
        let error = outcome.as_ref().err().map(|error| Problem::from(error).part(request_id));
        Self { ai: ai.clone(), chosen: outcome.as_ref().ok().cloned(), error }
    }
}
