//! `POST /v1/attacks`: which pieces attack which squares.

use std::collections::BTreeMap;

use ai_api::{Bitboard, Color, Square};
use game::GameService;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    call::Call, error::RequestError, forms::game::GameForm, schemas::schema_of, words::NoteWord,
};

pub const CALL: Call = Call {
    summary: "List attacks and pins",
    description: "Lists the attackers of each square, and the pieces that are pinned or hanging.",
    example: include_str!("attacks/example.json"),
    ..Call::post::<AttacksForm>("listAttacks", "/v1/attacks", schema_of::<AttacksReply>)
};

/// The body of `POST /v1/attacks`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AttacksForm {
    /// The game whose last position is examined.
    game: GameForm,
}

/// The reply of `POST /v1/attacks`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AttacksReply {
    /// Each attacked square with its `attackers` from each side. Pinned pieces count as attackers.
    squares: BTreeMap<String, AttackedReply>,
    /// The pinned pieces of both sides, each with its `square`, the piece `by` that pins it, and
    /// the `line` between them and the king.
    pinned: Vec<PinReply>,
    /// The pieces of both sides that are attacked and undefended, or attacked by a less valuable
    /// piece.
    hanging: Vec<String>,
    /// Squares that the side to move can reach, but only by losing the piece or exchanging it at a
    /// loss.
    dangerous: Vec<String>,
    /// Irregularities that were accepted in the game, such as a check that no move could have
    /// given.
    #[schema(value_type = Vec<NoteWord>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<&'static str>,
}

/// An attacked square.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
struct AttackedReply {
    /// The squares of the pieces that attack it.
    attackers: AttackersReply,
}

/// The attackers of a square.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
struct AttackersReply {
    /// White's pieces.
    white: Vec<String>,
    /// Black's pieces.
    black: Vec<String>,
}

/// A pinned piece.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
struct PinReply {
    /// The pinned piece.
    square: String,
    /// The piece that pins it.
    by: String,
    /// The squares between the king and the pinning piece, and the pinning piece's square.
    line: Vec<String>,
}

fn names(squares: Bitboard) -> Vec<String> {
    squares
        .into_iter()
        .map(|square| square.to_string())
        .collect()
}

/// Returns the attacks in the last position.
///
/// # Errors
/// The game is illegal.
pub fn respond(service: &GameService, form: &AttacksForm) -> Result<AttacksReply, RequestError> {
    let read = form.game.read_to_look(service.config().server.max_plies)?;
    let position = read.game.position();
    let attacked = |square: Square| {
        let sides = rules::attackers_of(position, square);
        let [white, black] = Color::ALL.map(|color| names(sides[color.index()]));
        let attackers = AttackersReply { white, black };
        sides
            .iter()
            .any(|side| !side.is_empty())
            .then(|| (square.to_string(), AttackedReply { attackers }))
    };
    let pin = |pin: rules::Pin| PinReply {
        square: pin.square.to_string(),
        by: pin.by.to_string(),
        line: names(pin.line),
    };
    Ok(AttacksReply {
        squares: Square::all().filter_map(attacked).collect(),
        pinned: rules::pins(position).into_iter().map(pin).collect(),
        hanging: names(rules::hanging(position)),
        dangerous: names(rules::dangerous_squares(position)),
        notes: read.inferred.notes,
    })
}
