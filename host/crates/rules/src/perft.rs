//! Counts move paths, to test and time move generators.

#![expect(
    clippy::inline_always,
    reason = "each processor variant needs the entire generator inlined"
)]

use ai_api::{Bitboard, Move, Position, Square};

use crate::{
    movegen::{Among, MoveSink, PawnMoves, Side, count_moves, generate, legal_moves},
    play::{play, play_into},
    processor::variants,
    slides::Sliders,
};

mod suite;

pub use suite::{PerftCase, PerftCount, PerftSuiteError, parse_perft_suite};

/// Counts the paths of exactly `depth` legal moves from a position. Moves of the last ply are
/// counted without playing them.
#[must_use]
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        1
    } else {
        paths(position, depth)
    }
}

variants! {
    fn paths(position: &Position, depth: u32) -> u64 = count_paths;
}

#[inline(always)]
fn count_paths<S: Sliders>(sliders: S, position: &Position, depth: u32) -> u64 {
    if depth == 1 {
        return u64::from(count_moves(sliders, position, position.turn()));
    }
    let mut paths = Paths {
        position,
        next: *position,
        depth: depth - 1,
        count: 0,
    };
    generate(&Side::to_move(sliders, position), Among::All, &mut paths);
    paths.count
}

/// Runs [`perft`] for each first move, in the order of [`legal_moves`]; empty for a depth of 0.
#[must_use]
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    legal_moves(position)
        .iter()
        .map(|&first| (first, perft(&play(position, first), rest)))
        .collect()
}

struct Paths<'a> {
    position: &'a Position,
    /// The position after a move, written in place.
    next: Position,
    depth: u32,
    count: u64,
}

impl Paths<'_> {
    #[inline(always)]
    fn follow(&mut self, chosen: Move) {
        play_into(self.position, chosen, &mut self.next);
        self.count += paths(&self.next, self.depth);
    }
}

impl MoveSink for Paths<'_> {
    #[inline(always)]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.follow(Move::new(from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, moves: &PawnMoves) {
        moves.for_each(|chosen| self.follow(chosen));
    }
}
