//! How often positions have occurred, at most.

const BUCKETS: usize = 128;

/// Counts positions by a part of their hashes, so that nearly every position is known to be new
/// without a look at all earlier ones.
#[derive(Clone, Debug)]
pub(super) struct MostOccurrences([u8; BUCKETS]);

impl Default for MostOccurrences {
    fn default() -> Self {
        Self([0; BUCKETS])
    }
}

impl MostOccurrences {
    pub(super) fn of(hashes: &[u64]) -> Self {
        let mut counts = Self::default();
        for &hash in hashes {
            counts.count(hash);
        }
        counts
    }

    /// Counts a position, and returns how often it has occurred at most.
    pub(super) fn count(&mut self, hash: u64) -> u8 {
        let count = &mut self.0[hash as usize % BUCKETS];
        *count = count.saturating_add(1);
        *count
    }
}
