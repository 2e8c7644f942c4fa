//! A game lost from a won position, as text and as JSON.

use std::{fmt, path::Path};

use ai_api::Color;
use serde::Serialize;

use crate::cli::best_move::text::score_text;
use api::replies::game::ScoreReply;
use tournament::LostFromWon;

#[derive(Debug, Serialize)]
pub(super) struct LostGame {
    game: usize,
    loser: String,
    winner: String,
    /// The colour of the loser.
    color: &'static str,
    #[serde(rename = "move")]
    at: String,
    score_for_loser: ScoreReply,
    /// The player that evaluated.
    evaluated_by: String,
    result: &'static str,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pgn: Option<String>,
    /// The line in `pgn` at which the game begins, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl LostGame {
    pub(super) fn new(game: &LostFromWon, pgn: Option<&Path>) -> Self {
        Self {
            game: game.game,
            loser: game.loser.clone(),
            winner: game.winner.clone(),
            color: if game.color == Color::White {
                "white"
            } else {
                "black"
            },
            at: game.at.clone(),
            score_for_loser: game.score.into(),
            evaluated_by: game.by.clone(),
            result: game.result.text(),
            reason: game.reason.clone(),
            pgn: pgn.map(|path| path.display().to_string()),
            line: game.line,
        }
    }
}

impl fmt::Display for LostGame {
    /// `game 12: new.so (black) lost to old.so; 34... Qxf7: +5.20 by old.so; 1-0, White mates;
    /// games.pgn:412`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            game,
            loser,
            winner,
            color,
            at,
            evaluated_by,
            result,
            reason,
            ..
        } = self;
        let score = score_text(self.score_for_loser);
        write!(
            f,
            "game {game}: {loser} ({color}) lost to {winner}; {at}: {score} by {evaluated_by}; \
             {result}, {reason}"
        )?;
        match (&self.pgn, self.line) {
            (Some(pgn), Some(line)) => write!(f, "; {pgn}:{line}"),
            _ => Ok(()),
        }
    }
}
