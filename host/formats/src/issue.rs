//! What is wrong with a text, and where.

use std::fmt;

use rules::{EpdIssue, GameIssue, PgnError, SetupIssue};

use text::printable;

/// One thing that is wrong with a game in some format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}{message}")]
pub struct FormatIssue {
    /// The stable code: that of the chess that is wrong, or `bad_` and the format.
    pub code: &'static str,
    /// What was found, what was expected.
    pub message: String,
    /// Where.
    pub place: TextPlace,
}

/// A place in a text, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextPlace {
    /// Which game of the text, from 1.
    pub game: Option<usize>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The character of the line, from 1.
    pub column: Option<usize>,
    /// The half-move of the game, from 1.
    pub ply: Option<usize>,
}

impl fmt::Display for TextPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("game", self.game), ("line", self.line), ("column", self.column), ("ply", self.ply)];
        let known: Vec<_> = parts
            .iter()
            .filter_map(|(name, number)| number.map(|number| format!("{name} {number}")))
            .collect();
        if known.is_empty() { Ok(()) } else { write!(f, "{}: ", known.join(", ")) }
    }
}

impl FormatIssue {
    /// An issue of which nobody knows more than that it is there.
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: printable(&message.into()), place: TextPlace::default() }
    }

    /// The same in a line.
    pub(super) fn in_line(self, game: usize, line: usize) -> Self {
        Self { place: TextPlace { game: Some(game), line: Some(line), ..self.place }, ..self }
    }

    pub(super) fn of_setup(issue: &SetupIssue) -> Self {
        Self::new(issue.code(), issue.to_string())
    }

    pub(super) fn of_game(issue: &GameIssue) -> Self {
        let place = TextPlace { ply: issue.ply, ..TextPlace::default() };
        Self { code: issue.code, message: issue.message.clone(), place }
    }

    pub(super) fn of_epd(issue: &EpdIssue) -> Self {
        let column = match issue {
            EpdIssue::Operation { column, .. } | EpdIssue::Move { column, .. } => Some(*column),
            EpdIssue::Position(_) => None,
        };
        let message = match issue {
            EpdIssue::Operation { found, expected, .. } => format!("found {found}, expected {expected}"),
            EpdIssue::Move { opcode, fault, .. } => format!("{opcode} names no legal move: {fault}"),
            EpdIssue::Position(issue) => issue.to_string(),
        };
        Self { code: issue.code(), message, place: TextPlace { column, ..TextPlace::default() } }
    }

    pub(super) fn of_pgn(error: &PgnError) -> Self {
        let PgnError { game, line, column, ply, fault } = error;
        let place = TextPlace { game: Some(*game), line: Some(*line), column: Some(*column), ply: *ply };
        Self { code: fault.code(), message: fault.to_string(), place }
    }
}
