//! `POST /v1/validate`: whether a game is legal.

use crate::{
    call::Call, error::RequestError, forms::game::GameForm, replies::game::GameReply,
    schemas::schema_of,
};
use game::GameService;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub const CALL: Call = Call {
    summary: "Validate a game",
    description: "Checks a game. If it is illegal, the error lists every issue, up to 1,000 of \
                  them.",
    example: include_str!("validate/example.json"),
    ..Call::post::<ValidateForm>("validateGame", "/v1/validate", schema_of::<ValidateReply>)
};

/// The body of `POST /v1/validate`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ValidateForm {
    /// The game.
    pub game: GameForm,
}

/// The reply of `POST /v1/validate`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ValidateReply {
    /// The game.
    pub game: GameReply,
}

/// Validates a game.
///
/// # Errors
/// The game is illegal.
pub fn respond(service: &GameService, form: &ValidateForm) -> Result<ValidateReply, RequestError> {
    let record = form.game.read(service.config().server.max_plies)?;
    Ok(ValidateReply {
        game: GameReply::new(&record.game, record.inferred),
    })
}
