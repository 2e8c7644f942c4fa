//! Pictures of positions.

use ai_api::{Color, Move};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Arbiter, ArbiterError, GameError, Malformed, form::square, game_form::TurnForm};
use formats::{Arrow, Picture};

const SIZES: std::ops::RangeInclusive<u32> = 64..=2048;
const MOST_ARROWS: usize = 64;

/// What `GET /v1/board.svg` takes in its query.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PictureForm {
    /// The position; left out, the standard start.
    pub fen: Option<String>,
    /// Arrows, such as `e2e4,g1f3`; one square alone, as in `e4`, gets a ring.
    pub arrows: Option<String>,
    /// Width and height in pixels.
    pub size: Option<u32>,
    /// Whose side is below; left out, White's.
    pub orientation: Option<TurnForm>,
    /// The move that led to the position, such as `e2e4`; its squares are marked.
    pub last_move: Option<String>,
}

impl Arbiter {
    /// A picture of a position, in SVG.
    ///
    /// # Errors
    /// The position is not legal, or the form can't be drawn.
    pub fn picture(form: &PictureForm) -> Result<String, ArbiterError> {
        let position = match &form.fen {
            None => rules::start_position(),
            Some(fen) => {
                let game = rules::Game::from_moves(Some(fen), &[] as &[&str]);
                let placed = |issues| GameError::new(issues, ToString::to_string);
                *game.map_err(placed)?.position()
            }
        };
        let size = form.size.unwrap_or(Picture::DEFAULT_SIZE);
        if !SIZES.contains(&size) {
            let (least, most) = SIZES.into_inner();
            let detail = format!("size is {size}; it is at least {least} and at most {most}");
            return Err(Malformed { pointer: "/size".into(), detail }.into());
        }
        let last_move = form.last_move.as_deref().map(|text| arrow(text, "/last_move")).transpose()?;
        Ok(Picture {
            position,
            size,
            orientation: form.orientation.map_or(Color::White, Color::from),
            last_move: last_move.map(|Arrow { from, to }| Move::new(from, to)),
            arrows: arrows(form.arrows.as_deref().unwrap_or_default())?,
        }
        .to_svg())
    }
}

fn arrows(text: &str) -> Result<Vec<Arrow>, Malformed> {
    let texts: Vec<&str> = text.split(',').map(str::trim).filter(|text| !text.is_empty()).collect();
    if texts.len() > MOST_ARROWS {
        let detail = format!("there are {} arrows; at most {MOST_ARROWS} are drawn", texts.len());
        return Err(Malformed { pointer: "/arrows".into(), detail });
    }
    texts.into_iter().map(|text| arrow(text, "/arrows")).collect()
}

/// Two squares, as in a move of UCI, or one.
fn arrow(text: &str, pointer: &str) -> Result<Arrow, Malformed> {
    let (from, to) = text.split_at_checked(2).unwrap_or((text, ""));
    let from = square(from, pointer)?;
    // A promotion tells a piece too.
    let to = if to.is_empty() {
        from
    } else {
        square(to.get(..2).filter(|_| to.len() <= 3).unwrap_or(to), pointer)?
    };
    Ok(Arrow { from, to })
}
