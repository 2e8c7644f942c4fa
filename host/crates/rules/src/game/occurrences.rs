//! Upper bounds on how often positions have occurred.

const BUCKETS: usize = 128;

/// Counts positions by part of their hashes, so that nearly every new position is recognized
/// without comparing it to all earlier ones.
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

    /// Counts a position. Returns an upper bound on how often it has occurred.
    pub(super) fn count(&mut self, hash: u64) -> u8 {
        let count = &mut self.0[hash as usize % BUCKETS];
        *count = count.saturating_add(1);
        *count
    }
}
