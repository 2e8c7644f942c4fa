//! The positions before the current one, for draws by repetition.

use crate::options::MAX_PLY;

/// The game before the root, and the line from the root to the current position.
#[derive(Debug)]
pub struct Path<'q> {
    history: &'q [u64],
    /// A Bloom filter of the history, which rules out most other positions.
    history_filter: [u64; 16],
    hashes: [u64; MAX_PLY + 1],
}

impl<'q> Path<'q> {
    pub fn new(history: &'q [u64]) -> Self {
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

    /// Sets the position of a ply, before its children are searched.
    #[inline]
    pub const fn set(&mut self, ply: usize, hash: u64) {
        self.hashes[ply] = hash;
    }

    /// Returns whether the position of a ply occurred before, in the game or on the path, within its half-move clock.
    #[inline]
    pub fn repeats(&self, ply: usize, hash: u64, halfmove_clock: u8) -> bool {
        let reversible = usize::from(halfmove_clock);
        // The same side is to move every other ply, and two plies repeat nothing.
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

    fn path(history: &[u64]) -> Path<'_> {
        let mut path = Path::new(history);
        for ply in 0..=5 {
            path.set(ply, 100 + ply as u64);
        }
        path
    }

    #[test]
    fn finds_repetitions_in_the_line_within_the_clock() {
        let path = path(&[]);
        assert!(path.repeats(6, 102, 4));
        assert!(path.repeats(6, 100, 6));
        assert!(!path.repeats(6, 100, 5));
        assert!(!path.repeats(6, 99, 50));
    }

    #[test]
    fn finds_repetitions_in_the_game_within_the_clock() {
        let history = [1, 2, 3];
        let path = path(&history);
        assert!(path.repeats(6, 2, 6));
        assert!(!path.repeats(6, 2, 5));
        assert!(!path.repeats(6, 4, 50));
    }

    #[test]
    fn distinguishes_hashes_with_the_same_filter_bit() {
        let history = [5];
        assert!(!path(&history).repeats(1, 5 + (1 << 20), 9));
    }
}
