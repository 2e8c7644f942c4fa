//! EPD: a position and operations in a line.

use rules::{Epd, EpdIssue, parse_epd};

use super::{Format, FormatIssue, GameRecord, Games, Import, Part, lines};

/// EPD. Its operations are kept as they are, `hmvc` and `fmvn` as the clocks of the position.
pub(super) struct EpdFormat;

impl Format for EpdFormat {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks, Part::Operations]
    }

    fn import<'t>(&self, text: &'t str, _: Import) -> Games<'t> {
        let read = |(game, (line, text)): (usize, (usize, &str))| {
            let wrong = |issue: &EpdIssue| FormatIssue::of_epd(issue).in_line(game, line);
            match parse_epd(text) {
                Ok(Epd { position, operations }) => Ok(GameRecord { operations, ..GameRecord::at(position) }),
                Err(issues) => Err(issues.iter().map(wrong).collect()),
            }
        };
        Box::new((1..).zip(lines(text)).map(read))
    }

    fn export(&self, record: &GameRecord) -> String {
        // Operations are about the first position; after a move they would be about another.
        let has_moves = record.has(Part::Moves);
        let operations = if has_moves { Vec::new() } else { record.operations.clone() };
        Epd { position: *record.game.game.position(), operations }.to_string()
    }
}
