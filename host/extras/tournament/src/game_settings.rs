//! How the games of a match are played.

use ai_api::Limits;
use serde::{Deserialize, Serialize};

use crate::{
    adjudication::Adjudication,
    player::Player,
    time_control::{TimeControl, scaled_ms},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameSettings {
    pub time_control: TimeControl,
    /// How late a move may come after the flag falls, in milliseconds.
    pub margin_ms: u64,
    pub adjudication: Adjudication,
    pub disturbances: Disturbances,
}

/// What happens to a game after a search had to wait for a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disturbances {
    /// Nothing.
    Ignored,
    /// The game has no result.
    Void,
}

impl GameSettings {
    /// Returns whether the moves of these players depend on time, and therefore on the machine.
    pub fn limits_time(&self, players: &[Player]) -> bool {
        let has_time = |limits: &Limits| limits.hard_ms.or(limits.soft_ms).is_some();
        let is_timed = match &self.time_control {
            TimeControl::Clock(_) => true,
            TimeControl::Fixed(limits) => has_time(limits),
        };
        is_timed || players.iter().any(|player| has_time(player.limits()))
    }

    /// Multiplies the clocks, the times per move and the margin by `factor`, for a machine with a
    /// different speed. Every time stays at least 1 ms.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self {
            time_control: self.time_control.scaled(factor),
            margin_ms: scaled_ms(self.margin_ms, factor),
            ..self
        }
    }
}
