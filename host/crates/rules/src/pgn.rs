//! PGN, the exchange format for games.
//!
//! Reads and writes tags, moves in SAN, comments (including embedded commands such as `[%clk
//! 0:01:02]`), glyphs, variations and the result.
//! <https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm>

mod blanks;
mod boundaries;
mod error;
mod format;
mod line;
mod parse;
mod symbols;
mod tag;
mod tokens;

use std::fmt;

use ai_api::{Color, Move};

pub use boundaries::PgnBoundaries;
pub use error::{PgnError, PgnFault};
pub use parse::{NullMoves, PgnReader, ReadVariations, parse_pgn};

use crate::{Game, ImportNote};

/// A game in PGN.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// Tags, such as `("White", "Anderssen")`, except the tags of the first position and the
    /// result. Those follow from the game and from [`result`](Self::result).
    pub tags: Vec<(String, String)>,
    /// The first position and the moves.
    pub game: Game,
    /// Comments, glyphs and variations.
    pub notes: Notes,
    /// The result, which may differ from the result by the rules.
    pub result: PgnResult,
    /// The number of lines (the game or variations) cut before a null move; see [`NullMoves::Cut`].
    pub cut_lines: usize,
    /// Faults in the text that were accepted.
    pub accepted: Vec<ImportNote>,
}

/// Comments, glyphs and variations of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// The comment before the first move, then one comment after each move; the list ends with the
    /// last comment.
    pub comments: Vec<String>,
    /// The glyphs (NAGs) of each move, such as 1 for `!`; the list ends with the last glyph.
    pub glyphs: Vec<Vec<u8>>,
    /// Alternatives to moves of the line.
    pub variations: Vec<Variation>,
}

/// An alternative to a move of a line and to all moves after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// The index of the replaced move in the line, from 0.
    pub instead_of: usize,
    /// The moves.
    pub moves: Vec<Move>,
    /// Comments, glyphs and variations.
    pub notes: Notes,
}

/// The result of a game in PGN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PgnResult {
    /// `1-0` or `0-1`.
    Win(Color),
    /// `1/2-1/2`.
    Draw,
    /// `*`: the game continues, or the result is unknown.
    #[default]
    Unknown,
}

impl PgnGame {
    /// Creates a game without tags or notes. The rules determine its result.
    pub fn new(game: Game) -> Self {
        let result = PgnResult::of_game(&game);
        Self {
            tags: Vec::new(),
            game,
            notes: Notes::default(),
            result,
            cut_lines: 0,
            accepted: Vec::new(),
        }
    }

    /// Returns the value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|(tag, _)| tag == name)
            .map(|(_, value)| value.as_str())
    }
}

impl PgnResult {
    const ALL: [Self; 4] = [
        Self::Win(Color::White),
        Self::Win(Color::Black),
        Self::Draw,
        Self::Unknown,
    ];

    /// Returns the result as written in PGN.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Win(Color::White) => "1-0",
            Self::Win(Color::Black) => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }

    /// Returns the result of a game by the rules.
    pub fn of_game(game: &Game) -> Self {
        game.outcome().map_or(Self::Unknown, |outcome| {
            outcome.winner().map_or(Self::Draw, Self::Win)
        })
    }

    /// Parses a result. It may use the letter O for 0, a colon or a typographic dash for the
    /// hyphen, or `1/2` for a draw.
    pub fn of_text(text: &str) -> Option<Self> {
        const LONGEST: usize = 16;
        if text.len() > LONGEST || !text.starts_with(['1', '0', '*', '\u{bd}', 'o', 'O']) {
            return None;
        }
        let has_one = text.contains(['1', '\u{bd}']);
        let mut plain = String::new();
        for character in text.chars() {
            match character {
                ':' | '\u{2010}'..='\u{2015}' | '\u{2212}' => plain.push('-'),
                '\u{bd}' => plain.push_str("1/2"),
                'o' | 'O' if has_one => plain.push('0'),
                character => plain.push(character),
            }
        }
        match plain.as_str() {
            "1/2" => Some(Self::Draw),
            plain => Self::ALL.into_iter().find(|result| result.text() == plain),
        }
    }
}

impl fmt::Display for PgnResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
