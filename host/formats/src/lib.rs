//! Every way to write down a game: one trait with import and export, and one module for each format.
//!
//! They know nothing of requests; what is legal, the rules say.

mod boards;
mod epd;
mod fen;
mod guess;
mod html;
mod issue;
mod pgn;
mod record;
mod san;
mod svg;
mod text;
mod uci;

use std::fmt;

use ai_api::Color;
use clap::ValueEnum;
use rules::ReadVariations;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

pub use guess::guess;
pub use issue::{FormatIssue, TextPlace};
pub use record::{GameRecord, Part};
pub use svg::{Arrow, Picture};

/// A way to write down games.
pub trait Format: Sync {
    /// What of a game it holds, beside the position of the pieces.
    fn holds(&self) -> &'static [Part];

    /// The games of a text, in order, or what is wrong with each; none where there is nothing in it. Each is read when it is
    /// asked for: what is wrong with half a million lines need not be held at once.
    fn import<'t>(&self, text: &'t str, how: Import) -> Games<'t>;

    /// A game as text.
    fn export(&self, record: &GameRecord) -> String;

    /// A game as the fields of a JSON object; the one that is named like the format holds it, others go with it.
    fn export_fields(&self, name: FormatName, record: &GameRecord) -> Map<String, Value> {
        Map::from_iter([(name.to_string(), self.export(record).into())])
    }
}

/// The games of a text, or what is wrong with each.
pub type Games<'t> = Box<dyn Iterator<Item = Result<GameRecord, Vec<FormatIssue>>> + 't>;

/// What an import has to know beside the text.
#[derive(Clone, Copy, Debug)]
pub struct Import {
    /// Who moves, where the text may not tell.
    pub turn: Option<Color>,
    /// What is done with variations.
    pub variations: ReadVariations,
    /// The most half-moves that a game may have.
    pub max_plies: usize,
}

/// The name of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum FormatName {
    /// A position, in six fields
    Fen,
    /// A FEN that names the sides to castle to in Chess960 too
    Xfen,
    /// A position with operations
    Epd,
    /// Games with tags, comments and variations
    Pgn,
    /// Moves in UCI
    Uci,
    /// Moves in SAN
    San,
    /// Every position as 8×8 numbers, in JSON
    Boards,
    /// A web page
    Html,
    /// A diagram in letters
    Text,
    /// A picture
    Svg,
}

impl FormatName {
    /// Every format.
    pub const ALL: [Self; 10] = [
        Self::Fen,
        Self::Xfen,
        Self::Epd,
        Self::Pgn,
        Self::Uci,
        Self::San,
        Self::Boards,
        Self::Html,
        Self::Text,
        Self::Svg,
    ];

    /// The format of this name.
    pub fn format(self) -> &'static dyn Format {
        match self {
            Self::Fen => &fen::Fen,
            Self::Xfen => &fen::XFen,
            Self::Epd => &epd::EpdFormat,
            Self::Pgn => &pgn::Pgn,
            Self::Uci => &uci::Uci,
            Self::San => &san::San,
            Self::Boards => &boards::Boards,
            Self::Html => &html::Html,
            Self::Text => &text::Text,
            Self::Svg => &svg::Svg,
        }
    }

    /// What of a game is lost when it is written so.
    pub fn drops(self, record: &GameRecord) -> Vec<Part> {
        let holds = self.format().holds();
        Part::ALL.into_iter().filter(|part| !holds.contains(part) && record.has(*part)).collect()
    }
}

impl fmt::Display for FormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fen => "fen",
            Self::Xfen => "xfen",
            Self::Epd => "epd",
            Self::Pgn => "pgn",
            Self::Uci => "uci",
            Self::San => "san",
            Self::Boards => "boards",
            Self::Html => "html",
            Self::Text => "text",
            Self::Svg => "svg",
        })
    }
}

/// Lines that are not empty, with their numbers from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty())
}
