//! Computes the output of a network from both views.

#![expect(
    clippy::inline_always,
    reason = "each processor's variant must inline the complete evaluation"
)]

use super::{HIDDEN_UNITS, Net, OUTPUT_UNITS, SCALE};

/// The largest absolute evaluation in centipawns, far below a mate.
const MAX_CENTIPAWNS: i64 = 20_000;

/// Returns the value in centipawns for the side to move, from the hidden layers of its view and the
/// other one.
#[inline(always)]
pub(super) fn centipawns(net: &Net, own: &[i16], other: &[i16]) -> i32 {
    let (own_weights, other_weights) = net.output.split_at(net.width);
    let sum = i64::from(activate(own, own_weights)) + i64::from(activate(other, other_weights));
    let output = sum / i64::from(HIDDEN_UNITS) + i64::from(net.output_bias);
    let value = output * i64::from(SCALE) / i64::from(HIDDEN_UNITS * OUTPUT_UNITS);
    value.clamp(-MAX_CENTIPAWNS, MAX_CENTIPAWNS) as i32
}

/// Limits each value to between 0 and 1, squares it and multiplies it by its weight. Returns the
/// sum.
///
/// The product of a value and a weight fits in 16 bits, so one instruction multiplies it by the
/// value again and adds neighbours. The sum of the widest network fits in 32 bits.
#[inline(always)]
fn activate(values: &[i16], weights: &[i16]) -> i32 {
    let product = |(&value, &weight): (&i16, &i16)| {
        let value = value.clamp(0, HIDDEN_UNITS as i16);
        i32::from(value.wrapping_mul(weight)) * i32::from(value)
    };
    values.iter().zip(weights).map(product).sum()
}
