//! `POST /v1/convert`: a game in another format.

use crate::{
    calls::{
        call::{Call, respond_to},
        forms::game::GameForm,
        replies::game::{Assumptions, Inferred},
        schemas::{Schemas, schema_of, written},
    },
    error::RequestError,
    http::strict_json::{name, object, optional_name},
    problem::{Code, Problem},
    words::{BoardWord, ColorWord, PartWord},
};
use actix_web::{
    HttpRequest, HttpResponse,
    web::{self, Payload},
};
use formats::FormatName;
use game::GameService;
use rules::ReadVariations;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

pub(crate) const CALL: Call = Call {
    summary: "Conversion",
    description: "Writes a game in another format. The reply has a field named after the format; `dropped` names what the format cannot hold.",
    example: include_str!("convert/example.json"),
    ..Call::post::<ConvertForm>("convertGame", "/v1/convert", || web::to(handle), converted)
};

/// The body of `POST /v1/convert`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ConvertForm {
    /// The game.
    #[serde(deserialize_with = "object")]
    game: GameForm,
    /// The requested format.
    #[serde(deserialize_with = "name")]
    to: FormatName,
    /// Whether the variations of a PGN are kept; by default they are.
    #[serde(default, deserialize_with = "optional_name")]
    variations: Option<VariationsForm>,
}

/// The handling of variations.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum VariationsForm {
    /// Reads and writes them.
    Keep,
    /// Skips them.
    Skip,
}

/// The reply of `POST /v1/convert`.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct ConvertReply {
    /// The game in the field that is named like the format, and the fields that belong to it.
    #[serde(flatten)]
    game: Map<String, Value>,
    /// The parts of the game that the format cannot hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped: Vec<&'static str>,
    #[serde(flatten)]
    inferred: Inferred,
}

async fn handle(request: HttpRequest, payload: Payload) -> HttpResponse {
    respond_to(request, payload, async |generation, form| {
        // A long text with many variations must not block other requests.
        let converted = web::block(move || respond(generation.service(), &form)).await;
        let stopped = |_| Problem::new(Code::Internal, "the conversion did not finish");
        Ok(converted.map_err(stopped)??)
    })
    .await
}

/// Converts a game to another format.
///
/// # Errors
/// The game is illegal.
fn respond(service: &GameService, form: &ConvertForm) -> Result<ConvertReply, RequestError> {
    let variations = match form.variations {
        Some(VariationsForm::Skip) => ReadVariations::Skip,
        Some(VariationsForm::Keep) | None => ReadVariations::Keep,
    };
    let (record, inferred) = form.game.read_whole(service.config().server.max_plies, variations)?;
    Ok(ConvertReply {
        game: form.to.format().export_fields(form.to.into_str(), &record),
        dropped: form.to.drops(&record).into_iter().map(|part| part.into_str()).collect(),
        inferred,
    })
}

/// Returns the schema of the reply: a field for each format, one of which is set.
fn converted(schemas: &mut Schemas) -> Value {
    let format = schema_of::<FormatName>(schemas);
    let assumed = schema_of::<Assumptions>(schemas);
    let dropped = schema_of::<PartWord>(schemas);
    let mut properties = json!({});
    for name in FormatName::ALL {
        properties[name.into_str()] = name.format().schema();
    }
    properties[FormatName::Boards.into_str()]["items"] = schema_of::<BoardWord>(schemas);
    properties["turn"] = schema_of::<ColorWord>(schemas);
    properties["turn"]["description"] = "The side to move, beside `boards`.".into();
    properties["dropped"] = json!({"type": "array", "description": "The parts of the game that the format cannot hold.", "items": dropped});
    properties["format"] =
        json!({"$ref": format["$ref"], "description": "The format that was found in a text given as `any`."});
    properties["assumed"] = assumed;
    let reply = json!({
        "type": "object",
        "description": "One field is named like the format; the others belong to it.",
        "properties": properties
    });
    written("ConvertReply", reply, schemas)
}
