//! FEN and X-FEN: a position in a line.

use rules::{SetupIssue, format_fen, format_xfen, parse_fen};

use super::{Format, FormatIssue, GameRecord, Games, Import, Part, lines};

/// FEN; for Chess960 Shredder-FEN.
pub(super) struct Fen;

impl Format for Fen {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks]
    }

    fn import<'t>(&self, text: &'t str, _: Import) -> Games<'t> {
        let read = |(game, (line, text)): (usize, (usize, &str))| {
            let wrong = |issue: &SetupIssue| FormatIssue::of_setup(issue).in_line(game, line);
            parse_fen(text.trim()).map(GameRecord::at).map_err(|issues| issues.iter().map(wrong).collect())
        };
        Box::new((1..).zip(lines(text)).map(read))
    }

    fn export(&self, record: &GameRecord) -> String {
        format_fen(record.game.game.position())
    }
}

/// X-FEN, which orthodox programs understand as far as they can.
pub(super) struct XFen;

impl Format for XFen {
    fn holds(&self) -> &'static [Part] {
        Fen.holds()
    }

    fn import<'t>(&self, text: &'t str, how: Import) -> Games<'t> {
        Fen.import(text, how)
    }

    fn export(&self, record: &GameRecord) -> String {
        format_xfen(record.game.game.position())
    }
}
