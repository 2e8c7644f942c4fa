//! Why a text is not PGN.

use thiserror::Error;

use crate::{MoveError, SanError, SetupIssue};

/// One thing that is wrong with a game in PGN, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("game {game}, line {line}, column {column}{}: {fault}", match .ply {
    Some(ply) => format!(", ply {ply}"),
    None => String::new(),
})]
pub struct PgnError {
    /// Which game of the text, from 1.
    pub game: usize,
    /// The line of the text, from 1.
    pub line: usize,
    /// The character of the line, from 1.
    pub column: usize,
    /// Which half-move of the game it would be, from 1, where it is about one.
    pub ply: Option<usize>,
    /// What is wrong there.
    pub fault: PgnFault,
}

/// What is wrong with a PGN text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PgnFault {
    /// A tag is not of the form `[Name "value"]`.
    #[error("{found} is no tag; expected [Name \"value\"] on one line")]
    Tag {
        /// The text, cut short.
        found: String,
    },
    /// The first position is not legal.
    #[error("the FEN of the game is not legal: {0}")]
    Fen(SetupIssue),
    /// A move is not legal, or no move.
    #[error(transparent)]
    San(#[from] SanError),
    /// A move after the end of the game.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// No move, as some programs write it.
    #[error(
        "{found} is a null move, which is not legal; take it out, or pass over the variations if it stands in one"
    )]
    NullMove {
        /// The text.
        found: String,
    },
    /// The game is not chess.
    #[error("the variant {found} is not played here; only chess and Chess960 are")]
    Variant {
        /// The text, cut short.
        found: String,
    },
    /// A glyph has no such number.
    #[error("{found} is no glyph; expected $0 to $255")]
    Glyph {
        /// The text, cut short.
        found: String,
    },
    /// A comment or variation has no end.
    #[error("the {0} that begins here has no end")]
    Unclosed(&'static str),
    /// Something closes that was not open.
    #[error("'{0}' closes nothing")]
    Unopened(char),
    /// A variation has no move that it could stand for.
    #[error("a variation stands after the move that it is instead of; there is none before this one")]
    NoMoveToVary,
    /// Variations within variations.
    #[error("variations are nested more than {most} deep here")]
    TooDeep {
        /// How deep they may be.
        most: usize,
    },
    /// The game has too many moves.
    #[error("the game has more than {most} half-moves, which is all that is allowed here")]
    TooLong {
        /// How many it may have.
        most: usize,
    },
}

impl PgnFault {
    /// The stable code: that of the chess that is wrong, or `bad_pgn`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Fen(issue) => issue.code(),
            Self::San(_)
            | Self::NullMove { .. }
            | Self::Move(MoveError::Illegal { .. } | MoveError::Malformed { .. }) => "illegal_move",
            Self::Move(MoveError::GameOver(_)) => "moves_after_end",
            _ => "bad_pgn",
        }
    }
}
