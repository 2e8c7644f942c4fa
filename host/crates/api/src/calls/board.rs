//! `GET /v1/board.svg`: a picture of a position, which browsers and caches may store.

use crate::{
    call::{CLIENT, Call, GAME, IF_NONE_MATCH, ReplyType, TAGGED, text},
    error::{IllegalGameError, Malformed, RequestError},
    forms::{game::TurnForm, search::square},
    problem::Code,
};
use ai_api::{Color, Move};
use formats::{Arrow, Picture};
use rules::Setup;
use serde::Deserialize;
use serde_json::{Value, json};
use text::printable;

pub const CALL: Call = Call {
    summary: "Draw a position",
    description: "Draws a position and marks a king in check. Caches may keep the picture for a \
                  day and revalidate it with its `ETag`.",
    parameters: picture_parameters,
    reply_description: "The picture.",
    reply: ReplyType {
        media_type: "image/svg+xml",
        schema: text,
    },
    example: include_str!("board/example.json"),
    header_parameters: IF_NONE_MATCH,
    headers: TAGGED,
    bare_statuses: &["304"],
    errors: &[CLIENT, &[Code::MalformedRequest], GAME],
    ..Call::get("boardPicture", "/v1/board.svg", text)
};

const SIZES: std::ops::RangeInclusive<u32> = 64..=2048;
const MAX_ARROWS: usize = 64;
/// The patterns for one arrow and for a list of arrows.
const ARROW: &str = "^[a-h][1-8]([a-h][1-8][nbrq]?)?$";
const ARROWS: &str = "^([a-h][1-8]([a-h][1-8][nbrq]?)?(,[a-h][1-8]([a-h][1-8][nbrq]?)?){0,63})?$";

/// The query.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PictureForm {
    fen: Option<String>,
    arrows: Option<String>,
    size: Option<String>,
    orientation: Option<TurnForm>,
    last_move: Option<String>,
}

/// Draws a position in SVG.
///
/// # Errors
/// The position is illegal, or a parameter is out of range.
pub fn draw(form: &PictureForm) -> Result<String, RequestError> {
    let setup = form.fen.as_ref().map_or_else(
        || Ok(Setup::standard()),
        |fen| {
            rules::parse_setup(fen).map_err(|_| {
                let issues = rules::Game::from_moves(Some(fen), &[] as &[&str])
                    .err()
                    .unwrap_or_default();
                IllegalGameError::new(issues, ToString::to_string)
            })
        },
    )?;
    let size = form
        .size
        .as_deref()
        .map_or(Ok(Picture::DEFAULT_SIZE), |size| {
            size.parse()
                .ok()
                .filter(|size| SIZES.contains(size))
                .ok_or_else(|| {
                    let (least, most) = SIZES.into_inner();
                    let size = printable(size);
                    Malformed::new(
                        "/size",
                        format!(
                            "size is '{size}'; it must be a whole number from {least} to {most}"
                        ),
                    )
                })
        })?;
    let last_move = form
        .last_move
        .as_deref()
        .map(|text| arrow(text, "/last_move"))
        .transpose()?;
    Ok(Picture {
        setup,
        size,
        orientation: form.orientation.map_or(Color::White, Color::from),
        last_move: last_move.map(|Arrow { from, to }| Move::new(from, to)),
        arrows: arrows(form.arrows.as_deref().unwrap_or_default())?,
    }
    .to_svg())
}

fn arrows(list: &str) -> Result<Vec<Arrow>, Malformed> {
    let texts: Vec<&str> = list
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .collect();
    if texts.len() > MAX_ARROWS {
        let detail = format!(
            "arrows contains {} arrows; at most {MAX_ARROWS} are allowed",
            texts.len()
        );
        return Err(Malformed::new("/arrows", detail));
    }
    texts
        .into_iter()
        .map(|text| arrow(text, "/arrows"))
        .collect()
}

/// Parses an arrow: two squares, as in a UCI move, or one square for a ring.
fn arrow(text: &str, pointer: &str) -> Result<Arrow, Malformed> {
    let (from, to) = text.split_at_checked(2).unwrap_or((text, ""));
    let from = square(from, pointer)?;
    // A promotion has a fifth character.
    let to = if to.is_empty() {
        from
    } else {
        square(to.get(..2).filter(|_| to.len() <= 3).unwrap_or(to), pointer)?
    };
    Ok(Arrow { from, to })
}

fn picture_parameters() -> Vec<Value> {
    let parameter = |name: &str, schema: Value, description: &str, example: &str| {
        json!({
            "name": name,
            "in": "query",
            "required": false,
            "schema": schema,
            "description": description,
            "example": example
        })
    };
    let text = || json!({"type": "string"});
    let (least, most) = SIZES.into_inner();
    vec![
        parameter(
            "fen",
            text(),
            "The position in FEN. Defaults to the standard starting position.",
            "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        ),
        parameter(
            "arrows",
            json!({"type": "string", "pattern": ARROWS}),
            "Arrows, separated by commas. A single square gets a ring.",
            "e2e4,e8",
        ),
        json!({
            "name": "size",
            "in": "query",
            "required": false,
            "description": "The width and height in pixels.",
            "schema": {
                "type": "integer",
                "minimum": least,
                "maximum": most,
                "default": Picture::DEFAULT_SIZE
            }
        }),
        parameter(
            "orientation",
            json!({"type": "string", "enum": ["white", "black"], "default": "white"}),
            "The side at the bottom.",
            "white",
        ),
        parameter(
            "last_move",
            json!({"type": "string", "pattern": ARROW}),
            "The last move. Its squares are marked.",
            "e7e8",
        ),
    ]
}
