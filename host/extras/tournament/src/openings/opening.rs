//! An opening, and the errors in its sources.

use std::io;

use formats::ChunkError;
use rules::{Game, PgnError, SetupIssue};

#[derive(Clone, Debug)]
pub struct GameOpening {
    pub name: Option<String>,
    /// The first position and the moves. The game is not over.
    pub game: Game,
}

#[derive(Debug, thiserror::Error)]
pub enum OpeningsError {
    #[error(transparent)]
    Text(#[from] ChunkError),
    #[error(transparent)]
    Pgn(#[from] PgnError),
    #[error(
        "line {line}: {}",
        .issues.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    )]
    Epd {
        /// Counted from 1.
        line: usize,
        issues: Vec<SetupIssue>,
    },
    #[error(transparent)]
    Book(#[from] io::Error),
    #[error("opening {number}: the game is over; expected a position where play can continue")]
    GameOver {
        /// Counted from 1.
        number: usize,
    },
    #[error(
        "opening {number}: the first position cannot be played: {}",
        .issues.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    )]
    Unplayable {
        /// Counted from 1.
        number: usize,
        issues: Vec<SetupIssue>,
    },
    #[error("found no opening; expected games in PGN, or positions in EPD or FEN, one per line")]
    Empty,
    #[error("the book has no move for the start position")]
    EmptyBook,
}
