//! Issues in text, with their places.

use std::fmt;

use rules::{EpdIssue, GameIssue, PgnError, SetupIssue};

use text::printable;

/// One issue in a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}{message}")]
pub struct FormatIssue {
    /// The text of a [`rules::IssueCode`] or the [`code`](crate::Format::code) of a format.
    pub code: &'static str,
    /// What was found and what was expected.
    pub message: String,
    pub place: TextPlace,
}

/// A place in the text. Unknown parts are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextPlace {
    /// The game in the text, from 1.
    pub game: Option<usize>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The character in the line, from 1.
    pub column: Option<usize>,
    /// The half-move in the game, from 1.
    pub ply: Option<usize>,
}

impl fmt::Display for TextPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("game", self.game),
            ("line", self.line),
            ("column", self.column),
            ("ply", self.ply),
        ];
        let known: Vec<_> = parts
            .iter()
            .filter_map(|(name, number)| number.map(|number| format!("{name} {number}")))
            .collect();
        if known.is_empty() {
            Ok(())
        } else {
            write!(f, "{}: ", known.join(", "))
        }
    }
}

impl FormatIssue {
    /// Creates an issue without a place. The message is cleaned for display.
    pub(crate) fn new(code: impl Into<&'static str>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: printable(&message.into()),
            place: TextPlace::default(),
        }
    }

    /// Returns the issue with its game and line.
    pub(crate) fn in_line(self, game: usize, line: usize) -> Self {
        Self {
            place: TextPlace {
                game: Some(game),
                line: Some(line),
                ..self.place
            },
            ..self
        }
    }

    pub(crate) fn of_setup(issue: &SetupIssue) -> Self {
        Self::new(issue.code(), issue.to_string())
    }

    pub(crate) fn of_game(issue: GameIssue) -> Self {
        let place = TextPlace {
            ply: issue.ply,
            ..TextPlace::default()
        };
        Self {
            code: issue.code,
            message: issue.message,
            place,
        }
    }

    pub(crate) fn of_epd(issue: &EpdIssue) -> Self {
        let EpdIssue { column, fault } = issue;
        let place = TextPlace {
            column: *column,
            ..TextPlace::default()
        };
        Self {
            code: fault.code(),
            message: fault.to_string(),
            place,
        }
    }

    pub(crate) fn of_pgn(error: &PgnError) -> Self {
        let PgnError {
            game,
            line,
            column,
            ply,
            fault,
        } = error;
        let place = TextPlace {
            game: Some(*game),
            line: Some(*line),
            column: Some(*column),
            ply: *ply,
        };
        Self {
            code: fault.code(),
            message: fault.to_string(),
            place,
        }
    }
}
