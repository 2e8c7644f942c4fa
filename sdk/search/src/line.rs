//! Principal variations.

use ai_api::Move;

use crate::options::MAX_PLY;

const NO_MOVE: Move = Move::from_bits(0);

#[derive(Clone, Debug)]
struct Line {
    len: usize,
    moves: [Move; MAX_PLY + 1],
}

/// The best line from each ply onwards.
#[derive(Debug)]
pub struct Lines(Box<[Line]>);

impl Default for Lines {
    /// Returns an empty line for every ply.
    fn default() -> Self {
        let empty = Line {
            len: 0,
            moves: [NO_MOVE; MAX_PLY + 1],
        };
        Self(vec![empty; MAX_PLY + 2].into_boxed_slice())
    }
}

impl Lines {
    /// Returns the line from a ply onwards.
    pub fn get(&self, ply: usize) -> &[Move] {
        let line = &self.0[ply];
        &line.moves[..line.len]
    }

    /// Clears a ply's line.
    #[inline]
    pub const fn clear(&mut self, ply: usize) {
        self.0[ply].len = 0;
    }

    /// Sets the best line of a ply to `chosen`, followed by the best line of the next ply.
    pub fn set(&mut self, ply: usize, chosen: Move) {
        let (here, below) = self.0.split_at_mut(ply + 1);
        let (line, next) = (&mut here[ply], &below[0]);
        let len = next.len.min(MAX_PLY);
        line.moves[0] = chosen;
        line.moves[1..=len].copy_from_slice(&next.moves[..len]);
        line.len = len + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_prepends_a_move_to_the_line_below() {
        let [first, second, third] = [1, 2, 3].map(Move::from_bits);
        let mut lines = Lines::default();
        lines.set(2, third);
        lines.set(1, second);
        lines.set(0, first);
        assert_eq!(lines.get(0), [first, second, third]);
        lines.clear(2);
        lines.set(1, third);
        assert_eq!((lines.get(1), lines.get(0).len()), (&[third][..], 3));
    }

    #[test]
    fn holds_the_longest_line() {
        let mut lines = Lines::default();
        for ply in (0..=MAX_PLY).rev() {
            lines.set(ply, Move::from_bits(ply as u16));
        }
        assert_eq!(lines.get(0).len(), MAX_PLY + 1);
        assert_eq!(lines.get(0)[MAX_PLY], Move::from_bits(MAX_PLY as u16));
    }
}
