//! Asks an AI for its static evaluation.

use ai_api::{EvalTerm, Score};
use protocol::{Job, Response, SearchParams, Task};
use rules::Game;

use crate::{
    ask::{check_variant, job, wrong_response},
    client::Client,
    error::ServiceError,
    options::RequestedOptions,
    responder::Responder,
};

/// Returns an AI's static evaluation.
///
/// # Errors
/// The AI does not play the game's variant, or fails.
pub(crate) async fn evaluate(
    responder: Responder<'_>,
    client: &Client,
    game: &Game,
    options: &RequestedOptions,
) -> Result<(Score, Vec<EvalTerm>), ServiceError> {
    let ai = responder.ai;
    check_variant(ai, game)?;
    let params = SearchParams {
        analysis: true,
        ..SearchParams::default()
    };
    let job = Job {
        params,
        options: options.all(),
        ..job(game, Task::Evaluate)
    };
    match ai.ask(responder.context(client), job, None).await {
        Ok(Response::Evaluated(score, terms)) => Ok((score, terms)),
        Ok(Response::Searched(_) | Response::Probed(_)) => {
            Err(ServiceError::fault(ai, wrong_response()))
        }
        Err(fault) => Err(ServiceError::fault(ai, fault)),
    }
}
