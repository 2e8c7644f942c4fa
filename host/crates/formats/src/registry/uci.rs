//! Moves in UCI, one game per line.

use std::fmt::Write as _;

use rules::{Game, format_fen, start_position};
use serde_json::{Map, Value, json};

use crate::{
    Boundaries, Format, FormatIssue, GameRecord, Games, Import, Likeness, Part, Sample, lines::games_of_lines,
};

const CODE: &str = "bad_uci";

/// Moves in UCI. `position fen … moves` precedes them unless the game begins with the standard start.
pub(crate) struct Uci;

impl Format for Uci {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks, Part::Moves]
    }

    fn code(&self) -> Option<&'static str> {
        Some(CODE)
    }

    fn likeness(&self, sample: &Sample<'_>) -> Likeness {
        let is_move = |word: &&str| matches!(word.as_bytes(), [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', rest @ ..] if rest.len() <= 1);
        let words = &sample.words;
        let are_moves = !words.is_empty() && words.iter().all(is_move);
        Likeness::Certain.when(are_moves || words.first() == Some(&"position"))
    }

    fn schema(&self) -> Value {
        json!({"type": "array", "items": {"type": "string"}})
    }

    fn boundaries(&self) -> Boundaries {
        Boundaries::Lines
    }

    fn import<'t>(&self, text: &'t str, options: Import) -> Games<'t> {
        games_of_lines(text, move |line| read(line, options))
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

    fn export_fields(&self, name: &str, record: &GameRecord) -> Map<String, Value> {
        let game = &record.game.game;
        with_start(game, name, game.uci_moves())
    }
}

/// The moves, and the first position unless it is the standard start.
pub(crate) fn with_start(game: &Game, name: &str, moves: Vec<String>) -> Map<String, Value> {
    let mut fields = Map::from_iter([(name.to_owned(), moves.into())]);
    if *game.start() != start_position() {
        fields.insert("fen".to_owned(), format_fen(game.start()).into());
    }
    fields
}

fn read(line: &str, options: Import) -> Result<GameRecord, Vec<FormatIssue>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let words = words.strip_prefix(&["position"]).unwrap_or(&words);
    let (fen, words) = match words {
        ["startpos", rest @ ..] => (None, rest),
        ["fen", rest @ ..] => {
            let end = rest.iter().position(|word| *word == "moves").unwrap_or(rest.len());
            (Some(rest[..end].join(" ")), &rest[end..])
        }
        _ => (None, words),
    };
    let moves = words.strip_prefix(&["moves"]).unwrap_or(words);
    options.check_length(moves.len(), CODE)?;
    Game::import_moves(fen.as_deref(), moves)
        .map(GameRecord::noted)
        .map_err(|issues| issues.into_iter().map(FormatIssue::of_game).collect())
}
