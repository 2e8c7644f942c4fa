//! PGN: games with all that is said of them.

use rules::PgnReader;

use super::{Format, FormatIssue, GameRecord, Games, Import, Part};

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

    fn import<'t>(&self, text: &'t str, how: Import) -> Games<'t> {
        let games = PgnReader::new(text).variations(how.variations).max_plies(how.max_plies);
        Box::new(games.map(|game| match game {
            Ok(game) => Ok(game.into()),
            Err(errors) => Err(errors.iter().map(FormatIssue::of_pgn).collect()),
        }))
    }

    fn export(&self, record: &GameRecord) -> String {
        record.game.to_string()
    }
}
