//! Moves in UCI, one game per line.

use std::fmt::Write as _;

use rules::{Game, format_fen, start_position};
use serde_json::{Map, Value};

use crate::{
    Boundaries, Format, FormatCode, FormatIssue, FormatName, GameRecord, Games, Import, Part, lines::lines,
};

/// Moves in UCI. `position fen … moves` precedes them unless the game begins with the standard start.
pub(crate) struct Uci;

impl Format for Uci {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks, Part::Moves]
    }

    fn boundaries(&self) -> Boundaries {
        Boundaries::Lines
    }

    fn import<'t>(&self, text: &'t str, options: Import) -> Games<'t> {
        Box::new((1..).zip(lines(text)).map(move |(game, (line, text))| {
            let located = |issue: FormatIssue| issue.in_line(game, line);
            read(text, options).map_err(|issues| issues.into_iter().map(located).collect())
        }))
    }

    fn export(&self, record: &GameRecord) -> String {
        let game = &record.game.game;
        let has_moves = !game.moves().is_empty();
        let mut text = match (*game.start() == start_position(), has_moves) {
            (true, true) => String::new(),
            (true, false) => "position startpos".to_owned(),
            (false, true) => format!("position fen {} moves ", format_fen(game.start())),
            (false, false) => format!("position fen {}", format_fen(game.start())),
        };
        text.reserve(6 * game.moves().len());
        for (index, chosen) in game.written_moves().enumerate() {
            let space = if index == 0 { "" } else { " " };
            write!(text, "{space}{chosen}").expect("a string takes any text");
        }
        text
    }

    fn export_fields(&self, name: FormatName, record: &GameRecord) -> Map<String, Value> {
        let game = &record.game.game;
        with_start(game, name, game.uci_moves())
    }
}

/// The moves, and the first position unless it is the standard start.
pub(crate) fn with_start(game: &Game, name: FormatName, moves: Vec<String>) -> Map<String, Value> {
    let mut fields = Map::from_iter([(name.to_string(), moves.into())]);
    if *game.start() != start_position() {
        fields.insert("fen".to_owned(), format_fen(game.start()).into());
    }
    fields
}

fn read(line: &str, options: Import) -> Result<GameRecord, Vec<FormatIssue>> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let mut fen = None;
    if words.first() == Some(&"position") {
        words.remove(0);
    }
    match words.first() {
        Some(&"startpos") => drop(words.remove(0)),
        Some(&"fen") => {
            let end = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
            fen = Some(words[1..end].join(" "));
            words.drain(..end);
        }
        _ => {}
    }
    if words.first() == Some(&"moves") {
        words.remove(0);
    }
    options.check_length(words.len(), FormatCode::BadUci)?;
    Game::from_moves(fen.as_deref(), &words)
        .map(GameRecord::of)
        .map_err(|issues| issues.iter().map(FormatIssue::of_game).collect())
}
