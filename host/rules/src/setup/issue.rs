//! Why a set-up is no legal position.

use ai_api::{Bitboard, Color, Square};
use thiserror::Error;

use super::{castling::CastlingFault, history::EnPassantFault, material::Excess};
use crate::names::{List, title};

/// One cause why a set-up, or the text of one, is no legal position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SetupIssue {
    /// A side has no king.
    #[error("{} has no king; each side has exactly one", title(*.color))]
    MissingKing {
        /// The side.
        color: Color,
    },
    /// A side has more than one king.
    #[error("{} has {count} kings ({}); each side has exactly one", title(*.color), List(*.kings))]
    TooManyKings {
        /// The side.
        color: Color,
        /// How many.
        count: u32,
        /// Where they stand.
        kings: Bitboard,
    },
    /// A pawn stands where none can.
    #[error("a {} pawn stands on {square}; pawns stand on ranks 2 to 7 only", .color.name())]
    PawnOnBackRank {
        /// Whose pawn.
        color: Color,
        /// Where it stands.
        square: Square,
    },
    /// A side has more than it can have come to.
    #[error("{} has {excess}", title(*.color))]
    TooMuchMaterial {
        /// The side.
        color: Color,
        /// Of what there is too much.
        excess: Excess,
    },
    /// The side that has just moved is in check.
    #[error(
        "the {} king on {king} is in check from {}, but it is {}'s turn; only the side to move can be in check",
        .color.name(), List(*.by), title(!*.color)
    )]
    OpponentInCheck {
        /// The side in check.
        color: Color,
        /// Its king.
        king: Square,
        /// What gives check.
        by: Bitboard,
    },
    /// The side to move is in a check that no last move can have given.
    #[error(
        "the {} king on {king} is in check from {} at once; no last move gives this check",
        .color.name(), List(*.by)
    )]
    ImpossibleCheck {
        /// The side in check.
        color: Color,
        /// Its king.
        king: Square,
        /// What gives check.
        by: Bitboard,
    },
    /// A castling right that cannot be.
    #[error("castling rights: {0}")]
    BadCastlingRights(CastlingFault),
    /// An en passant square that the last move cannot have left.
    #[error("the en passant square {square} is impossible: {fault}")]
    BadEnPassantSquare {
        /// The square.
        square: Square,
        /// What speaks against it.
        fault: EnPassantFault,
    },
    /// A text that is no FEN.
    #[error("FEN {field}: found {found}, expected {expected}")]
    BadFen {
        /// Where in the FEN.
        field: FenField,
        /// What stood there, cut short.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
    /// Arrays that are no board.
    #[error("found {found}, expected {expected}")]
    BadBoard {
        /// What was found.
        found: String,
        /// What should stand there.
        expected: &'static str,
    },
}

impl SetupIssue {
    /// The stable code of this cause.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::MissingKing { .. } => "missing_king",
            Self::TooManyKings { .. } => "too_many_kings",
            Self::PawnOnBackRank { .. } => "pawn_on_back_rank",
            Self::TooMuchMaterial { .. } => "too_much_material",
            Self::OpponentInCheck { .. } => "opponent_in_check",
            Self::ImpossibleCheck { .. } => "impossible_check",
            Self::BadCastlingRights(_) => "bad_castling_rights",
            Self::BadEnPassantSquare { .. } => "bad_en_passant_square",
            Self::BadFen { .. } => "bad_fen",
            Self::BadBoard { .. } => "bad_board",
        }
    }
}

/// A part of a FEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FenField {
    /// The text as a whole.
    #[error("text")]
    Whole,
    /// Field 1.
    #[error("field 1 (pieces)")]
    Pieces,
    /// Field 2.
    #[error("field 2 (side to move)")]
    Turn,
    /// Field 3.
    #[error("field 3 (castling)")]
    Castling,
    /// Field 4.
    #[error("field 4 (en passant)")]
    EnPassant,
    /// Field 5.
    #[error("field 5 (half-move clock)")]
    HalfmoveClock,
    /// Field 6.
    #[error("field 6 (move number)")]
    FullmoveNumber,
}
