//! `POST /v1/evaluate`: an AI's static evaluation.

use crate::{
    call::{AI, BODY, CLIENT, Call, GAME},
    choice::{choose, held_to_version},
    error::RequestError,
    forms::{
        game::{GameForm, ReadGame},
        options::{OptionReply, OptionsForm},
    },
    replies::{
        ai::AiReply,
        game::{GameReply, ScoreReply},
    },
    schemas::schema_of,
};
use ai_api::{EvalTerm, Score};
use game::{Client, GameService};
use serde::{Deserialize, Serialize};
use text::printable;
use utoipa::ToSchema;

pub const CALL: Call = Call {
    tag: "ai",
    summary: "Evaluate a position",
    description: "Returns an AI's evaluation of a position, without a search. The `kinds` of the \
                  AI must include `evaluator`. For any other AI the reply is a \
                  `malformed_request`.",
    errors: &[CLIENT, BODY, GAME, AI],
    example: include_str!("evaluate/example.json"),
    ..Call::post::<EvaluateForm>(
        "evaluatePosition",
        "/v1/evaluate",
        schema_of::<EvaluateReply>,
    )
};

/// The body of `POST /v1/evaluate`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluateForm {
    /// The game whose last position is evaluated.
    pub game: GameForm,
    /// The id of the AI. Defaults to the client's AI.
    pub ai: Option<String>,
    /// Options of the AI for this request. The configured values apply to all others.
    #[schema(value_type = Option<BTreeMap<String, OptionReply>>)]
    pub options: Option<OptionsForm>,
}

/// The reply of `POST /v1/evaluate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct EvaluateReply {
    /// The evaluation, from White's point of view.
    pub score: ScoreReply,
    /// The named parts of the evaluation, if the AI reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<Vec<TermReply>>,
    /// The game, whose `status` says whether it is over.
    pub game: GameReply,
    /// The AI that answered.
    pub ai: AiReply,
}

/// A term of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TermReply {
    /// The name.
    pub name: String,
    /// The term's share of the score, from White's point of view.
    pub score: ScoreReply,
}

impl TermReply {
    fn new(term: &EvalTerm) -> Self {
        Self {
            name: printable(&term.name),
            score: Score::from_value(term.score.value()).into(),
        }
    }
}

/// Returns an AI's static evaluation. Dropping the future cancels it.
///
/// # Errors
/// The game is illegal, the client may not use the AI, or the AI does not evaluate or fails.
pub async fn respond(
    service: &GameService,
    client: &Client,
    form: &EvaluateForm,
) -> Result<EvaluateReply, RequestError> {
    let ReadGame { game, inferred } = form.game.read(service.config().server.max_plies)?;
    let ai = choose(service, client, form.ai.as_deref())?;
    let options = OptionsForm::read(form.options.as_ref(), ai)?;
    let (score, terms, responder) = service
        .evaluate(
            &held_to_version(client, form.ai.as_deref()),
            ai,
            &game,
            &options,
        )
        .await?;
    let terms: Vec<_> = terms.iter().map(TermReply::new).collect();
    let terms = (!terms.is_empty()).then_some(terms);
    let game = GameReply::new(&game, inferred);
    Ok(EvaluateReply {
        score: score.into(),
        terms,
        game,
        ai: AiReply::of(responder, &options),
    })
}
