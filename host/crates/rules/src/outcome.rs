//! The status of a game: results and claims.

use std::fmt;

use ai_api::{Bitboard, Color, Position, Role};

use crate::{names::title, texts::words};

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Checkmate.
    Win {
        /// The side that gave checkmate.
        winner: Color,
    },
    /// A draw without a claim.
    Draw(DrawReason),
}

words! {
    /// The rule by which a game is drawn.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DrawReason {
        /// The side to move has no legal move and is not in check.
        Stalemate = "stalemate",
        /// Neither side can mate with the material on the board.
        InsufficientMaterial = "insufficient_material",
        /// Seventy-five moves by each side without a capture or pawn move.
        SeventyFiveMoves = "seventyfive_moves",
        /// The same position for the fifth time.
        FivefoldRepetition = "fivefold_repetition",
    }
}

const CHECKMATE: &str = "checkmate";

impl Outcome {
    /// Returns every [`reason`](Self::reason).
    pub fn reasons() -> Vec<&'static str> {
        [&[CHECKMATE], DrawReason::VARIANTS].concat()
    }

    /// Returns the winner.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::Win { winner } => Some(winner),
            Self::Draw(_) => None,
        }
    }

    /// Returns the stable name of the reason.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Win { .. } => CHECKMATE,
            Self::Draw(reason) => reason.into_str(),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Win { winner } => write!(f, "{} gave checkmate", title(*winner)),
            Self::Draw(DrawReason::Stalemate) => f.write_str("drawn by stalemate"),
            Self::Draw(DrawReason::InsufficientMaterial) => {
                f.write_str("drawn by insufficient material")
            }
            Self::Draw(DrawReason::SeventyFiveMoves) => f.write_str("drawn by the 75-move rule"),
            Self::Draw(DrawReason::FivefoldRepetition) => {
                f.write_str("drawn by fivefold repetition")
            }
        }
    }
}

/// Returns whether neither side can ever mate with the material on the board: bare kings, one
/// knight, or any number of bishops on squares of one color.
#[must_use]
pub fn is_insufficient_material(position: &Position) -> bool {
    const DARK_SQUARES: Bitboard = Bitboard(0xaa55_aa55_aa55_aa55);
    let role = |role| position.role(role);
    if !(role(Role::Pawn) | role(Role::Rook) | role(Role::Queen)).is_empty() {
        return false;
    }
    let (knights, bishops) = (role(Role::Knight), role(Role::Bishop));
    if knights.is_empty() {
        (bishops & DARK_SQUARES).is_empty() || (bishops & !DARK_SQUARES).is_empty()
    } else {
        bishops.is_empty() && !knights.has_several()
    }
}

words! {
    /// A draw that the side to move may claim.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum DrawClaim {
        /// The position has occurred at least three times.
        ThreefoldRepetition = "threefold_repetition",
        /// Fifty moves by each side without a capture or pawn move.
        FiftyMoves = "fifty_moves",
    }
}

/// The status of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The result; `None` while the game continues.
    pub outcome: Option<Outcome>,
    /// The draws that the side to move may claim.
    pub claims: Vec<DrawClaim>,
    /// The side to move, even when the game is over.
    pub turn: Color,
    /// Whether the side to move is in check.
    pub check: bool,
}
