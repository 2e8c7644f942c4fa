//! The positions on the way to the one looked at, for draws by repetition.

use super::MAX_PLY;
use crate::Position;

/// The game before the root, and the line from the root to the position looked at.
#[derive(Debug)]
pub(super) struct Path<'q> {
    history: &'q [u64],
    /// One bit for each position of the history, picked by its hash: tells most others apart without a look at all.
    history_filter: [u64; 16],
    hashes: [u64; MAX_PLY + 1],
}

impl<'q> Path<'q> {
    pub(super) fn new(history: &'q [u64]) -> Self {
        let mut history_filter = [0; 16];
        for &hash in history {
            let (word, bit) = Self::filter_bit(hash);
            history_filter[word] |= bit;
        }
        Self { history, history_filter, hashes: [0; MAX_PLY + 1] }
    }

    const fn filter_bit(hash: u64) -> (usize, u64) {
        ((hash >> 6 & 15) as usize, 1 << (hash & 63))
    }

    /// Notes the position of a ply, before those that follow it are looked at.
    #[inline]
    pub(super) const fn set(&mut self, ply: usize, position: &Position) {
        self.hashes[ply] = position.hash();
    }

    /// Whether the position of a ply occurred before, in the game or on the path.
    #[inline]
    pub(super) fn repeats(&self, ply: usize, position: &Position) -> bool {
        let hash = position.hash();
        let reversible = usize::from(position.halfmove_clock());
        // The same side is to move every other ply, and two plies bring nothing back.
        let mut back = 4;
        while back <= reversible.min(ply) {
            if self.hashes[ply - back] == hash {
                return true;
            }
            back += 2;
        }
        let (word, bit) = Self::filter_bit(hash);
        reversible >= ply && self.history_filter[word] & bit != 0 && self.history.contains(&hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bitboard, CastlingRights, Color, PositionParts};

    fn position(hash: u64, halfmove_clock: u8) -> Position {
        Position::from_parts_unchecked(PositionParts {
            roles: [Bitboard::EMPTY; 6],
            colors: [Bitboard::EMPTY; 2],
            checkers: Bitboard::EMPTY,
            hash,
            castling: CastlingRights::NONE,
            en_passant_file: 8,
            halfmove_clock,
            fullmove_number: 1,
            turn: Color::White,
            chess960: false,
        })
    }

    fn path(history: &[u64]) -> Path<'_> {
        let mut path = Path::new(history);
        for ply in 0..=5 {
            path.set(ply, &position(100 + ply as u64, 0));
        }
        path
    }

    #[test]
    fn finds_a_position_of_the_line_as_far_as_moves_can_be_taken_back() {
        let path = path(&[]);
        assert!(path.repeats(6, &position(102, 4)));
        assert!(path.repeats(6, &position(100, 6)));
        assert!(!path.repeats(6, &position(100, 5)));
        assert!(!path.repeats(6, &position(99, 50)));
    }

    #[test]
    fn finds_a_position_of_the_game_only_where_no_move_of_the_line_was_final() {
        let history = [1, 2, 3];
        let path = path(&history);
        assert!(path.repeats(6, &position(2, 6)));
        assert!(!path.repeats(6, &position(2, 5)));
        assert!(!path.repeats(6, &position(4, 50)));
    }

    #[test]
    fn hashes_that_share_a_filter_bit_are_told_apart() {
        let history = [5];
        assert!(!path(&history).repeats(1, &position(5 + (1 << 20), 9)));
    }
}
