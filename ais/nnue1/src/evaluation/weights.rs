//! The weights of the features.

mod values;

use super::features::COUNT;

/// Each feature's weights for the middlegame and the endgame, in centipawns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights(pub [[i16; 2]; COUNT]);

impl Default for Weights {
    fn default() -> Self {
        Self(values::VALUES)
    }
}
