//! The gradient of the loss.

#![expect(
    clippy::inline_always,
    reason = "each processor-specific variant compiles the complete computation"
)]

use ai_api::Color;
use ai_nnue1::net::MAX_WIDTH;

use super::{
    inputs::Inputs,
    parameters::{Parameters, Parts},
};
use crate::{
    sample::Sample,
    target::{Targets, sigmoid},
};

/// The summed slopes and losses of some samples.
#[derive(Clone, Debug)]
pub(super) struct Gradient {
    width: usize,
    pub(super) values: Vec<f32>,
    pub(super) loss: f64,
    has_avx2: bool,
}

impl Gradient {
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            values: vec![0.0; Parameters::count(width)],
            loss: 0.0,
            has_avx2: has_avx2(),
        }
    }

    /// Adds `other` and clears it.
    pub(super) fn take(&mut self, other: &mut Self) {
        for (value, added) in self.values.iter_mut().zip(&mut other.values) {
            *value += std::mem::take(added);
        }
        self.loss += std::mem::take(&mut other.loss);
    }

    /// Adds the slope of one sample's loss.
    pub(super) fn add(&mut self, parameters: &Parameters, sample: &Sample, targets: Targets) {
        let inputs = Inputs::of(sample);
        let white = targets.of(sample);
        let target = if sample.turn == Color::White {
            white
        } else {
            1.0 - white
        };
        #[cfg(target_arch = "x86_64")]
        if self.has_avx2 {
            // SAFETY: the processor has AVX2.
            return unsafe { self.descend_with_avx2(parameters, &inputs, target) };
        }
        self.descend(parameters, &inputs, target);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn descend_with_avx2(&mut self, parameters: &Parameters, inputs: &Inputs, target: f32) {
        self.descend(parameters, inputs, target);
    }

    #[inline(always)]
    fn descend(&mut self, parameters: &Parameters, inputs: &Inputs, target: f32) {
        let weights = parameters.parts();
        let mut hidden = [[0.0_f32; MAX_WIDTH]; 2];
        let mut output = weights.output_bias[0];
        for (view, active) in inputs.views().into_iter().enumerate() {
            let values = &mut hidden[view][..self.width];
            values.copy_from_slice(weights.hidden_bias);
            for &input in active {
                add(values, row(weights.hidden, input, self.width));
            }
            output += activate(values, &weights.output[view * self.width..][..self.width]);
        }
        let expected = sigmoid(output);
        let error = expected - target;
        self.loss += f64::from(error * error);
        let slope = 2.0 * error * expected * (1.0 - expected);

        let slopes = Parts::of_mut(&mut self.values, self.width);
        slopes.output_bias[0] += slope;
        for (view, active) in inputs.views().into_iter().enumerate() {
            let values = &mut hidden[view][..self.width];
            let part = view * self.width;
            let weights = &weights.output[part..][..self.width];
            descend_activation(
                values,
                weights,
                &mut slopes.output[part..][..self.width],
                slope,
            );
            add(slopes.hidden_bias, values);
            for &input in active {
                add(
                    &mut slopes.hidden[usize::from(input) * self.width..][..self.width],
                    values,
                );
            }
        }
    }
}

#[inline(always)]
fn row(weights: &[f32], input: u16, width: usize) -> &[f32] {
    &weights[usize::from(input) * width..][..width]
}

#[inline(always)]
fn add(values: &mut [f32], others: &[f32]) {
    for (value, other) in values.iter_mut().zip(others) {
        *value += other;
    }
}

/// Returns the sum of the values. Repeatedly adds the second half to the first, a fixed order that
/// SIMD lanes can compute in parallel.
#[inline(always)]
fn sum(values: &mut [f32]) -> f32 {
    let mut rest = values;
    while rest.len() > 1 && rest.len().is_multiple_of(2) {
        let (first, second) = rest.split_at_mut(rest.len() / 2);
        add(first, second);
        rest = first;
    }
    rest.iter().sum()
}

/// Limits the values to the range 0 to 1 in place, and returns the weighted sum of their squares.
#[inline(always)]
fn activate(values: &mut [f32], weights: &[f32]) -> f32 {
    let mut products = [0.0; MAX_WIDTH];
    let products = &mut products[..values.len()];
    for ((product, value), weight) in products.iter_mut().zip(values).zip(weights) {
        *value = value.clamp(0.0, 1.0);
        *product = *value * *value * weight;
    }
    sum(products)
}

/// Adds the slopes of the output weights, and replaces the limited values of the hidden layer with
/// their slopes.
#[inline(always)]
fn descend_activation(values: &mut [f32], weights: &[f32], weight_slopes: &mut [f32], slope: f32) {
    for ((value, weight), weight_slope) in values.iter_mut().zip(weights).zip(weight_slopes) {
        *weight_slope += slope * *value * *value;
        // A limited value is constant, so its slope is 0.
        let is_inside = *value > 0.0 && *value < 1.0;
        *value = if is_inside {
            slope * weight * 2.0 * *value
        } else {
            0.0
        };
    }
}

fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        random::Random,
        sample::{GameResult, Origin},
    };

    const WIDTH: usize = 32;
    const TARGETS: Targets = Targets {
        result_part: 0.5,
        leaf_result_part: 0.0,
    };

    fn sample(result: GameResult) -> Sample {
        let position = rules::parse_fen(
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        )
        .unwrap();
        Sample::new(&position, Origin::Game, 40, result)
    }

    #[test]
    fn every_processor_computes_the_same_gradient() {
        let parameters = Parameters::random(WIDTH, &mut Random::new(1));
        let mut detected = Gradient::new(WIDTH);
        let mut portable = Gradient {
            has_avx2: false,
            ..detected.clone()
        };
        for result in [GameResult::WhiteWins, GameResult::BlackWins] {
            detected.add(&parameters, &sample(result), TARGETS);
            portable.add(&parameters, &sample(result), TARGETS);
        }
        assert_eq!(detected.values, portable.values);
        assert!(detected.values.iter().any(|&value| value != 0.0));
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let mut parameters = Parameters::random(WIDTH, &mut Random::new(2));
        let sample = sample(GameResult::WhiteWins);
        let loss = |parameters: &Parameters| {
            let mut gradient = Gradient::new(WIDTH);
            gradient.add(parameters, &sample, TARGETS);
            gradient.loss
        };
        let mut gradient = Gradient::new(WIDTH);
        gradient.add(&parameters, &sample, TARGETS);
        let mut steepest: Vec<usize> = (0..gradient.values.len()).collect();
        steepest.sort_by(|&a, &b| {
            gradient.values[b]
                .abs()
                .total_cmp(&gradient.values[a].abs())
        });
        let output = gradient.values.len() - 2;
        for index in steepest.into_iter().take(50).chain([output]) {
            const STEP: f32 = 1e-3;
            let before = parameters.values[index];
            parameters.values[index] = before + STEP;
            let above = loss(&parameters);
            parameters.values[index] = before - STEP;
            let below = loss(&parameters);
            parameters.values[index] = before;
            let slope = (above - below) / f64::from(2.0 * STEP);
            let found = f64::from(gradient.values[index]);
            assert!(
                (slope - found).abs() < 0.02 * slope.abs() + 1e-3,
                "{index}: {found}, expected {slope}"
            );
        }
    }
}
