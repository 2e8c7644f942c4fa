//! EPD: one position with operations per line.

use rules::{Epd, import_epd};

use super::fen::has_placement;
use crate::{
    Boundaries, Format, FormatIssue, GameRecord, Games, Import, Likeness, Part, Sample, lines::games_of_lines,
};

/// EPD. Operations are kept unchanged, except that `hmvc` and `fmvn` are the clocks of the position.
pub(crate) struct EpdFormat;

impl Format for EpdFormat {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks, Part::Operations]
    }

    fn likeness(&self, sample: &Sample<'_>) -> Likeness {
        let has_operations = match sample.words.len() {
            0..=4 => false,
            6 => sample.words.iter().any(|word| word.contains(';')),
            _ => true,
        };
        Likeness::Certain.when(has_operations && has_placement(sample))
    }

    fn boundaries(&self) -> Boundaries {
        Boundaries::Lines
    }

    fn import<'t>(&self, text: &'t str, _: Import) -> Games<'t> {
        games_of_lines(text, |line| match import_epd(line) {
            Ok((Epd { position, operations }, notes)) => {
                Ok(GameRecord { operations, notes, ..GameRecord::at(position) })
            }
            Err(issues) => Err(issues.iter().map(FormatIssue::of_epd).collect()),
        })
    }

    fn export(&self, record: &GameRecord) -> String {
        // Operations describe the first position, which is not the one written after a move.
        let has_moves = record.has(Part::Moves);
        let operations = if has_moves { Vec::new() } else { record.operations.clone() };
        Epd { position: *record.game.game.position(), operations }.to_string()
    }
}
