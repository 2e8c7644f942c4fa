//! Issues of games.

use std::fmt;

use crate::{IssueCode, outcome::Outcome, setup::SetupIssue};

/// The maximum number of issues collected per game.
pub(super) const MAX_ISSUES: usize = 1000;

/// One issue in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameIssue {
    /// The text of an [`IssueCode`].
    pub code: &'static str,
    /// What was found and what was expected.
    pub message: String,
    /// The place in the game as it was sent.
    pub place: Place,
    /// The ply, counted from 1, if the issue concerns a ply.
    pub ply: Option<usize>,
}

impl GameIssue {
    pub(super) fn set_up(issue: &SetupIssue, place: Place) -> Self {
        Self {
            code: issue.code(),
            message: issue.to_string(),
            place,
            ply: place.ply(),
        }
    }

    pub(super) fn at(code: IssueCode, place: Place, message: String) -> Self {
        Self {
            code: code.into_str(),
            message,
            place,
            ply: place.ply(),
        }
    }

    pub(super) fn after_end(outcome: Outcome, place: Place) -> Self {
        Self::at(
            IssueCode::MovesAfterEnd,
            place,
            format!("the game was already over: {outcome}"),
        )
    }
}

/// A place in a game as it was sent. Its text is a JSON pointer relative to the game, such as
/// `/moves/3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The FEN of the first position.
    Fen,
    /// A move, counted from 0.
    Move(usize),
    /// A move in SAN, counted from 0.
    San(usize),
    /// The list of boards.
    Boards,
    /// A board, counted from 0.
    Board(usize),
    /// A row of a board.
    Row {
        /// The board, counted from 0.
        board: usize,
        /// The row, counted from 0.
        row: usize,
    },
    /// A number on a board.
    Cell {
        /// The board, counted from 0.
        board: usize,
        /// The row, counted from 0.
        row: usize,
        /// The column, counted from 0.
        column: usize,
    },
    /// The side to move.
    Turn,
}

impl Place {
    /// The ply that leads to this place, counted from 1.
    pub(super) fn ply(self) -> Option<usize> {
        match self {
            Self::Move(index) | Self::San(index) => Some(index + 1),
            Self::Board(board) | Self::Row { board, .. } | Self::Cell { board, .. }
                if board > 0 =>
            {
                Some(board)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fen => f.write_str("/fen"),
            Self::Move(index) => write!(f, "/moves/{index}"),
            Self::San(index) => write!(f, "/san/{index}"),
            Self::Boards => f.write_str("/boards"),
            Self::Board(board) => write!(f, "/boards/{board}"),
            Self::Row { board, row } => write!(f, "/boards/{board}/{row}"),
            Self::Cell { board, row, column } => write!(f, "/boards/{board}/{row}/{column}"),
            Self::Turn => f.write_str("/turn"),
        }
    }
}
