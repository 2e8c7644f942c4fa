//! Pairs of games that an arena plays in its idle time and does not keep.

use std::sync::Arc;

use ai_api::Color;
use tokio::{runtime::Handle, time::sleep};
use tournament::{GameInProgress, GameOpening, GameResult, PlayError, Player, Venue, seed};

use crate::{arena::Arena, runner::Gate, shared::ArenaShared};

/// Plays pairs of games the way the arena does: with its clock, while no client is using an AI.
/// Meanwhile, the arena's own games wait. The guest's games are neither shown nor stored.
#[derive(Debug)]
pub struct Guest {
    table: Venue,
    shared: Arc<ArenaShared>,
}

/// Holds back the arena's own games until it is dropped.
struct Turn<'a>(&'a ArenaShared);

impl<'a> Turn<'a> {
    fn begin(shared: &'a ArenaShared) -> Self {
        shared.change(|control| control.guests += 1);
        Self(shared)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.change(|control| control.guests -= 1);
    }
}

impl Arena {
    /// Creates a guest that plays on a runtime with one thread.
    pub fn guest(&self, runtime: Handle) -> Guest {
        Guest {
            table: Venue::new(self.shared.program.clone(), runtime, None),
            shared: Arc::clone(&self.shared),
        }
    }
}

impl Guest {
    /// Plays two games from an opening with colours swapped. Waits until the arena's games may run.
    /// Returns the results of the first player. Dropping the future ends the pair.
    ///
    /// # Errors
    /// A player does not start or has changed.
    pub async fn play_pair(
        &mut self,
        players: [&Player; 2],
        opening: &GameOpening,
        number: u64,
    ) -> Result<[GameResult; 2], PlayError> {
        let shared = Arc::clone(&self.shared);
        let _turn = Turn::begin(&shared);
        let [one, other] = players;
        let first = self.play(&shared, [one, other], opening, number, 1).await?;
        let second = self.play(&shared, [other, one], opening, number, 2).await?;
        Ok([first, second.reversed()])
    }

    /// Returns White's result.
    async fn play(
        &mut self,
        shared: &ArenaShared,
        players: [&Player; 2],
        opening: &GameOpening,
        number: u64,
        game: u64,
    ) -> Result<GameResult, PlayError> {
        let settings = shared.settings;
        let seeds = [1, 2].map(|side| seed(number, game, side));
        let mut state = GameInProgress::new(opening, &settings);
        loop {
            let played = self
                .table
                .play_on(
                    players,
                    seeds,
                    &settings,
                    &Gate::of_guest(shared),
                    &mut state,
                )
                .await;
            match played {
                Ok(played) => return Ok(played.end.result_for(Color::White)),
                // The other work usually outlasts a search, so wait before the next attempt.
                Err(PlayError::Disturbed { .. }) => sleep(shared.idle).await,
                Err(error) => return Err(error),
            }
        }
    }

    /// Stops the workers of the players.
    pub fn rest(&mut self) {
        self.table.clear();
    }
}
