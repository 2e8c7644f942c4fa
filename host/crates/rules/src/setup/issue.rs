//! Issues of set-ups.

use ai_api::{Bitboard, Color, Square};

use super::{castling::CastlingFault, history::EnPassantFault, material::Excess};
use crate::{
    ImportNote, IssueCode,
    names::{SquareList, title},
    texts::errors,
};

errors! {
    /// One issue that makes a set-up, or its text, illegal.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum SetupIssue {
        /// A side has no king.
        #[error("{} has no king; each side has exactly one", title(*color))]
        MissingKing {
            /// The side.
            color: Color,
        },
        /// A side has more than one king.
        #[error(
            "{} has {count} kings ({}); each side has exactly one",
            title(*color),
            SquareList(*kings)
        )]
        TooManyKings {
            /// The side.
            color: Color,
            /// The number of kings.
            count: u32,
            /// Their squares.
            kings: Bitboard,
        },
        /// A pawn is on the first or last rank.
        #[error("found a {} pawn on {square}; pawns are on ranks 2 to 7 only", color.name())]
        PawnOnBackRank {
            /// The side of the pawn.
            color: Color,
            /// Its square.
            square: Square,
        },
        /// A side has more pieces than any game allows.
        #[error("{} has {excess}", title(*color))]
        TooMuchMaterial {
            /// The side.
            color: Color,
            /// The excess.
            excess: Excess,
        },
        /// The side that has just moved is in check.
        #[error(
            "the {} king on {king} is in check from {}, but it is {}'s turn; only the side to move \
             can be in check",
            color.name(), SquareList(*by), title(!*color)
        )]
        OpponentInCheck {
            /// The side in check.
            color: Color,
            /// Its king.
            king: Square,
            /// The pieces that give check.
            by: Bitboard,
        },
        /// The side to move is in a check that no last move can have given.
        #[error(
            "the {} king on {king} is in check from {} at once; no last move can have given this \
             check",
            color.name(), SquareList(*by)
        )]
        ImpossibleCheck {
            /// The side in check.
            color: Color,
            /// Its king.
            king: Square,
            /// The pieces that give check.
            by: Bitboard,
        },
        /// A castling right is impossible.
        #[error("castling rights: {fault}")]
        BadCastlingRights(fault: CastlingFault),
        /// An en passant square that no last move explains.
        #[error("the en passant square {square} is impossible: {fault}")]
        BadEnPassantSquare {
            /// The square.
            square: Square,
            /// The fault.
            fault: EnPassantFault,
        },
        /// A string that is not a FEN.
        #[error("FEN {field}: found {found}, expected {expected}")]
        BadFen {
            /// The part of the FEN.
            field: FenField,
            /// The text found, truncated.
            found: String,
            /// The expected text.
            expected: &'static str,
        },
    }
}

impl SetupIssue {
    /// Returns the stable code of this issue.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::MissingKing { .. } => IssueCode::MissingKing.into_str(),
            Self::TooManyKings { .. } => IssueCode::TooManyKings.into_str(),
            Self::PawnOnBackRank { .. } => IssueCode::PawnOnBackRank.into_str(),
            Self::TooMuchMaterial { .. } => IssueCode::TooMuchMaterial.into_str(),
            Self::OpponentInCheck { .. } => IssueCode::OpponentInCheck.into_str(),
            Self::ImpossibleCheck { .. } => IssueCode::ImpossibleCheck.into_str(),
            Self::BadCastlingRights(_) => IssueCode::BadCastlingRights.into_str(),
            Self::BadEnPassantSquare { .. } => IssueCode::BadEnPassantSquare.into_str(),
            Self::BadFen { .. } => IssueCode::BadFen.into_str(),
        }
    }

    /// Returns the note for an issue that shows only that no game leads to the position. The legal
    /// moves are still clear, so imports accept the position: composers and test suites use such
    /// positions.
    pub const fn note(&self) -> Option<ImportNote> {
        match self {
            Self::ImpossibleCheck { .. }
            | Self::BadEnPassantSquare {
                fault: EnPassantFault::CheckBefore { .. },
                ..
            } => Some(ImportNote::ImpossibleCheck),
            Self::BadCastlingRights(
                CastlingFault::KingsApart { .. } | CastlingFault::RooksApart { .. },
            ) => Some(ImportNote::DoubleFischerRandom),
            _ => None,
        }
    }
}

errors! {
    /// A part of a FEN.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FenField {
        /// The entire text.
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
}
