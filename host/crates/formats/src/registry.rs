//! The implementation of each format.

use rules::{format_fen, format_xfen};

use crate::{
    Format, FormatName, GameRecord, Part, boards::Boards, diagram::Text, epd::EpdFormat, fen::Fen,
    html::Html, pgn::Pgn, san::San, svg::Svg, uci::Uci,
};

impl FormatName {
    pub fn format(self) -> &'static dyn Format {
        match self {
            Self::Fen => &Fen(format_fen),
            Self::Xfen => &Fen(format_xfen),
            Self::Epd => &EpdFormat,
            Self::Pgn => &Pgn,
            Self::Uci => &Uci,
            Self::San => &San,
            Self::Boards => &Boards,
            Self::Html => &Html,
            Self::Text => &Text,
            Self::Svg => &Svg,
        }
    }

    /// The parts of a game that this format can't store.
    pub fn drops(self, record: &GameRecord) -> Vec<Part> {
        Part::ALL.iter().copied().filter(|&part| self.drops_part(record, part)).collect()
    }

    /// Returns whether the game has this part, which the format can't store.
    pub fn drops_part(self, record: &GameRecord, part: Part) -> bool {
        !self.format().holds().contains(&part) && record.has(part)
    }
}
