//! The names of states in replies.

use strum::VariantNames as _;

use crate::{ArenaState, MatchState};

api::words! {
    /// The state of the arena.
    ArenaStateWord as "ArenaState": ArenaState::VARIANTS;
    /// The state of a match.
    MatchStateWord as "MatchState": MatchState::VARIANTS;
}
