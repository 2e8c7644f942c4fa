//! EPD: one position with operations per line.

use ai_api::Color;
use rules::{Epd, Setup, import_epd, parse_setup};

use super::fen::has_placement;
use crate::{
    Boundaries, Format, FormatIssue, GameRecord, Games, Import, Likeness, Part, Sample,
    lines::{games_of_lines, only_line},
};

/// EPD. Operations are kept unchanged, except that `hmvc` and `fmvn` become the position's clocks.
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
            Ok((
                Epd {
                    position,
                    operations,
                },
                notes,
            )) => Ok(GameRecord {
                operations,
                notes,
                ..GameRecord::at(position)
            }),
            Err(issues) => Err(issues.iter().map(FormatIssue::of_epd).collect()),
        })
    }

    fn read_setup(&self, text: &str, _: Option<Color>) -> Option<Setup> {
        let fields: Vec<_> = only_line(text)?.split_whitespace().take(4).collect();
        parse_setup(&fields.join(" ")).ok()
    }

    fn export(&self, record: &GameRecord) -> String {
        // Operations describe the first position, so they do not apply to the position after moves.
        let has_moves = record.has(Part::Moves);
        let operations = if has_moves {
            Vec::new()
        } else {
            record.operations.clone()
        };
        Epd {
            position: *record.game.game.position(),
            operations,
        }
        .to_string()
    }
}
