//! Moves in UCI, one game per line.

use std::fmt::Write as _;

use ai_api::Color;
use rules::{Game, Setup, format_fen, parse_setup, start_position};
use serde_json::{Map, Value, json};

use crate::{
    Boundaries, Format, FormatIssue, GameRecord, Games, Import, Likeness, Part, Sample,
    lines::{games_of_lines, only_line},
};

const CODE: &str = "bad_uci";

/// Moves in UCI. `position fen … moves` precedes them unless the game begins at the standard start.
pub(crate) struct Uci;

impl Format for Uci {
    fn holds(&self) -> &'static [Part] {
        &[Part::RightsAndClocks, Part::Moves]
    }

    fn code(&self) -> Option<&'static str> {
        Some(CODE)
    }

    fn likeness(&self, sample: &Sample<'_>) -> Likeness {
        let is_move = |word: &&str| {
            matches!(
                word.as_bytes(),
                [b'a'..=b'h', b'1'..=b'8', b'a'..=b'h', b'1'..=b'8', promotion @ ..]
                    if promotion.len() <= 1
            )
        };
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

    fn read_setup(&self, text: &str, _: Option<Color>) -> Option<Setup> {
        let (fen, moves) = start_and_moves(only_line(text)?);
        let mut setup =
            fen.map_or_else(|| Some(Setup::standard()), |fen| parse_setup(&fen).ok())?;
        moves.iter().try_for_each(|uci| setup.play_uci(uci)).ok()?;
        Some(setup)
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
            write!(text, "{space}{chosen}").expect("writing to a string cannot fail");
        }
        text
    }

    fn export_fields(&self, name: &str, record: &GameRecord) -> Map<String, Value> {
        let game = &record.game.game;
        with_start(game, name, game.uci_moves())
    }
}

/// Returns the fields for the moves and, unless it is the standard start, the first position.
pub(crate) fn with_start(game: &Game, name: &str, moves: Vec<String>) -> Map<String, Value> {
    let mut fields = Map::from_iter([(name.to_owned(), moves.into())]);
    if *game.start() != start_position() {
        fields.insert("fen".to_owned(), format_fen(game.start()).into());
    }
    fields
}

/// Returns the first position's FEN, if given, and the moves.
fn start_and_moves(line: &str) -> (Option<String>, Vec<&str>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let words = words.strip_prefix(&["position"]).unwrap_or(&words);
    let (fen, words) = match words {
        ["startpos", rest @ ..] => (None, rest),
        ["fen", rest @ ..] => {
            let end = rest
                .iter()
                .position(|word| *word == "moves")
                .unwrap_or(rest.len());
            (Some(rest[..end].join(" ")), &rest[end..])
        }
        _ => (None, words),
    };
    (
        fen,
        words.strip_prefix(&["moves"]).unwrap_or(words).to_vec(),
    )
}

fn read(line: &str, options: Import) -> Result<GameRecord, Vec<FormatIssue>> {
    let (fen, moves) = start_and_moves(line);
    options.check_length(moves.len(), CODE)?;
    Game::import_moves(fen.as_deref(), &moves)
        .map(GameRecord::noted)
        .map_err(|issues| issues.into_iter().map(FormatIssue::of_game).collect())
}
