//! The network that evaluates positions: 768 inputs for each side's [`View`], one hidden layer for
//! both views, and one output.
//!
//! Weights are integers, so every processor computes the same value. The hidden layer uses
//! units of 1/255, and the output weights use units of 1/64. The activation clamps a value to
//! between 0 and 1 and squares it (`SCReLU`).

mod accumulator;
mod evaluation;
mod file;
mod output;
mod view;

use std::sync::{Arc, LazyLock};

pub use evaluation::NetEvaluation;
pub use file::NetError;
pub use view::{INPUTS, View};

/// The hidden-layer value that represents 1.
pub const HIDDEN_UNITS: i32 = 255;

/// The output weight that represents 1.
pub const OUTPUT_UNITS: i32 = 64;

/// The centipawns that an output of 1 represents.
pub const SCALE: i32 = 400;

/// The widest hidden layer.
pub const MAX_WIDTH: usize = 256;

/// Hidden layers are computed in groups of this many values, so each width is a multiple of it.
pub const LANES: usize = 16;

/// The greatest hidden-layer weight: the sum of 32 pieces' weights and a bias fits in 16 bits.
pub const MAX_HIDDEN_WEIGHT: i16 = i16::MAX / 33;

/// The greatest output weight: its product with 255 fits in 16 bits.
pub const MAX_OUTPUT_WEIGHT: i16 = 127;

/// The weights of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net {
    /// The size of the hidden layer for one view.
    pub width: usize,
    /// The `width` weights of each of the [`INPUTS`].
    pub hidden: Vec<i16>,
    /// The hidden layer for an empty board.
    pub hidden_bias: Vec<i16>,
    /// The weights for the view of the side to move, then for the other view.
    pub output: Vec<i16>,
    /// In units of 1/(255 × 64).
    pub output_bias: i32,
}

impl Net {
    /// Returns the network built into the library.
    ///
    /// # Panics
    /// Never: a test reads the embedded file.
    pub fn embedded() -> Arc<Self> {
        static NET: LazyLock<Arc<Net>> = LazyLock::new(|| {
            Arc::new(
                Net::from_bytes(include_bytes!("../net/nnue1.net"))
                    .expect("the embedded network is valid"),
            )
        });
        Arc::clone(&NET)
    }

    /// Returns whether a hidden layer may have this width.
    pub fn is_width(width: usize) -> bool {
        width > 0 && width <= MAX_WIDTH && width.is_multiple_of(LANES)
    }

    /// Returns the weights of one input.
    #[inline]
    fn weights(&self, input: usize) -> &[i16] {
        &self.hidden[input * self.width..][..self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a network with arbitrary weights, small enough not to saturate every value.
    pub(super) fn random_net(width: usize, seed: u64) -> Net {
        let mut state = seed;
        let mut weight = |limit: i16| {
            state = state
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) as i16 % (limit + 1)
        };
        Net {
            width,
            hidden: (0..INPUTS * width).map(|_| weight(60)).collect(),
            hidden_bias: (0..width).map(|_| weight(60)).collect(),
            output: (0..2 * width).map(|_| weight(MAX_OUTPUT_WEIGHT)).collect(),
            output_bias: i32::from(weight(1000)),
        }
    }
}
