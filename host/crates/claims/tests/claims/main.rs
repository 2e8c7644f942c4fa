//! Tests claims about single moves, and the properties of every claim.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod motifs;
mod properties;
mod sentences;

use ai_api::{Move, Position, Role, Score};
use claims::{Claim, Judged, MateEffort, claims};
use rules::{parse_fen, parse_san, play};

/// Reads a line in SAN.
fn line(start: &Position, text: &str) -> Vec<Move> {
    let mut position = *start;
    let moves = text.split_whitespace().map(|san| {
        let chosen = parse_san(&position, san).unwrap();
        position = play(&position, chosen);
        chosen
    });
    moves.collect()
}

/// A judged move in SAN. The scores, before and after the move, are from the
/// point of view of the side that plays it.
struct Case {
    fen: &'static str,
    played: &'static str,
    reply: &'static str,
    /// Empty for the best move.
    better: &'static str,
    scores: [Score; 2],
}

impl Case {
    fn claims(&self) -> Vec<Claim> {
        self.claims_after(None)
    }

    /// Returns the claims, given the piece that the opponent's last move captured.
    fn claims_after(&self, lost_before: Option<Role>) -> Vec<Claim> {
        let before = parse_fen(self.fen).unwrap();
        let played = parse_san(&before, self.played).unwrap();
        let sign = before.turn().sign();
        let better = line(&before, self.better);
        let judged = Judged {
            before: &before,
            played,
            lost_before,
            reply: &line(&play(&before, played), self.reply),
            better: &better,
            second: &[],
            scores: self
                .scores
                .map(|score| Some(Score::from_value(sign * score.value()))),
            is_bad: !better.is_empty(),
        };
        claims(&judged, &mut MateEffort::default())
    }

    /// Returns the claims in words.
    fn texts(&self) -> Vec<String> {
        self.claims().iter().map(Claim::text).collect()
    }
}

fn cp(score: i32) -> Score {
    Score::centipawns(score)
}
