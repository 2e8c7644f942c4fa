//! Counts features: their weighted sum, or the counts themselves.

use ai_api::Color;

use super::features::COUNT;

/// Receives the features that terms find.
pub(crate) trait Tally {
    /// Counts a feature `count` times for a side.
    fn add(&mut self, color: Color, feature: usize, count: i32);
}

/// A middlegame value and an endgame value in one number, so that a single addition adds both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packed(i32);

impl Packed {
    pub(crate) const fn new([middlegame, endgame]: [i16; 2]) -> Self {
        Self(((endgame as i32) << 16) + middlegame as i32)
    }

    #[inline]
    pub(crate) const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    #[inline]
    pub(crate) const fn endgame(self) -> i32 {
        (self.0 + 0x8000) >> 16
    }
}

/// Adds the weights of features, for White. Functions that use it are compiled twice: for all
/// processors, and only for [`Modern`](crate::processor::Modern) ones.
pub(crate) struct Sum<'w, const MODERN: bool> {
    weights: &'w [Packed; COUNT],
    total: i32,
}

impl<'w, const MODERN: bool> Sum<'w, MODERN> {
    pub(crate) const fn new(weights: &'w [Packed; COUNT]) -> Self {
        Self { weights, total: 0 }
    }

    pub(crate) const fn total(&self) -> Packed {
        Packed(self.total)
    }
}

impl<const MODERN: bool> Tally for Sum<'_, MODERN> {
    #[inline]
    fn add(&mut self, color: Color, feature: usize, count: i32) {
        self.total += self.weights[feature].0 * (count * color.sign());
    }
}

/// Keeps the counts: White's minus Black's.
pub(crate) struct Counts(pub(crate) Box<[i16; COUNT]>);

impl Tally for Counts {
    fn add(&mut self, color: Color, feature: usize, count: i32) {
        self.0[feature] += (count * color.sign()) as i16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_values_do_not_mix() {
        let values = [0, 1, -1, 300, -300, 12_000, -12_000];
        for middlegame in values {
            for endgame in values {
                let packed = Packed::new([middlegame, endgame]);
                assert_eq!(packed.middlegame(), middlegame.into());
                assert_eq!(packed.endgame(), endgame.into());
                let mut weights = [Packed::default(); COUNT];
                weights[3] = packed;
                let mut sum = Sum::<false>::new(&weights);
                sum.add(Color::White, 3, 1);
                (0..3).for_each(|_| sum.add(Color::Black, 3, 1));
                let total = sum.total();
                assert_eq!(
                    (total.middlegame(), total.endgame()),
                    (-2 * i32::from(middlegame), -2 * i32::from(endgame))
                );
            }
        }
    }
}
