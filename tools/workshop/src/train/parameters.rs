//! The weights of a network in training.

use ai_nnue1::net::{HIDDEN_UNITS, INPUTS, Net, OUTPUT_UNITS};

use crate::random::Random;

/// The greatest weight that keeps an output weight within 8 bits in the finished network.
pub(super) const MAX_WEIGHT: f32 = 1.98;

/// All weights in one list: hidden layer, its bias, output, output bias.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    pub(super) width: usize,
    pub(super) values: Vec<f32>,
}

/// The parts of a list of weights.
pub(super) struct Parts<T> {
    pub(super) hidden: T,
    pub(super) hidden_bias: T,
    pub(super) output: T,
    pub(super) output_bias: T,
}

impl<'a> Parts<&'a [f32]> {
    pub(super) fn of(values: &'a [f32], width: usize) -> Self {
        let (hidden, rest) = values.split_at(INPUTS * width);
        let (hidden_bias, rest) = rest.split_at(width);
        let (output, output_bias) = rest.split_at(2 * width);
        Self {
            hidden,
            hidden_bias,
            output,
            output_bias,
        }
    }
}

impl<'a> Parts<&'a mut [f32]> {
    pub(super) fn of_mut(values: &'a mut [f32], width: usize) -> Self {
        let (hidden, rest) = values.split_at_mut(INPUTS * width);
        let (hidden_bias, rest) = rest.split_at_mut(width);
        let (output, output_bias) = rest.split_at_mut(2 * width);
        Self {
            hidden,
            hidden_bias,
            output,
            output_bias,
        }
    }
}

impl Parameters {
    /// Returns the number of weights.
    pub(super) fn count(width: usize) -> usize {
        (INPUTS + 1 + 2) * width + 1
    }

    /// Creates random weights. Their limits keep the layers' values between 0 and 1.
    pub(super) fn random(width: usize, random: &mut Random) -> Self {
        let mut values = vec![0.0; Self::count(width)];
        let parts = Parts::of_mut(&mut values, width);
        for weight in parts.hidden {
            *weight = random.symmetric(0.1);
        }
        for weight in parts.hidden_bias {
            *weight = random.symmetric(0.1);
        }
        for weight in parts.output {
            *weight = random.symmetric(0.1);
        }
        Self { width, values }
    }

    pub(super) fn parts(&self) -> Parts<&[f32]> {
        Parts::of(&self.values, self.width)
    }

    /// Returns the network with integer weights.
    pub(super) fn quantised(&self) -> Net {
        let rounded = |weights: &[f32], units: i32| -> Vec<i16> {
            weights
                .iter()
                .map(|weight| (weight * units as f32).round() as i16)
                .collect()
        };
        let parts = self.parts();
        Net {
            width: self.width,
            hidden: rounded(parts.hidden, HIDDEN_UNITS),
            hidden_bias: rounded(parts.hidden_bias, HIDDEN_UNITS),
            output: rounded(parts.output, OUTPUT_UNITS),
            output_bias: (parts.output_bias[0] * (HIDDEN_UNITS * OUTPUT_UNITS) as f32).round()
                as i32,
        }
    }
}
