//! The optimiser.

const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// `AdamW` (Loshchilov, Hutter: "Decoupled Weight Decay Regularization").
#[derive(Debug)]
pub(crate) struct Adam {
    means: Vec<f32>,
    squares: Vec<f32>,
    weight_decay: f32,
    /// The decay rates to the power of the number of steps.
    mean_power: f32,
    square_power: f32,
}

impl Adam {
    pub(crate) fn new(weights: usize, weight_decay: f32) -> Self {
        let zeros = || vec![0.0; weights];
        Self {
            means: zeros(),
            squares: zeros(),
            weight_decay,
            mean_power: 1.0,
            square_power: 1.0,
        }
    }

    /// Moves the weights against the slopes summed over `batch` samples, keeps each weight between
    /// `-limit` and `limit`, and clears the slopes.
    pub(crate) fn step(
        &mut self,
        weights: &mut [f32],
        slopes: &mut [f32],
        rate: f32,
        batch: usize,
        limit: f32,
    ) {
        self.mean_power *= MEAN_DECAY;
        self.square_power *= SQUARE_DECAY;
        let mean_scale = 1.0 / (1.0 - self.mean_power);
        let square_scale = 1.0 / (1.0 - self.square_power);
        let part = 1.0 / batch as f32;
        let state = self.means.iter_mut().zip(&mut self.squares);
        for ((weight, slope), (mean, square)) in weights.iter_mut().zip(slopes).zip(state) {
            let slope = std::mem::take(slope) * part;
            *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * slope;
            *square = SQUARE_DECAY * *square + (1.0 - SQUARE_DECAY) * slope * slope;
            let step = (*mean * mean_scale) / ((*square * square_scale).sqrt() + EPSILON);
            *weight = (*weight - rate * (step + self.weight_decay * *weight)).clamp(-limit, limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_minimum_of_a_sum_of_squares() {
        let least = [3.0, -2.0];
        let mut weights = [0.0; 2];
        let mut adam = Adam::new(2, 0.0);
        for _ in 0..2000 {
            let mut slopes = [0, 1].map(|index| 2.0 * 4.0 * (weights[index] - least[index]));
            adam.step(&mut weights, &mut slopes, 0.01, 4, 2.5);
            assert!(
                slopes.iter().all(|slope| slope.abs() <= 0.0),
                "the slopes are cleared"
            );
        }
        assert!(
            (weights[0] - 2.5).abs() < 1e-3,
            "{weights:?}: the first weight is limited"
        );
        assert!((weights[1] + 2.0).abs() < 1e-2, "{weights:?}");
    }
}
