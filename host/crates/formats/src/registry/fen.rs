//! FEN and X-FEN: one position per line.

use ai_api::{Color, Position};
use rules::{Game, Setup, parse_setup};

use crate::{
    Boundaries, Format, FormatIssue, GameRecord, Games, Import, Likeness, Part, Sample,
    lines::{games_of_lines, only_line},
};

/// FEN, written by the given function.
pub(crate) struct Fen(pub(crate) fn(&Position) -> String);

impl Format for Fen {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks]
    }

    fn likeness(&self, sample: &Sample<'_>) -> Likeness {
        Likeness::Strong.when(has_placement(sample))
    }

    fn boundaries(&self) -> Boundaries {
        Boundaries::Lines
    }

    fn import<'t>(&self, text: &'t str, _: Import) -> Games<'t> {
        games_of_lines(text, |line| {
            let read = Game::import(line.trim()).map(GameRecord::noted);
            read.map_err(|issues| issues.iter().map(FormatIssue::of_setup).collect())
        })
    }

    fn read_setup(&self, text: &str, _: Option<Color>) -> Option<Setup> {
        parse_setup(only_line(text)?.trim()).ok()
    }

    fn export(&self, record: &GameRecord) -> String {
        (self.0)(record.game.game.position())
    }
}

/// Returns whether the text begins with a piece placement, valid or not.
pub(crate) fn has_placement(sample: &Sample<'_>) -> bool {
    let Some(word) = sample.words.first() else {
        return false;
    };
    let is_piece = |c: char| c.is_ascii_digit() || "/pnbrqkPNBRQK".contains(c);
    match word.matches('/').count() {
        7 => !word.starts_with(['<', '[', '{', '(', '%', ';']),
        // Two slashes begin a C# comment.
        count => count > 1 && !word.starts_with("//") && word.chars().all(is_piece),
    }
}
