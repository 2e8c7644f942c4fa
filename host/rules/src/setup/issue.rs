//! Why a set-up is no legal position.

use std::fmt;

use ai_api::{Bitboard, CastlingSide, Color, Square};
use thiserror::Error;

use super::CastlingRook;

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

/// Of what a side has too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Excess {
    /// More pieces than it began with.
    #[error("{0} pieces; 16 is the most")]
    Pieces(u32),
    /// More pawns than it began with.
    #[error("{0} pawns; 8 is the most")]
    Pawns(u32),
    /// More promoted pieces than pawns that may have promoted.
    #[error(
        "at least {promoted} promoted pieces, though only {missing} of its pawns are missing; each takes a pawn"
    )]
    Promoted {
        /// How many pieces it did not begin with.
        promoted: u32,
        /// How many of its pawns are gone.
        missing: u32,
    },
}

/// What speaks against a castling right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CastlingFault {
    /// The king is not where it can castle from.
    #[error("{} of {} needs its king on rank {}, between the a- and the h-file", rook, title(*.color), home(*.color))]
    KingNotAtHome {
        /// The side.
        color: Color,
        /// The right that was asked.
        rook: CastlingRook,
    },
    /// No rook stands where the right says.
    #[error("{} of {} needs a {} rook there on rank {}; there is none", rook, title(*.color), .color.name(), home(*.color))]
    RookNotAtHome {
        /// The side.
        color: Color,
        /// The right that was asked.
        rook: CastlingRook,
    },
    /// The same right stands there twice.
    #[error("{} of {} is given twice; once is the most", rook, title(*.color))]
    Repeated {
        /// The side.
        color: Color,
        /// The right.
        rook: CastlingRook,
    },
    /// Two rights name rooks on the same side of the king.
    #[error("{} has two rights on the {}; one is the most", title(*.color), side_name(*.side))]
    Twice {
        /// The side.
        color: Color,
        /// The side of its king.
        side: CastlingSide,
    },
    /// Both sides may castle, but began with their kings on different files.
    #[error(
        "White's king stands on the {}-file and Black's on the {}-file; kings that may castle stand on the same file",
        file_letter(*.white), file_letter(*.black)
    )]
    KingsApart {
        /// The file of White's king, 0 to 7.
        white: u8,
        /// The file of Black's king, 0 to 7.
        black: u8,
    },
    /// Both sides may castle to one side, but with rooks that began on different files.
    #[error(
        "on the {} White's rook stands on the {}-file and Black's on the {}-file; rooks that may castle stand on the same file",
        side_name(*.side), file_letter(*.white), file_letter(*.black)
    )]
    RooksApart {
        /// The side of the kings.
        side: CastlingSide,
        /// The file of White's rook, 0 to 7.
        white: u8,
        /// The file of Black's rook, 0 to 7.
        black: u8,
    },
}

/// What speaks against an en passant square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EnPassantFault {
    /// The square lies on a rank that no pawn of the other side has just passed.
    #[error("with {} to move it lies on rank {expected}", title(*.turn))]
    WrongRank {
        /// Who moves.
        turn: Color,
        /// The rank where it would have to lie, 1 to 8.
        expected: u8,
    },
    /// No pawn has passed the square.
    #[error("there is no {} pawn on {square} that has just passed it", .color.name())]
    NoPawn {
        /// Whose pawn would have passed.
        color: Color,
        /// Where it would stand now.
        square: Square,
    },
    /// The pawn cannot have come that way.
    #[error("{square} is not empty, so the pawn has not just come over it")]
    Occupied {
        /// The square in the pawn's way: the en passant square or the one where the pawn began.
        square: Square,
    },
    /// The last move was no pawn move.
    #[error("the half-move clock is {0}; right after a pawn's move it is 0")]
    ClockRunning(u8),
    /// Before the pawn moved, the wrong side was in check.
    #[error("before the pawn moved, the {} king was in check from {by}, and it was not its turn", .color.name())]
    CheckBefore {
        /// Whose king.
        color: Color,
        /// One piece that gave check.
        by: Square,
    },
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

/// `White` or `Black`.
pub(crate) const fn title(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

pub(crate) const fn side_name(side: CastlingSide) -> &'static str {
    match side {
        CastlingSide::King => "king's side",
        CastlingSide::Queen => "queen's side",
    }
}

fn file_letter(file: u8) -> char {
    char::from(b'a' + (file & 7))
}

fn home(color: Color) -> u8 {
    super::back_rank(color) + 1
}

/// Squares in a sentence: `e4`, `e4 and g5`, `e4, f3 and g5`.
struct List(Bitboard);

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.into_iter().len();
        for (index, square) in self.0.into_iter().enumerate() {
            let before = match index {
                0 => "",
                _ if index + 1 == count => " and ",
                _ => ", ",
            };
            write!(f, "{before}{square}")?;
        }
        Ok(())
    }
}
