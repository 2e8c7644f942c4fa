//! The nonzero features of a sample.

use ai_nnue1::{evaluation::trace, net::SCALE};

use crate::{sample::Sample, target::sigmoid};

/// The counts of a position's features with the factors of their weights.
#[derive(Clone, Debug)]
pub(super) struct Features {
    /// The index and the count of each feature, White's minus Black's.
    counts: Box<[(u16, i16)]>,
    /// How much the middlegame weights count in the value.
    middlegame: f32,
    /// The share of the endgame weights if White is better and if Black is better.
    endgame: [f32; 2],
}

impl Features {
    /// Returns the features of a sample, or `None` if its position is not legal.
    pub(super) fn of(sample: &Sample) -> Option<Self> {
        /// The phase of a game with all its pieces.
        const MIDDLEGAME: f32 = 24.0;
        /// The factor of an ending without drawish material.
        const FULL: f32 = 64.0;
        let trace = trace(&sample.position()?);
        let counts = (0..)
            .zip(trace.counts.iter().copied())
            .filter(|&(_, count)| count != 0)
            .collect();
        let middlegame = trace.phase as f32 / MIDDLEGAME;
        let endgame = trace
            .scales
            .map(|scale| (1.0 - middlegame) * scale as f32 / FULL);
        Some(Self {
            counts,
            middlegame,
            endgame,
        })
    }

    /// Adds the slopes of the loss with respect to the weights, alternating between middlegame and
    /// endgame for each feature. Returns the loss.
    pub(super) fn add_slopes(&self, weights: &[f32], target: f32, slopes: &mut [f32]) -> f64 {
        let mut sums = [0.0; 2];
        for &(index, count) in &self.counts {
            for (stage, sum) in sums.iter_mut().enumerate() {
                *sum += weights[2 * usize::from(index) + stage] * f32::from(count);
            }
        }
        let parts = [self.middlegame, self.endgame[usize::from(sums[1] < 0.0)]];
        let value = sums[0] * parts[0] + sums[1] * parts[1];
        let expected = sigmoid(value / SCALE as f32);
        let error = expected - target;
        let slope = 2.0 * error * expected * (1.0 - expected) / SCALE as f32;
        for &(index, count) in &self.counts {
            for (stage, part) in parts.iter().enumerate() {
                slopes[2 * usize::from(index) + stage] += slope * part * f32::from(count);
            }
        }
        f64::from(error * error)
    }
}
