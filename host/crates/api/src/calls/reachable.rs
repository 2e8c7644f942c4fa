//! `POST /v1/reachable`: the squares that a piece reaches, and what makes moves to them illegal.

use crate::{
    call::Call,
    error::RequestError,
    forms::{game::GameForm, search::square},
    replies::piece::PieceReply,
    schemas::schema_of,
    words::{MovementWord, ObstacleWord},
};
use ai_api::Square;
use game::GameService;
use rules::{Obstacle, Reach, Setup};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub const CALL: Call = Call {
    summary: "Explain where a piece can go",
    description: "Lists every square that a piece's movement reaches. If the move to a square is \
                  illegal, the reply gives the reason and the piece that causes it. The position \
                  may have one king or none.",
    example: include_str!("reachable/example.json"),
    ..Call::post::<ReachableForm>(
        "reachableSquares",
        "/v1/reachable",
        schema_of::<ReachableReply>,
    )
};

/// The body of `POST /v1/reachable`.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReachableForm {
    /// The game whose last position is examined, even if the game is drawn there. The first
    /// position need not be legal, so kings may be missing.
    game: GameForm,
    /// The square of the piece.
    #[schema(pattern = "^[a-h][1-8]$")]
    square: String,
}

/// The reply of `POST /v1/reachable`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReachableReply {
    /// The piece on the square, or `null` if the square is empty.
    #[schema(required)]
    piece: Option<PieceReply>,
    /// Every square that the piece's movement reaches, from a1 to h8.
    squares: Vec<ReachReply>,
}

/// A square that the movement of a piece reaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
struct ReachReply {
    /// The square. For castling it is the same as in `uci`.
    to: String,
    /// The kind of movement. `line` includes the king's single step, and `capture` is a pawn's
    /// capture.
    #[schema(value_type = MovementWord)]
    movement: &'static str,
    /// Whether the move is legal in this position.
    legal: bool,
    /// Why the move is illegal, or `null` if it is legal.
    #[schema(required, value_type = Option<ObstacleWord>)]
    why: Option<&'static str>,
    /// The square of the other piece that prevents the move.
    #[schema(required)]
    by: Option<String>,
    /// The attacked square that the king would cross or reach when castling.
    #[schema(required)]
    through: Option<String>,
}

impl ReachableReply {
    fn new(setup: &Setup, square: Square) -> Self {
        let shown = |by: Option<Square>| by.map(|by| by.to_string());
        let reply = |reach: Reach| ReachReply {
            to: reach.to.to_string(),
            movement: reach.movement.into_str(),
            legal: reach.obstacle.is_none(),
            why: reach.obstacle.map(|obstacle| obstacle.into_str()),
            by: shown(reach.obstacle.and_then(Obstacle::by)),
            through: shown(reach.obstacle.and_then(Obstacle::through)),
        };
        Self {
            piece: setup.piece_at(square).map(PieceReply::from),
            squares: rules::reachable_in(setup, square)
                .into_iter()
                .map(reply)
                .collect(),
        }
    }
}

/// Returns the squares that a piece reaches.
///
/// # Errors
/// The game is illegal, or the text is not a square.
pub fn respond(
    service: &GameService,
    form: &ReachableForm,
) -> Result<ReachableReply, RequestError> {
    let square = square(&form.square, "/square")?;
    let setup = form.game.read_setup(service.config().server.max_plies)?;
    Ok(ReachableReply::new(&setup, square))
}
