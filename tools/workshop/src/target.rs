//! The training target of a sample: the expected result.

use ai_nnue1::net::SCALE;

use crate::sample::{GameResult, Origin, Sample};

/// How much of the expected result comes from the game. The rest comes from the score.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Targets {
    /// How much the game's result counts in the target of a game's position; the rest is its score
    #[arg(long, default_value_t = 0.1)]
    pub result_part: f32,
    /// How much the game's result counts in the target of a search tree's position
    #[arg(long, default_value_t = 0.0)]
    pub leaf_result_part: f32,
}

impl Targets {
    /// Returns White's expected result, from 0 to 1.
    pub(crate) fn of(self, sample: &Sample) -> f32 {
        let result = match sample.result {
            GameResult::BlackWins => 0.0,
            GameResult::Draw => 0.5,
            GameResult::WhiteWins => 1.0,
        };
        let part = match sample.origin {
            Origin::Game => self.result_part,
            Origin::Leaf => self.leaf_result_part,
        };
        part * result + (1.0 - part) * sigmoid(f32::from(sample.score) / SCALE as f32)
    }
}

/// Returns the expected result for a score in units of [`SCALE`]. The standard library's
/// exponential differs between systems.
pub(crate) fn sigmoid(value: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_mix_result_and_score() {
        let targets = Targets {
            result_part: 0.25,
            leaf_result_part: 0.0,
        };
        let is_near = |sample: &Sample, expected: f32| (targets.of(sample) - expected).abs() < 1e-6;
        let mut sample = Sample::new(
            &rules::start_position(),
            Origin::Game,
            40,
            GameResult::WhiteWins,
        );
        assert!(is_near(&sample, 0.25 + 0.75 * sigmoid(0.1)));
        sample.result = GameResult::BlackWins;
        assert!(is_near(&sample, 0.75 * sigmoid(0.1)));
        sample.origin = Origin::Leaf;
        assert!(is_near(&sample, sigmoid(0.1)));
    }
}
