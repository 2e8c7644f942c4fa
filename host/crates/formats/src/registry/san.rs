//! Moves in SAN, one game per line.

use ai_api::Color;
use rules::{Game, format_fen, format_san, play, start_position};
use serde_json::{Map, Value};

use super::uci::{Uci, with_start};
use crate::{
    Boundaries, Format, FormatIssue, GameRecord, Games, Import, Likeness, Part, Sample,
    lines::lines,
};

/// Moves in SAN with their numbers. PGN's `FEN` tag precedes them unless the game has moves and
/// begins at the standard start.
pub(crate) struct San;

impl Format for San {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks, Part::Moves]
    }

    fn likeness(&self, sample: &Sample<'_>) -> Likeness {
        let text = sample.text;
        let is_numbered = || lines(text).all(|(_, line)| line.trim_start().starts_with("1."));
        let has_game_per_line = lines(text).nth(1).is_none() || is_numbered();
        let is_plain = has_game_per_line && !text.contains(['{', '(', '$', '*']);
        Likeness::Strong.when(is_movetext(sample) && is_plain)
    }

    fn schema(&self) -> Value {
        Uci.schema()
    }

    fn boundaries(&self) -> Boundaries {
        Boundaries::Lines
    }

    fn import<'t>(&self, text: &'t str, options: Import) -> Games<'t> {
        let games = lines(text)
            .flat_map(move |(line, text)| options.pgn_reader(text).map(move |read| (line, read)));
        Box::new((1..).zip(games).map(|(game, (line, read))| {
            match read {
                Ok(read) => Ok(read.into()),
                Err(errors) => Err(errors
                    .iter()
                    .map(|error| FormatIssue::of_pgn(error).in_line(game, line))
                    .collect()),
            }
        }))
    }

    fn export(&self, record: &GameRecord) -> String {
        let game = &record.game.game;
        let mut words = Vec::new();
        if *game.start() != start_position() || game.moves().is_empty() {
            words.push(format!("[FEN \"{}\"]", format_fen(game.start())));
        }
        words.extend(numbered_moves(game));
        words.join(" ")
    }

    fn export_fields(&self, name: &str, record: &GameRecord) -> Map<String, Value> {
        let game = &record.game.game;
        with_start(game, name, moves(game).map(|(_, san)| san.into()).collect())
    }
}

/// Returns whether the first line of the text consists only of SAN moves and their numbers.
pub(crate) fn is_movetext(sample: &Sample<'_>) -> bool {
    let is_move = |word: &&str| {
        let word = word
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start_matches('.');
        word.is_empty()
            || word.starts_with(|c: char| "KQRBNOabcdefgh0".contains(c)) && word.len() <= 7
    };
    // The first rank of a diagram may consist of dots.
    let is_long = |word: &str| word.len() > 1 && word.contains(char::is_alphabetic);
    let begins = |word: &&str| word.starts_with("1.") || is_move(word) && is_long(word);
    sample.words.first().is_some_and(begins) && sample.words.iter().all(is_move)
}

/// Returns the moves in SAN, numbered as in PGN.
fn numbered_moves(game: &Game) -> impl Iterator<Item = String> {
    let mut is_first = true;
    moves(game).map(move |((number, turn), san)| {
        let first = std::mem::take(&mut is_first);
        match turn {
            Color::White => format!("{number}. {san}"),
            Color::Black if first => format!("{number}... {san}"),
            Color::Black => san.into(),
        }
    })
}

/// Returns the moves in SAN, each with its number and the side that plays it.
pub(crate) fn moves(game: &Game) -> impl Iterator<Item = ((u16, Color), rules::MoveText)> {
    let mut position = *game.start();
    game.moves().iter().map(move |&chosen| {
        let number = (position.fullmove_number(), position.turn());
        let san = format_san(&position, chosen);
        position = play(&position, chosen);
        (number, san)
    })
}
