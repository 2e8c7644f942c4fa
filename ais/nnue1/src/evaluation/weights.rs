//! The weights of the features.

mod values;

use super::features::COUNT;

/// The weights for the middlegame and the endgame of each feature, in centipawns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights(pub [[i16; 2]; COUNT]);

impl Default for Weights {
    fn default() -> Self {
        Self(values::VALUES)
    }
}
