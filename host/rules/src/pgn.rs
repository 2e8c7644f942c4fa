//! PGN, the form in which games are kept and exchanged.
//!
//! What is read and written: tags, moves in SAN, comments (with whatever commands are in them, such as `[%clk 0:01:02]`),
//! glyphs, variations and the result. <https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm>

mod error;
mod format;
mod line;
mod parse;
mod tokens;

use std::fmt;

use ai_api::{Color, Move};

pub use error::{PgnError, PgnFault};
pub use parse::{PgnReader, ReadVariations, parse_pgn};

use crate::Game;

/// A game as PGN keeps it.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// What is told about the game, such as `("White", "Anderssen")`. The first position and the result are not among
    /// them: they follow from the game and from [`result`](Self::result).
    pub tags: Vec<(String, String)>,
    /// The first position and the moves.
    pub game: Game,
    /// What is said of the moves.
    pub notes: Notes,
    /// How it ended. It may have ended otherwise than on the board.
    pub result: PgnResult,
}

/// What is said of the moves of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// What is said before the first move and after each move; shorter where nothing more is said.
    pub comments: Vec<String>,
    /// The numbers of the glyphs (NAGs) of each move, such as 1 for `!`; shorter where there are no more.
    pub glyphs: Vec<Vec<u8>>,
    /// Moves that might have been played instead.
    pub variations: Vec<Variation>,
}

/// Moves that might have been played instead of one of a line and all after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variation {
    /// The move that the first one stands for, counted from 0 in the line.
    pub instead_of: usize,
    /// The moves.
    pub moves: Vec<Move>,
    /// What is said of them.
    pub notes: Notes,
}

/// How a game ended, as PGN writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PgnResult {
    /// `1-0` or `0-1`.
    Win(Color),
    /// `1/2-1/2`.
    Draw,
    /// `*`: it goes on, or nobody knows.
    #[default]
    Unknown,
}

impl PgnGame {
    /// A game without tags and comments, ended as it did on the board.
    pub fn new(game: Game) -> Self {
        let result = match game.status().outcome {
            Some(outcome) => outcome.winner().map_or(PgnResult::Draw, PgnResult::Win),
            None => PgnResult::Unknown,
        };
        Self { tags: Vec::new(), game, notes: Notes::default(), result }
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }
}

impl PgnResult {
    const ALL: [Self; 4] = [Self::Win(Color::White), Self::Win(Color::Black), Self::Draw, Self::Unknown];

    /// The result as PGN writes it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Win(Color::White) => "1-0",
            Self::Win(Color::Black) => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Unknown => "*",
        }
    }

    /// The result that is written so: as PGN does, or with a letter for the zero, a dash of print, or half of a draw.
    pub fn of_text(text: &str) -> Option<Self> {
        const LONGEST: usize = 16;
        if text.len() > LONGEST {
            return None;
        }
        let has_one = text.contains(['1', '\u{bd}']);
        let mut plain = String::new();
        for character in text.chars() {
            match character {
                '\u{2010}'..='\u{2015}' | '\u{2212}' => plain.push('-'),
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
