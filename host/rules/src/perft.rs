//! Counts move paths, which tests and times move generators.

#![expect(clippy::inline_always, reason = "a move is played much faster where its piece is a constant")]

use ai_api::{Bitboard, Move, Position, Role, Square};

use crate::{
    movegen::{Among, MoveSink, PawnMoves, Side, count_legal_moves, generate, legal_moves},
    play::{play, play_role},
};

/// Counts the paths of exactly `depth` legal moves from a position. Moves of the last ply are counted, not played.
#[must_use]
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => u64::from(count_legal_moves(position, position.turn())),
        _ => {
            let mut paths = Paths { position, depth: depth - 1, count: 0 };
            generate(&Side::to_move(position), Among::All, &mut paths);
            paths.count
        }
    }
}

/// Counts as [`perft`] for each first move, in the order of [`legal_moves`]; empty for a depth of 0.
#[must_use]
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    legal_moves(position).iter().map(|&first| (first, perft(&play(position, first), rest))).collect()
}

struct Paths<'a> {
    position: &'a Position,
    depth: u32,
    count: u64,
}

impl Paths<'_> {
    #[inline(always)]
    fn follow(&mut self, role: Role, chosen: Move) {
        self.count += perft(&play_role(self.position, role, chosen), self.depth);
    }
}

impl MoveSink for Paths<'_> {
    #[inline(always)]
    fn piece(&mut self, role: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.follow(role, Move::new(from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, moves: &PawnMoves) {
        moves.for_each(|chosen| self.follow(Role::Pawn, chosen));
    }
}
