//! PGN: games with all that is said of them.

use rules::PgnReader;

use super::{Format, FormatIssue, Import, Part, Record};

/// PGN. Clocks and other commands stay in the comments in which they stand.
pub(super) struct Pgn;

impl Format for Pgn {
    fn holds(&self) -> &'static [Part] {
        &[
            Part::RightsAndClocks,
            Part::Moves,
            Part::Tags,
            Part::Comments,
            Part::Glyphs,
            Part::Variations,
            Part::Result,
        ]
    }

    fn import(&self, text: &str, how: &Import) -> Vec<Result<Record, Vec<FormatIssue>>> {
        let games = PgnReader::new(text).variations(how.variations).max_plies(how.max_plies);
        games
            .map(|game| match game {
                Ok(game) => Ok(game.into()),
                Err(errors) => Err(errors.iter().map(FormatIssue::of_pgn).collect()),
            })
            .collect()
    }

    fn export(&self, record: &Record) -> String {
        record.game.to_string()
    }
}
