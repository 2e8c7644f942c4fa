//! The positions before the current one, to find draws by repetition.

use crate::options::MAX_PLY;

/// The game before the root, and the line from the root to the current position.
#[derive(Debug)]
pub struct Path<'q> {
    history: &'q [u64],
    /// A Bloom filter of the positions that occurred twice in the history. It rules out most other
    /// positions.
    twice_filter: [u64; 16],
    hashes: [u64; MAX_PLY + 1],
}

impl<'q> Path<'q> {
    pub fn new(history: &'q [u64]) -> Self {
        let mut once_filter = [0; 16];
        let mut twice_filter = [0; 16];
        for &hash in history {
            let (word, bit) = Self::filter_bit(hash);
            twice_filter[word] |= once_filter[word] & bit;
            once_filter[word] |= bit;
        }
        Self {
            history,
            twice_filter,
            hashes: [0; MAX_PLY + 1],
        }
    }

    const fn filter_bit(hash: u64) -> (usize, u64) {
        ((hash >> 6 & 15) as usize, 1 << (hash & 63))
    }

    /// Sets the position of a ply, before its children are searched.
    #[inline]
    pub const fn set(&mut self, ply: usize, hash: u64) {
        self.hashes[ply] = hash;
    }

    /// Returns whether the position at a ply is a draw by repetition: it occurred before on the
    /// path, including the root, or twice in the game before the root, within its half-move clock.
    ///
    /// On the path, one repetition is enough, because a side that can force it once can force it
    /// again. In the game, one repetition proves nothing: the opponent may have made a mistake, and
    /// need not allow the position a third time.
    #[inline]
    pub fn repeats(&self, ply: usize, hash: u64, halfmove_clock: u8) -> bool {
        let reversible = usize::from(halfmove_clock);
        // The same side is to move only every other ply, and two plies cannot repeat a position.
        let mut back = 4;
        while back <= reversible.min(ply) {
            if self.hashes[ply - back] == hash {
                return true;
            }
            back += 2;
        }
        let (word, bit) = Self::filter_bit(hash);
        reversible >= ply && self.twice_filter[word] & bit != 0 && self.occurred_twice(hash)
    }

    #[cold]
    fn occurred_twice(&self, hash: u64) -> bool {
        self.history
            .iter()
            .filter(|&&earlier| earlier == hash)
            .count()
            >= 2
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
    fn finds_third_occurrences_in_the_game_within_the_clock() {
        let history = [1, 2, 3, 9, 1, 2, 3, 2];
        let path = path(&history);
        for twice_or_more in [1, 2, 3] {
            assert!(path.repeats(6, twice_or_more, 6));
            assert!(!path.repeats(6, twice_or_more, 5));
        }
        assert!(!path.repeats(6, 4, 50));
        assert!(!path.repeats(6, 9, 50), "a second occurrence");
    }

    #[test]
    fn finds_the_root_again_however_often_it_occurred() {
        for history in [&[][..], &[100], &[100, 100]] {
            assert!(path(history).repeats(4, 100, 9), "{history:?}");
        }
    }

    #[test]
    fn distinguishes_hashes_with_the_same_filter_bit() {
        let history = [5, 5];
        assert!(!path(&history).repeats(1, 5 + (1 << 20), 9));
        let history = [5, 5 + (1 << 20)];
        assert!(!path(&history).repeats(1, 5, 9));
    }
}
