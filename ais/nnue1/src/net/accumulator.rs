//! The hidden layer of one view, updated from one position to the next.

#![expect(
    clippy::inline_always,
    reason = "each processor's variant must inline the complete evaluation"
)]

use ai_api::{Bitboard, Color, Position, Role};

use super::{MAX_WIDTH, Net, view::View};

/// The values of the hidden layer for one view of a position, before the activation.
///
/// An accumulator can be computed from any other with the same view: comparing bitboards finds the
/// pieces that differ, however many moves are in between.
#[repr(align(64))]
#[derive(Clone, Debug)]
pub(super) struct Accumulator {
    values: [i16; MAX_WIDTH],
    view: View,
    pieces: [[Bitboard; 6]; 2],
}

impl Accumulator {
    /// Returns the accumulator of an empty board.
    pub(super) fn empty(net: &Net, view: View) -> Self {
        let mut values = [0; MAX_WIDTH];
        values[..net.width].copy_from_slice(&net.hidden_bias);
        Self {
            values,
            view,
            pieces: [[Bitboard::EMPTY; 6]; 2],
        }
    }

    /// Returns the values, as many as the network is wide.
    #[inline(always)]
    pub(super) fn values(&self, net: &Net) -> &[i16] {
        &self.values[..net.width]
    }

    /// Returns the number of inputs that change on the way to a position, or `None` if its view
    /// differs.
    #[inline(always)]
    pub(super) fn distance(&self, position: &Position, view: View) -> Option<u32> {
        let mut changes = 0;
        for color in Color::ALL {
            for role in Role::ALL {
                changes += (self.piece(color, role) ^ position.pieces(color, role)).count();
            }
        }
        (self.view == view).then_some(changes)
    }

    #[inline(always)]
    fn piece(&self, color: Color, role: Role) -> Bitboard {
        self.pieces[color.index()][role.index()]
    }

    /// Turns this accumulator into the accumulator of a position with the same view.
    #[inline(always)]
    pub(super) fn move_to(&mut self, net: &Net, position: &Position) {
        for color in Color::ALL {
            for role in Role::ALL {
                let (before, after) = (self.piece(color, role), position.pieces(color, role));
                for square in after & !before {
                    let weights = net.weights(self.view.input(color, role, square));
                    change(&mut self.values[..net.width], weights, i16::wrapping_add);
                }
                for square in before & !after {
                    let weights = net.weights(self.view.input(color, role, square));
                    change(&mut self.values[..net.width], weights, i16::wrapping_sub);
                }
                self.pieces[color.index()][role.index()] = after;
            }
        }
    }
}

/// Adds or subtracts weights with a wrapping operation, which needs no check. A network's weights
/// are limited, so the values never overflow.
#[inline(always)]
fn change(values: &mut [i16], weights: &[i16], operation: impl Fn(i16, i16) -> i16) {
    for (value, &weight) in values.iter_mut().zip(weights) {
        *value = operation(*value, weight);
    }
}
