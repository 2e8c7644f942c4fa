//! The claims about a judged move.

use ai_api::{Color, Move, Position, Role, Score};
use rules::{legal_moves, play, worth};

use crate::{
    claim::{Claim, Evidence, LineVerb},
    draw::draw,
    line::Line,
    mate::{MateEffort, is_mate, mate},
    material::{Gain, material},
    motifs::motifs,
};

/// The minimum share of a claim's material that the score must reflect.
const LEAST_SHARE: f64 = 0.5;
/// Gains after this position are not credited to the best move.
const SOON: usize = 6;
/// The tolerance when a score is compared with material, in centipawns.
const HALF_A_PAWN: f64 = 50.0;
/// Scores below this, in centipawns, count as a draw.
const DRAWN: i32 = 25;
/// The maximum number of moves that a claim shows from the better line.
const MAX_INSTEAD: usize = 12;

/// A move, and what an AI has found out about it.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The position before the move.
    pub before: &'a Position,
    pub played: Move,
    /// The piece that the opponent's last move captured.
    pub lost_before: Option<Role>,
    /// The line after the move, which begins with the opponent's best reply. All its moves are
    /// legal.
    pub reply: &'a [Move],
    /// The better line; empty if the move is the best.
    pub better: &'a [Move],
    /// The best line that begins with another move; empty if unknown.
    pub second: &'a [Move],
    /// The scores before and after the move, for White.
    pub scores: [Option<Score>; 2],
    /// Whether the move is judged bad.
    pub is_bad: bool,
}

/// Returns why a move is good or bad, the strongest reason first.
pub fn claims(judged: &Judged<'_>, effort: &mut MateEffort) -> Vec<Claim> {
    let mut found = Vec::new();
    if judged.better.is_empty() || is_mate(&play(judged.before, judged.played)) {
        found = judged.merits(effort);
    } else if judged.is_bad {
        found = judged.faults(effort);
    }
    if legal_moves(judged.before).len() == 1 {
        found.push(Claim::only_move(Evidence::Rules));
    }
    found
}

impl Judged<'_> {
    fn mover(&self) -> Color {
        self.before.turn()
    }

    fn line(&self, verb: LineVerb) -> Line {
        let before = *self.before;
        match verb {
            LineVerb::Allows => Line::new(verb, before, play(&before, self.played), self.reply),
            LineVerb::Misses => Line::new(verb, before, before, self.better),
            LineVerb::Finds => {
                let moves: Vec<_> = std::iter::once(self.played)
                    .chain(self.reply.iter().copied())
                    .collect();
                Line::new(verb, before, before, &moves)
            }
        }
    }

    /// Returns the scores before and after the move, for the mover.
    fn own_scores(&self) -> [Option<i32>; 2] {
        let sign = self.mover().sign();
        self.scores
            .map(|score| score.map(|score| sign * score.value()))
    }

    /// Returns the claims about what a bad move loses, allows or misses.
    fn faults(&self, effort: &mut MateEffort) -> Vec<Claim> {
        let [before, after] = self.scores;
        let (allowed, missed) = (self.line(LineVerb::Allows), self.line(LineVerb::Misses));
        let mut found = Vec::new();
        // A better line in which the mover is mated proves nothing, whatever its score.
        if is_mate(missed.last()) && missed.last().turn() == self.mover() {
            return found;
        }
        let mated_before = mates_in(before, !self.mover()).is_some();
        if let Some(moves) = mates_in(after, !self.mover()).filter(|_| !mated_before) {
            found.extend(mate(&allowed, moves, effort));
        }
        let mates_after = mates_in(after, self.mover()).is_some();
        if let Some(moves) = mates_in(before, self.mover()).filter(|_| !mates_after) {
            found.extend(mate(&missed, moves, effort));
        }
        let is_mate = !found.is_empty();
        let drawn = [(&allowed, after), (&missed, before)].into_iter();
        found.extend(
            drawn
                .filter(|(_, score)| is_drawn(*score))
                .filter_map(|(line, _)| draw(line)),
        );
        if !is_mate {
            found.extend(self.lost_material(&allowed, &missed));
        }
        for claim in &mut found {
            claim.instead = self.better.iter().copied().take(MAX_INSTEAD).collect();
        }
        found
    }

    /// Returns the claims about material that the move loses or misses, the greater amount first.
    fn lost_material(&self, allowed: &Line, missed: &Line) -> Vec<Claim> {
        let own = self.line(LineVerb::Finds);
        let gains = [(allowed, missed), (missed, &own)].map(|(line, other)| {
            // If both lines show the gain, this move does not cause it.
            let others = other.last_gain(line.actor)?;
            let gain = line.lasting_gains().into_iter().find(|gain| {
                let more = gain.value - others;
                more > 0 && self.is_felt(more.min(gain.value))
            })?;
            Some((line, gain))
        });
        let mut gains: Vec<_> = gains.into_iter().flatten().collect();
        gains.sort_by_key(|(_, gain)| -gain.value);
        gains
            .into_iter()
            .flat_map(|(line, gain)| with_motifs(line, gain))
            .collect()
    }

    /// Returns whether the score fell by at least half this many pawns.
    fn is_felt(&self, pawns: i32) -> bool {
        let [Some(before), Some(after)] = self.own_scores() else {
            return false;
        };
        f64::from(before) - f64::from(after) >= 100.0 * LEAST_SHARE * f64::from(pawns)
    }

    /// Returns whether the score is at least half of the resulting material, less half a pawn.
    fn is_believed(&self, line: &Line, gain: Gain) -> bool {
        let pawns = line.balance_before() + gain.value;
        let least = 100.0 * LEAST_SHARE * f64::from(pawns) - HALF_A_PAWN;
        self.own_scores()[0].is_some_and(|score| f64::from(score) >= least)
    }

    /// Returns the claims about what the best move wins or finds.
    fn merits(&self, effort: &mut MateEffort) -> Vec<Claim> {
        let line = self.line(LineVerb::Finds);
        let moves = if is_mate(&line.positions[1]) {
            Some(1)
        } else {
            mates_in(self.scores[0], self.mover())
        };
        if let Some(found) = moves.and_then(|moves| mate(&line, moves, effort)) {
            return vec![found];
        }
        let second = Line::new(LineVerb::Misses, *self.before, *self.before, self.second);
        let is_more = |gain: &Gain| {
            let other = second.last_gain(self.mover());
            self.second.is_empty() || other.is_some_and(|other| gain.value > other)
        };
        let gains = line.lasting_gains().into_iter();
        let taken_back = self.lost_before.map_or(0, worth);
        let gain = gains
            .filter(|gain| gain.value > taken_back && gain.after <= SOON)
            .find(|gain| is_more(gain) && self.is_believed(&line, *gain));
        let won = gain.map(|gain| with_motifs(&line, gain));
        won.unwrap_or_else(|| {
            let saved = draw(&line).filter(|_| is_drawn(self.scores[0]));
            saved.into_iter().collect()
        })
    }
}

/// Returns the claims about the material that a line wins and, unless the first capture is free,
/// about how it wins the material.
fn with_motifs(line: &Line, gain: Gain) -> Vec<Claim> {
    let mut found = material(line, gain);
    if !line.takes_hanging(gain) {
        found.extend(motifs(line, gain));
    }
    found
}

/// Returns the number of moves in which a side mates, according to a score.
fn mates_in(score: Option<Score>, side: Color) -> Option<usize> {
    let score = score?;
    let is_own = (score.value() > 0) == (side == Color::White);
    let plies = score.plies_to_mate().filter(|_| is_own)?;
    Some(plies.div_ceil(2) as usize)
}

fn is_drawn(score: Option<Score>) -> bool {
    score.is_some_and(|score| score.value().abs() < DRAWN)
}

/// Returns the longest prefix of the line whose last position has `turn` to move and is quiet even
/// if the line ends there.
pub fn quiet_part<'a>(start: &Position, moves: &'a [Move], turn: Color) -> Option<&'a [Move]> {
    let line = Line::new(LineVerb::Allows, *start, *start, moves);
    let is_end =
        |n: &usize| line.positions[*n].turn() == turn && line.is_quiet(*n) && line.is_quiet_end(*n);
    let end = (0..=line.len()).rev().find(is_end)?;
    Some(&moves[..end])
}
