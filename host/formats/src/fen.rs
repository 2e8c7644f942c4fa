//! FEN and X-FEN: one position per line.

use rules::{SetupIssue, format_fen, format_xfen, parse_fen};

use crate::{Boundaries, Format, FormatIssue, GameRecord, Games, Import, Part, lines::lines};

/// FEN; Shredder-FEN for Chess960.
pub(crate) struct Fen;

impl Format for Fen {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks]
    }

    fn boundaries(&self) -> Boundaries {
        Boundaries::Lines
    }

    fn import<'t>(&self, text: &'t str, _: Import) -> Games<'t> {
        let read = |(game, (line, text)): (usize, (usize, &str))| {
            let located = |issue: &SetupIssue| FormatIssue::of_setup(issue).in_line(game, line);
            parse_fen(text.trim()).map(GameRecord::at).map_err(|issues| issues.iter().map(located).collect())
        };
        Box::new((1..).zip(lines(text)).map(read))
    }

    fn export(&self, record: &GameRecord) -> String {
        format_fen(record.game.game.position())
    }
}

/// X-FEN, of which orthodox programs can read most.
pub(crate) struct XFen;

impl Format for XFen {
    fn holds(&self) -> &'static [Part] {
        Fen.holds()
    }

    fn boundaries(&self) -> Boundaries {
        Boundaries::Lines
    }

    fn import<'t>(&self, text: &'t str, options: Import) -> Games<'t> {
        Fen.import(text, options)
    }

    fn export(&self, record: &GameRecord) -> String {
        format_xfen(record.game.game.position())
    }
}
