//! `rookery book show`.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::file::open;
use crate::cli::{
    failure::Failure,
    output::{print, print_json},
};
use api::replies::game::OpeningReply;
use formats::{FormatName, GameRecord};
use rules::Game;

#[derive(Debug, Args)]
pub(crate) struct ShowBook {
    /// Polyglot book
    file: PathBuf,
    /// Position before the moves; by default the start position
    #[arg(long)]
    fen: Option<String>,
    /// Moves in UCI, separated by spaces
    #[arg(long, value_name = "UCI", num_args = 0.., value_delimiter = ' ')]
    moves: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A position and its moves in the book.
#[derive(Debug, Serialize)]
struct ShownPosition {
    fen: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<OpeningReply>,
    moves: Vec<ShownMove>,
}

#[derive(Debug, Serialize)]
struct ShownMove {
    uci: String,
    san: String,
    weight: u16,
    /// The share of the position's weights.
    percent: f64,
}

impl ShowBook {
    pub(super) fn run(self) -> Result<(), Failure> {
        let game = Game::from_moves(self.fen.as_deref(), &self.moves).map_err(|issues| {
            let lines: Vec<_> = issues
                .iter()
                .map(|issue| format!("{} ({})", issue.message, issue.code))
                .collect();
            Failure::Usage(format!("the game is not legal:\n  {}", lines.join("\n  ")))
        })?;
        let position = game.position();
        let key = ai_book::key_after(position, game.passed());
        let found = open(&self.file)?.moves_of(key, position, &rules::legal_moves(position))?;
        let total: f64 = found
            .iter()
            .map(|book_move| f64::from(book_move.weight))
            .sum();
        let moves = found.iter().map(|book_move| ShownMove {
            uci: rules::format_uci(position, book_move.chosen).to_string(),
            san: rules::format_san(position, book_move.chosen).to_string(),
            weight: book_move.weight,
            percent: (f64::from(book_move.weight) / total.max(1.0) * 1000.0).round() / 10.0,
        });
        let shown = ShownPosition {
            fen: rules::format_fen(position),
            opening: formats::eco::Opening::of_game(&game).map(OpeningReply::from),
            moves: moves.collect(),
        };
        if self.json {
            return Ok(print_json(&shown)?);
        }
        Ok(print(
            &(FormatName::Text.format().export(&GameRecord::of(game)) + &shown.text()),
        )?)
    }
}

impl ShownPosition {
    fn text(&self) -> String {
        let opening = self
            .opening
            .iter()
            .map(|opening| format!("{} {}", opening.eco, opening.name));
        let moves = self.moves.iter().map(|shown| {
            let ShownMove {
                uci,
                san,
                weight,
                percent,
            } = shown;
            format!("{uci:<5}  {san:<7}  {percent:>5.1} %  weight {weight}")
        });
        let moves = if self.moves.is_empty() {
            vec!["no move in the book".to_owned()]
        } else {
            moves.collect()
        };
        opening
            .chain([String::new()])
            .chain(moves)
            .collect::<Vec<_>>()
            .join("\n")
    }
}
