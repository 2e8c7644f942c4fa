//! Games from one format to another.

use rules::ReadVariations;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{
    Arbiter, ArbiterError,
    game_form::GameForm,
    reply::Assumptions,
    strict_json::{name, object, optional_name},
};
use formats::FormatName;

/// What `POST /v1/convert` takes.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConvertForm {
    /// The game.
    #[serde(deserialize_with = "object")]
    pub game: GameForm,
    /// The format that is asked for.
    #[serde(deserialize_with = "name")]
    pub to: FormatName,
    /// What is done with the variations of a PGN; left out, they are kept.
    #[serde(default, deserialize_with = "optional_name")]
    pub variations: Option<VariationsForm>,
}

/// What is done with variations.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum VariationsForm {
    /// They are read and written.
    Keep,
    /// They are passed over.
    Skip,
}

/// What `POST /v1/convert` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConvertReply {
    /// The game, in the field that is named like the format; beside it what goes with it.
    #[serde(flatten)]
    pub game: Map<String, Value>,
    /// What of the game the format does not hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<&'static str>,
    /// What the format of the game could not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<Assumptions>,
}

impl Arbiter {
    /// Writes a game in another format.
    ///
    /// # Errors
    /// The game is not valid.
    pub fn convert(&self, form: &ConvertForm) -> Result<ConvertReply, ArbiterError> {
        let variations = match form.variations {
            Some(VariationsForm::Skip) => ReadVariations::Skip,
            Some(VariationsForm::Keep) | None => ReadVariations::Keep,
        };
        let record = form.game.read_whole(self.server().max_plies, variations)?;
        Ok(ConvertReply {
            game: form.to.format().export_fields(form.to, &record),
            dropped: form.to.drops(&record).into_iter().map(|part| part.into_str()).collect(),
            assumed: record.assumed.map(Assumptions::from),
        })
    }
}
