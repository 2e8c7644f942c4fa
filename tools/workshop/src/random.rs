//! Random numbers that are the same in every version and on every machine.

/// The `SplitMix64` generator (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number
/// Generators").
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator. Equal seeds give equal numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Creates the generator for one of many tasks that share a seed.
    pub fn for_task(seed: u64, task: u64) -> Self {
        Self(Self(Self(seed).bits() ^ task).bits())
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, or 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// Returns a number from `-limit` to `limit`.
    pub fn symmetric(&mut self, limit: f32) -> f32 {
        let unit = (self.bits() >> 40) as f32 / (1_u32 << 24) as f32;
        (2.0 * unit - 1.0) * limit
    }

    /// Returns one of the items, or `None` if there are none.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// Puts the items in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_match_the_published_generator() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn tasks_have_different_numbers() {
        let firsts: Vec<u64> = [(1, 1), (1, 2), (2, 1), (2, 2)]
            .map(|(seed, task)| Random::for_task(seed, task).bits())
            .to_vec();
        let mut different = firsts.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), firsts.len());
    }

    #[test]
    fn shuffling_keeps_all_items() {
        let mut items: Vec<usize> = (0..100).collect();
        Random::new(5).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert!(items.into_iter().eq(0..100));
    }
}
