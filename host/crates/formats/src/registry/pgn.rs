//! PGN: games with tags, comments, glyphs and variations.

use rules::PgnBoundaries;

use super::san::is_movetext;
use crate::{Boundaries, Format, FormatIssue, GameRecord, Games, Import, Likeness, Part, Sample};

/// PGN. Clocks and other commands remain part of their comments. Export adds the opening's tags.
pub(crate) struct Pgn;

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

    fn likeness(&self, sample: &Sample<'_>) -> Likeness {
        if sample.text.starts_with(['[', '%', ';', '{', '(']) {
            return Likeness::Strong;
        }
        Likeness::Weak.when(sample.text.starts_with("1.") || is_movetext(sample))
    }

    fn boundaries(&self) -> Boundaries {
        Boundaries::Pgn(PgnBoundaries::default())
    }

    fn import<'t>(&self, text: &'t str, options: Import) -> Games<'t> {
        Box::new(options.pgn_reader(text).map(|game| match game {
            Ok(game) => Ok(game.into()),
            Err(errors) => Err(errors.iter().map(FormatIssue::of_pgn).collect()),
        }))
    }

    fn export(&self, record: &GameRecord) -> String {
        let mut game = record.game.clone();
        crate::eco::add_tags(&mut game);
        game.to_string()
    }
}
