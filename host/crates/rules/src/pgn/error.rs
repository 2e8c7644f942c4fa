//! Errors in PGN.

use std::fmt;

use crate::{IssueCode, Language, MoveError, SanError, SetupIssue, texts::errors};

/// One error in a PGN game, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnError {
    /// The game in the text, from 1.
    pub game: usize,
    /// The line in the text, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// The half-move in the game, counted from 1, if the error concerns a half-move.
    pub ply: Option<usize>,
    /// The fault.
    pub fault: PgnFault,
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            game,
            line,
            column,
            ply,
            fault,
        } = self;
        write!(f, "game {game}, line {line}, column {column}")?;
        if let Some(ply) = ply {
            write!(f, ", ply {ply}")?;
        }
        write!(f, ": {fault}")
    }
}

impl std::error::Error for PgnError {}

errors! {
    /// A fault in PGN text.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum PgnFault {
        /// A tag is not of the form `[Name "value"]`.
        #[error("{found} is not a tag; expected [Name \"value\"] on one line")]
        Tag {
            /// The text, truncated.
            found: String,
        },
        /// The first position is not legal.
        #[error("the FEN of the game is not legal: {fault}")]
        Fen(fault: SetupIssue),
        /// A move is illegal, or the text is not a move.
        #[error("{fault}")]
        San(fault: SanError),
        /// A move written with another language's letters.
        #[error(
            "{found} is not a move in the chosen language, but is one in {}; choose it with the \
             option 'language'",
            named(languages)
        )]
        Language {
            /// The text, truncated.
            found: String,
            /// The languages in which it is a legal move.
            languages: Vec<Language>,
        },
        /// A move after the end of the game.
        #[error("{fault}")]
        Move(fault: MoveError),
        /// A null move.
        #[error("{found} is a null move, which is not legal; remove it, or skip variations if it \
            is in one")]
        NullMove {
            /// The text.
            found: String,
        },
        /// An unsupported variant.
        #[error("unsupported variant {found}; expected chess or Chess960")]
        Variant {
            /// The text, truncated.
            found: String,
        },
        /// A glyph with an invalid number.
        #[error("{found} is not a glyph; expected $0 to $255")]
        Glyph {
            /// The text, truncated.
            found: String,
        },
        /// A comment or variation is not closed.
        #[error("the {fault} that starts here is not closed")]
        Unclosed(fault: &'static str),
        /// A closing bracket without an opening one.
        #[error("unmatched '{fault}'")]
        Unopened(fault: char),
        /// A variation without a move that it could replace.
        #[error("a variation must follow the move that it replaces; found no move before this one")]
        NoMoveToVary,
        /// Variations are nested too deeply.
        #[error("variations are nested more than {most} deep here")]
        TooDeep {
            /// The limit.
            most: usize,
        },
        /// The game is too long.
        #[error("the game is longer than the limit of {most} half-moves")]
        TooLong {
            /// The maximum number of half-moves.
            most: usize,
        },
    }
}

/// Lists languages with their codes.
fn named(languages: &[Language]) -> String {
    let named: Vec<_> = languages
        .iter()
        .map(|language| format!("{} ({})", language.name(), language.code()))
        .collect();
    named.join(", ")
}

impl From<SanError> for PgnFault {
    fn from(fault: SanError) -> Self {
        Self::San(fault)
    }
}

impl From<MoveError> for PgnFault {
    fn from(fault: MoveError) -> Self {
        Self::Move(fault)
    }
}

impl PgnFault {
    /// Returns the stable code: the code of the chess rule that was broken, or `bad_pgn`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Fen(issue) => issue.code(),
            Self::San(_)
            | Self::Language { .. }
            | Self::NullMove { .. }
            | Self::Move(MoveError::Illegal { .. } | MoveError::Malformed { .. }) => {
                IssueCode::IllegalMove.into_str()
            }
            Self::Move(MoveError::GameOver(_)) => IssueCode::MovesAfterEnd.into_str(),
            _ => IssueCode::BadPgn.into_str(),
        }
    }
}
