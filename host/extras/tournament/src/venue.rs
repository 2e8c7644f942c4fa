//! Where games are played: the workers of the players.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use tokio::{runtime::Handle, task::spawn_blocking};

use crate::{
    game_settings::GameSettings,
    openings::GameOpening,
    play::{GameInProgress, PlayedGame, play},
    player::Player,
    searches::{PlayError, Referee, Searches, StartedPlayer},
};
use ai_api::Color;
use game::with_seeds;
use pool::{Ais, WorkerProgram};

/// Plays one game after another on its own thread, each player in its own worker, so that parallel
/// games do not share an AI's memory. The workers' supervisors are tasks of the thread, so that a
/// move wakes no other thread of the host.
#[derive(Debug)]
pub struct Venue {
    /// Keyed by name.
    players: BTreeMap<String, Ais>,
    program: WorkerProgram,
    /// The runtime of the venue's thread.
    runtime: Handle,
    /// Contains no AIs.
    tablebases: Option<Arc<Ais>>,
}

impl Venue {
    /// Creates a venue for a single-threaded runtime. Games end at tablebase positions.
    pub const fn new(
        program: WorkerProgram,
        runtime: Handle,
        tablebases: Option<Arc<Ais>>,
    ) -> Self {
        Self {
            players: BTreeMap::new(),
            program,
            runtime,
            tablebases,
        }
    }

    /// Plays a game between White and Black, whose names differ. Their seeds are derived from
    /// `seeds`. Stops the workers of other players. Dropping the future cancels the running search.
    ///
    /// # Errors
    /// A player does not start or has changed, or the game has no result.
    ///
    /// # Panics
    /// Never: starting an AI does not panic.
    pub async fn play(
        &mut self,
        players: [&Player; 2],
        seeds: [u64; 2],
        opening: &GameOpening,
        settings: &GameSettings,
        referee: &impl Referee,
    ) -> Result<PlayedGame, PlayError> {
        let mut game = GameInProgress::new(opening, settings);
        self.play_on(players, seeds, settings, referee, &mut game)
            .await
    }

    /// Like [`play`](Self::play), but continues a game in progress. If the future is dropped, the
    /// game keeps the moves before the running search and can be continued.
    ///
    /// # Errors
    /// The same as for [`play`](Self::play).
    ///
    /// # Panics
    /// Never: starting an AI does not panic.
    pub async fn play_on(
        &mut self,
        players: [&Player; 2],
        seeds: [u64; 2],
        settings: &GameSettings,
        referee: &impl Referee,
        game: &mut GameInProgress,
    ) -> Result<PlayedGame, PlayError> {
        self.players
            .retain(|name, _| players.iter().any(|player| player.name == *name));
        let mut seats = Vec::new();
        for (side, (player, seed)) in Color::ALL.into_iter().zip(players.into_iter().zip(seeds)) {
            let started = match self.players.entry(player.name.clone()) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let (starting, program) = (player.clone(), self.program.clone());
                    let runtime = self.runtime.clone();
                    let start = move || {
                        let started = starting.start_in(&program, &runtime)?;
                        // This also reads files, which may block.
                        Ok((starting.is(&started), started))
                    };
                    let started = spawn_blocking(start)
                        .await
                        .expect("starting an AI does not panic");
                    match started.map_err(|errors| PlayError::Start { side, errors })? {
                        (true, started) => entry.insert(started),
                        (false, _) => return Err(PlayError::Changed(player.name.clone())),
                    }
                }
            };
            let ai = Arc::clone(player.ai(started));
            let options = with_seeds(&ai, seed);
            seats.push(StartedPlayer {
                ai,
                options,
                limits: *player.limits(),
            });
        }
        let seats: &[StartedPlayer; 2] = seats.as_array().expect("two players");
        let tables = self.tablebases.as_ref().map(|ais| &**ais.tablebases());
        play(&mut Searches::new(seats, referee), settings, tables, game).await
    }

    /// Stops the workers of all players.
    pub fn clear(&mut self) {
        self.players.clear();
    }
}
