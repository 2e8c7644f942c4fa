//! The active inputs of a sample.

use ai_nnue1::net::View;

use crate::sample::Sample;

/// A position's inputs for both views: the side to move's, then the other side's.
#[derive(Clone, Debug)]
pub(super) struct Inputs {
    inputs: [[u16; 32]; 2],
    count: usize,
}

impl Inputs {
    pub(super) fn of(sample: &Sample) -> Self {
        let kings = sample.kings();
        let views = [sample.turn, !sample.turn].map(|side| View::new(side, kings[side.index()]));
        let mut inputs = [[0; 32]; 2];
        let mut count = 0;
        for (color, role, square) in sample.pieces() {
            for (of_view, view) in inputs.iter_mut().zip(views) {
                of_view[count] = view.input(color, role, square) as u16;
            }
            count += 1;
        }
        Self { inputs, count }
    }

    /// Returns the inputs of the side to move, then the other side's.
    pub(super) fn views(&self) -> [&[u16]; 2] {
        self.inputs.each_ref().map(|inputs| &inputs[..self.count])
    }
}
