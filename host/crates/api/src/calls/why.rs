//! `POST /v1/why`: why a move is good, bad or illegal.

use crate::{
    call::{AI, BODY, CLIENT, Call, GAME},
    choice::choose,
    error::{Malformed, RequestError},
    forms::{
        game::{GameForm, ReadGame},
        options::{OptionReply, OptionsForm},
        search::{LimitForm, requested_search},
    },
    replies::{ai::AiReply, judged::JudgedReply, piece::PieceReply},
    schemas::{Schemas, schema_of, written},
    theory::Theory,
    words::{GAME_OVER, MoveFaultWord, MovementWord},
};
use game::{
    Client, GameService, JudgedMove, MovesToJudge, ReportObserver, RequestedSearch, Responder,
    SearchLimits, ServiceError,
};
use pool::Listener;
use rules::{Game, IllegalMeaning, MoveRefusal, Movement};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{PartialSchema as _, ToSchema};

pub const CALL: Call = Call {
    tag: "ai",
    summary: "Explain a move",
    description: "Explains why a move is good or bad, as a report does. If the move is illegal, \
                  the reply explains why, and no AI is asked.",
    errors: &[CLIENT, BODY, GAME, AI],
    example: include_str!("why/example.json"),
    ..Call::post::<WhyForm>("whyMove", "/v1/why", why)
};

/// The body of `POST /v1/why`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WhyForm {
    /// The game before the move.
    pub game: GameForm,
    /// The move, in UCI or SAN.
    #[serde(rename = "move")]
    #[schema(min_length = 1, max_length = 24)]
    pub asked: String,
    /// The AI that judges. Defaults to the client's AI.
    pub ai: Option<String>,
    /// Options of the AI for this request. The configured values apply to all others.
    #[schema(value_type = Option<BTreeMap<String, OptionReply>>)]
    pub options: Option<OptionsForm>,
    /// The search limits for the positions before and after the move. If omitted, the AI's limits
    /// apply.
    pub limit: Option<LimitForm>,
    /// Whether to search even if the answer to an identical request was kept. `false` by default.
    pub fresh: Option<bool>,
}

/// The reply of `POST /v1/why`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum WhyReply {
    Legal(Box<LegalMoveReply>),
    Illegal(IllegalMoveReply),
}

/// Why a legal move is good or bad.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LegalMoveReply {
    legal: bool,
    ai: AiReply,
    #[serde(flatten)]
    pub judged: JudgedReply,
}

/// Why a move is not legal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct IllegalMoveReply {
    /// Whether the text is one legal move.
    legal: bool,
    /// The reason in English.
    detail: String,
    /// Each move that the text could mean and why it is illegal, the closest first. Empty if the
    /// text is ambiguous or no piece could make a similar move.
    reasons: Vec<IllegalReasonReply>,
    /// Legal moves in SAN. If the text is ambiguous, these are its possible meanings. Otherwise
    /// they are the moves of the piece that it names.
    alternatives: Vec<String>,
}

/// Why a move is illegal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
struct IllegalReasonReply {
    /// The piece that would move, or `null` if the square is empty.
    #[schema(required)]
    piece: Option<PieceReply>,
    /// The origin square.
    from: String,
    /// The target square.
    to: String,
    /// The kind of movement, or `null` if the piece doesn't move that way.
    #[schema(required, value_type = Option<MovementWord>)]
    movement: Option<&'static str>,
    /// The reason.
    #[schema(value_type = MoveFaultWord)]
    why: &'static str,
    /// The square of the other piece that prevents the move.
    #[schema(required)]
    by: Option<String>,
    /// The attacked square that the king would cross or reach when castling.
    #[schema(required)]
    through: Option<String>,
}

impl From<&IllegalMeaning> for IllegalReasonReply {
    fn from(meaning: &IllegalMeaning) -> Self {
        let obstacle = meaning.why.obstacle();
        Self {
            piece: meaning.piece.map(PieceReply::from),
            from: meaning.from.to_string(),
            to: meaning.to.to_string(),
            movement: meaning.movement.map(|movement| movement.into_str()),
            why: meaning.why.code(),
            by: obstacle
                .and_then(rules::Obstacle::by)
                .map(|square| square.to_string()),
            through: obstacle
                .and_then(rules::Obstacle::through)
                .map(|square| square.to_string()),
        }
    }
}

/// Returns the schema of the reply: one object rather than a union, because generated clients would
/// drop fields of a union.
fn why(schemas: &mut Schemas) -> Value {
    let (judged, illegal) = (
        json!(JudgedReply::schema()),
        json!(IllegalMoveReply::schema()),
    );
    let mut properties = judged["properties"].clone();
    properties["ai"] = schema_of::<AiReply>(schemas);
    for (name, field) in illegal["properties"].as_object().into_iter().flatten() {
        properties[name] = field.clone();
    }
    schema_of::<JudgedReply>(schemas);
    schema_of::<IllegalMoveReply>(schemas);
    let mut of_legal = judged["required"].as_array().cloned().unwrap_or_default();
    of_legal.push("ai".into());
    let reply = json!({
        "type": "object",
        "description": "A judged move as in a report, or `detail`, `reasons` and `alternatives` \
            for an illegal move.",
        "required": ["legal"],
        "properties": properties,
        "if": {"properties": {"legal": {"const": true}}},
        "then": {"required": of_legal},
        "else": {"required": illegal["required"]}
    });
    written("WhyReply", reply, schemas)
}

/// Says why a move is good, bad or illegal. Waits for `turn` before the second search. Dropping the
/// future cancels the searches.
///
/// # Errors
/// The game is illegal, the text is not a move, the client may not use the AI, or the AI
/// fails.
pub async fn respond(
    service: &GameService,
    client: &Client,
    form: &WhyForm,
    turn: impl AsyncFn(),
) -> Result<WhyReply, RequestError> {
    let ReadGame { game, .. } = form.game.read(service.config().server.max_plies)?;
    let ai = choose(service, client, form.ai.as_deref())?;
    let options = OptionsForm::read(form.options.as_ref(), ai)?;
    let search = RequestedSearch {
        analysis: true,
        ..requested_search(form.limit.as_ref(), None, None, form.fresh)?
    }
    .with_options(ai, &options);
    let chosen = match rules::explain_move(game.position(), &form.asked) {
        Ok(chosen) => chosen,
        Err(refusal) => return Ok(WhyReply::Illegal(illegal(refusal)?)),
    };
    if let Some(outcome) = game.outcome() {
        return Ok(WhyReply::Illegal(after_the_end(&game, chosen, outcome)));
    }
    let mut played = game;
    played
        .play(chosen)
        .map_err(|_| ServiceError::Internal("a legal move could not be played"))?;
    let moves = MovesToJudge::Last(&played);
    let report = service
        .report(client, ai, moves, search, &options, &Unobserved(turn))
        .await?;
    let judged = report.games.first().and_then(|judged| judged.moves.last());
    let judged = judged.ok_or(ServiceError::Internal("a move was not judged"))?;
    Ok(WhyReply::Legal(Box::new(LegalMoveReply {
        legal: true,
        ai: AiReply::of(report.responder, &options),
        judged: Theory::of(&played).judged(judged),
    })))
}

/// Describes why a move is illegal.
///
/// # Errors
/// The text is not a move.
fn illegal(refusal: MoveRefusal) -> Result<IllegalMoveReply, Malformed> {
    let detail = refusal.to_string();
    let (reasons, alternatives) = match refusal {
        MoveRefusal::Malformed { .. } => return Err(Malformed::new("/move", detail)),
        MoveRefusal::Ambiguous { candidates, .. } => (Vec::new(), candidates),
        MoveRefusal::Illegal {
            reasons,
            alternatives,
            ..
        } => (reasons.iter().map(Into::into).collect(), alternatives),
    };
    Ok(IllegalMoveReply {
        legal: false,
        detail,
        reasons,
        alternatives,
    })
}

fn after_the_end(game: &Game, chosen: ai_api::Move, outcome: rules::Outcome) -> IllegalMoveReply {
    let position = game.position();
    let (from, to) = (chosen.from(), rules::uci_target(position, chosen));
    let reach = rules::reachable(position, from).into_iter();
    let piece = position.color_at(from).zip(position.role_at(from));
    IllegalMoveReply {
        legal: false,
        detail: format!("the game is over ({})", outcome.reason()),
        reasons: vec![IllegalReasonReply {
            piece: piece.map(PieceReply::from),
            from: from.to_string(),
            to: to.to_string(),
            movement: reach
                .map(|reach| (reach.to, reach.movement))
                .find(|found| found.0 == to)
                .map(|(_, movement): (_, Movement)| movement.into_str()),
            why: GAME_OVER,
            by: None,
            through: None,
        }],
        alternatives: Vec::new(),
    }
}

/// An observer that waits between searches and ignores their progress.
struct Unobserved<T>(T);

impl<T: AsyncFn()> ReportObserver for Unobserved<T> {
    async fn turn(&self) {
        (self.0)().await;
    }

    fn started(&self, _: Responder<'_>, _: &SearchLimits) {}

    fn searching(&self, _: usize, _: &Game, _: &SearchLimits) -> Option<Box<dyn Listener>> {
        None
    }

    fn judged(&self, _: usize, _: &JudgedMove) {}
}
