//! How a game stands.

use std::fmt;

use ai_api::Color;
use strum::VariantNames as _;

use crate::names::title;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// By checkmate.
    Win {
        /// Who gave it.
        winner: Color,
    },
    /// By one of the rules that end a game without anybody's asking.
    Draw(DrawReason),
}

/// Why a game is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum DrawReason {
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Nobody could mate with what is left, however badly the other side played.
    InsufficientMaterial,
    /// Seventy-five moves of each side without a capture or a pawn's move.
    #[strum(serialize = "seventyfive_moves")]
    SeventyFiveMoves,
    /// The same position for the fifth time.
    FivefoldRepetition,
}

const CHECKMATE: &str = "checkmate";

impl Outcome {
    /// Returns every [`reason`](Self::reason).
    pub fn reasons() -> Vec<&'static str> {
        [&[CHECKMATE], DrawReason::VARIANTS].concat()
    }

    /// Who won.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Self::Win { winner } => Some(winner),
            Self::Draw(_) => None,
        }
    }

    /// The stable name of what ended the game.
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
            Self::Win { winner } => write!(f, "{} has given checkmate", title(*winner)),
            Self::Draw(DrawReason::Stalemate) => f.write_str("drawn by stalemate"),
            Self::Draw(DrawReason::InsufficientMaterial) => f.write_str("drawn by insufficient material"),
            Self::Draw(DrawReason::SeventyFiveMoves) => f.write_str("drawn by the 75-move rule"),
            Self::Draw(DrawReason::FivefoldRepetition) => f.write_str("drawn by fivefold repetition"),
        }
    }
}

/// A draw that the side to move may claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Claim {
    /// The position stands for the third time or more.
    ThreefoldRepetition,
    /// Fifty moves of each side without a capture or a pawn's move.
    FiftyMoves,
}

/// How a game stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// How it ended; none while it goes on.
    pub outcome: Option<Outcome>,
    /// What the side to move may claim while the game goes on.
    pub claims: Vec<Claim>,
    /// Who moves, or would.
    pub turn: Color,
    /// Whether that side is in check.
    pub check: bool,
}
