//! `POST /v1/legal-moves`: the legal moves of a position.

use std::collections::{BTreeMap, BTreeSet};

use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Payload},
};
use game::GameService;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::call::{Call, respond_to};
use crate::{
    error::RequestError,
    forms::{game::GameForm, search::square, strict_json::object},
    replies::game::{GameReply, MoveReply},
    schemas::schema_of,
};

pub(crate) const CALL: Call = Call {
    summary: "The legal moves",
    description: "The moves of every piece, or of the piece on the square `from`.",
    example: include_str!("legal_moves/example.json"),
    ..Call::post::<LegalMovesForm>(
        "legalMoves",
        "/v1/legal-moves",
        || web::to(handle),
        schema_of::<LegalMovesReply>,
    )
};

/// The body of `POST /v1/legal-moves`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LegalMovesForm {
    /// The game.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// A square: returns only the moves of the piece on it.
    pub from: Option<String>,
}

/// The reply of `POST /v1/legal-moves`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LegalMovesReply {
    /// The moves.
    pub moves: Vec<MoveReply>,
    /// The destinations of each piece.
    pub dests: BTreeMap<String, BTreeSet<String>>,
    /// The game.
    pub game: GameReply,
}

async fn handle(request: HttpRequest, payload: Payload) -> HttpResponse {
    respond_to(request, payload, async |generation, form| Ok(respond(generation.game(), &form)?)).await
}

/// Returns the legal moves of a game, or those of one piece.
///
/// # Errors
/// The game is illegal, or `from` is not a square.
pub fn respond(service: &GameService, form: &LegalMovesForm) -> Result<LegalMovesReply, RequestError> {
    let record = form.game.read(service.config().server.max_plies)?;
    let from = form.from.as_deref().map(|text| square(text, "/from")).transpose()?;
    let position = record.game.position();
    let moves = if record.game.status().outcome.is_some() {
        ai_api::MoveList::new()
    } else {
        from.map_or_else(|| rules::legal_moves(position), |from| rules::legal_moves_from(position, from))
    };
    let moves: Vec<_> = moves.iter().map(|&chosen| MoveReply::new(position, chosen)).collect();
    let mut dests = BTreeMap::<String, BTreeSet<String>>::new();
    for chosen in &moves {
        dests.entry(chosen.from.clone()).or_default().insert(chosen.to.clone());
    }
    Ok(LegalMovesReply { moves, dests, game: GameReply::new(&record.game, record.assumptions) })
}
