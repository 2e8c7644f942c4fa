//! Lines that end in a draw.

use rules::has_legal_move;

use crate::{
    claim::{Claim, Motif},
    line::Line,
};

/// The minimum number of checks for perpetual check.
const FEWEST_CHECKS: usize = 2;

/// Returns the claim that a line ends with stalemate or perpetual check.
pub(crate) fn draw(line: &Line) -> Option<Claim> {
    let last = line.last();
    let is_stalemate = line.moves.len() == line.len() && !last.in_check() && !has_legal_move(last);
    let motif = if is_stalemate {
        Motif::Stalemate
    } else if is_perpetual(line) {
        Motif::Perpetual
    } else {
        return None;
    };
    Some(Claim {
        after: line.len(),
        ..line.claim(motif)
    })
}

/// Returns whether the last position occurs twice, and each of the actor's moves in between gives
/// check.
fn is_perpetual(line: &Line) -> bool {
    let end = line.len();
    let same = |n: &usize| line.positions[*n].hash() == line.positions[end].hash();
    (0..end).rev().find(same).is_some_and(|first| {
        let mut moves = line.after_actor(first + 1, end);
        let checks = moves.clone().filter(|&n| line.positions[n].in_check());
        checks.count() >= FEWEST_CHECKS && moves.all(|n| line.positions[n].in_check())
    })
}
