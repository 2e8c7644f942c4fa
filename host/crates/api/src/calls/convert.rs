//! `POST /v1/convert`: games in another format.

use std::collections::BTreeMap;

use crate::{
    call::Call,
    error::{Malformed, RequestError, pointer_part},
    forms::game::{GameForm, MAX_GAMES, Purpose},
    json::unique_keys,
    replies::game::{Assumptions, Inferred},
    schemas::{Schemas, schema_of, written},
    words::{BoardWord, ColorWord, NoteWord, PartWord},
};
use config::shortened;
use formats::{FormatName, GameRecord};
use game::GameService;
use rules::{PgnGame, PgnResult, ReadVariations};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

pub const CALL: Call = Call {
    summary: "Convert games",
    description: "Writes a game in another format. The reply has a field named after the format, \
                  and `dropped` names what the format cannot hold. For a text with several games, \
                  the reply has `games` instead, with such an object for each game.",
    // Only PGN has tags.
    excluded: Some(|| {
        let other = json!({"not": {"const": "pgn"}});
        json!({"required": ["tags"], "properties": {"tags": {"type": "object"}, "to": other}})
    }),
    example: include_str!("convert/example.json"),
    ..Call::post::<ConvertForm>("convertGame", "/v1/convert", converted_schema)
};

const MAX_TAGS: usize = 100;
/// The maximum length of a tag's name and of its value in the PGN standard.
const MAX_TAG_BYTES: usize = 255;
/// The maximum number of characters quoted from a client's text in a message.
const MAX_SHOWN_CHARS: usize = 64;

/// The body of `POST /v1/convert`.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConvertForm {
    /// The game.
    game: GameForm,
    /// The requested format.
    to: FormatName,
    /// Whether to keep the variations of a PGN. `keep` by default.
    variations: Option<VariationsForm>,
    /// Tags for `pgn`, such as `{"White": "Anna", "Black": "Ben", "Result": "1-0"}`. They replace
    /// the game's tags, except the tags of the first position.
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    tags: Option<TagsForm>,
}

/// Tag values by name.
#[derive(Clone, Debug, Deserialize)]
struct TagsForm(#[serde(deserialize_with = "unique_keys")] BTreeMap<String, String>);

/// How to handle variations.
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
#[serde(untagged)]
pub enum ConvertReply {
    One(ConvertedGame),
    Several { games: Vec<ConvertedGame> },
}

/// A game in another format.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConvertedGame {
    /// The game, in a field named after its format, and the fields that belong to it.
    #[serde(flatten)]
    game: Map<String, Value>,
    /// The parts of the game that the format cannot hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped: Vec<&'static str>,
    #[serde(flatten)]
    inferred: Inferred,
}

/// Converts a game to another format.
///
/// # Errors
/// The game is illegal.
pub fn respond(service: &GameService, form: &ConvertForm) -> Result<ConvertReply, RequestError> {
    let variations = match form.variations {
        Some(VariationsForm::Skip) => ReadVariations::Skip,
        Some(VariationsForm::Keep) | None => ReadVariations::Keep,
    };
    let max_plies = service.config().server.max_plies;
    let mut games = form
        .game
        .read_several(Purpose::Look, max_plies, variations, MAX_GAMES)?;
    if let Some(TagsForm(tags)) = &form.tags {
        match (form.to, games.as_mut_slice()) {
            (FormatName::Pgn, [(record, _)]) => set_tags(&mut record.game, tags)?,
            (FormatName::Pgn, games) => {
                let detail = format!(
                    "'tags' applies to a single game, but the text contains {}; omit 'tags'",
                    games.len()
                );
                return Err(Malformed::new("/tags", detail).into());
            }
            (other, _) => {
                let detail =
                    format!("'tags' is only for the format 'pgn', not for '{other}'; omit 'tags'");
                return Err(Malformed::new("/tags", detail).into());
            }
        }
    }
    let plies: usize = games
        .iter()
        .map(|(record, _)| record.game.game.moves().len())
        .sum();
    if form.to == FormatName::Boards && plies > max_plies {
        // Each half-move becomes a board.
        let detail = format!(
            "the games have {plies} half-moves; at most {max_plies} are written as boards \
             (max_plies); send fewer games"
        );
        return Err(Malformed::new("/game", detail).into());
    }
    let mut games: Vec<_> = games
        .into_iter()
        .map(|(record, inferred)| converted(form.to, &record, inferred))
        .collect();
    Ok(match games.pop() {
        Some(only) if games.is_empty() => ConvertReply::One(only),
        last => ConvertReply::Several {
            games: games.into_iter().chain(last).collect(),
        },
    })
}

fn converted(to: FormatName, record: &GameRecord, inferred: Inferred) -> ConvertedGame {
    ConvertedGame {
        game: to.format().export_fields(to.into_str(), record),
        dropped: to
            .drops(record)
            .into_iter()
            .map(|part| part.into_str())
            .collect(),
        inferred,
    }
}

/// Sets tags in a game.
///
/// # Errors
/// A tag has an invalid name or value, or it follows from the game.
fn set_tags(game: &mut PgnGame, tags: &BTreeMap<String, String>) -> Result<(), Malformed> {
    if tags.len() > MAX_TAGS {
        let detail = format!(
            "'tags' has {} tags; at most {MAX_TAGS} are allowed",
            tags.len()
        );
        return Err(Malformed::new("/tags", detail));
    }
    for (name, value) in tags {
        let malformed =
            |detail: String| Malformed::new(format!("/tags{}", pointer_part(name)), detail);
        let shown = |text: &str| shortened(text, MAX_SHOWN_CHARS);
        let is_name = name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.len() <= MAX_TAG_BYTES
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            let detail = format!(
                "'{}' is not a tag name; a name has up to {MAX_TAG_BYTES} letters, digits and \
                 underscores",
                shown(name)
            );
            return Err(malformed(detail));
        }
        if value.len() > MAX_TAG_BYTES || value.chars().any(char::is_control) {
            let detail = format!(
                "the tag {} is '{}'; a value has up to {MAX_TAG_BYTES} bytes and no control \
                 characters",
                shown(name),
                shown(value)
            );
            return Err(malformed(detail));
        }
        match name.as_str() {
            "FEN" | "SetUp" => {
                return Err(malformed(format!(
                    "the tag {name} follows from the first position; omit it"
                )));
            }
            "Result" => {
                let result = PgnResult::of_text(value).ok_or_else(|| {
                    malformed(format!(
                        "the tag Result is '{}'; it must be 1-0, 0-1, 1/2-1/2 or *",
                        shown(value)
                    ))
                })?;
                let of_board = PgnResult::of_game(&game.game);
                if of_board != PgnResult::Unknown && of_board != result {
                    return Err(malformed(format!(
                        "the tag Result is {result}; the game ended {of_board}"
                    )));
                }
                game.result = result;
            }
            _ => match game.tags.iter_mut().find(|(tag, _)| tag == name) {
                Some((_, old)) => old.clone_from(value),
                None => game.tags.push((name.clone(), value.clone())),
            },
        }
    }
    Ok(())
}

/// Returns the schema of the reply: a field for each format, one of which is set.
fn converted_schema(schemas: &mut Schemas) -> Value {
    let format = schema_of::<FormatName>(schemas);
    let assumed = schema_of::<Assumptions>(schemas);
    let note = schema_of::<NoteWord>(schemas);
    let dropped = schema_of::<PartWord>(schemas);
    let mut properties = json!({});
    for name in FormatName::ALL {
        properties[name.into_str()] = name.format().schema();
    }
    properties[FormatName::Boards.into_str()]["items"] = schema_of::<BoardWord>(schemas);
    properties["turn"] = schema_of::<ColorWord>(schemas);
    properties["turn"]["description"] = "The side to move, for `boards` and `csharp`.".into();
    properties["dropped"] = json!({"type": "array", "description": "The parts of the game that the \
        format cannot hold.", "items": dropped});
    properties["format"] = json!({"$ref": format["$ref"], "description": "The format that was \
        detected in `any`."});
    properties["assumed"] = assumed;
    properties["notes"] = json!({"type": "array", "description": "Irregularities that were \
        accepted in the game.", "items": note});
    let game = written(
        "ConvertedGame",
        json!({
            "type": "object",
            "description": "A game in another format. One field is named after the format and \
                contains the game. The others describe it.",
            "properties": properties
        }),
        schemas,
    );
    properties["games"] = json!({"type": "array", "description": "All games, if the text has \
        several.", "items": game});
    let reply = json!({
        "type": "object",
        "description": "One field is named after the format and contains the game. The \
            others describe it.",
        "properties": properties
    });
    written("ConvertReply", reply, schemas)
}
