//! A match whose players have started.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use config::Config;
use tournament::{Disturbances, GameSettings, Openings, PlayError, Player};

use super::{
    record::{Match, MatchGame},
    request::MatchRequest,
    shared::MatchRunnerState,
};
use crate::{
    contestant::ArenaPlayer,
    finished::{FinishedGame, FinishedPair, GameSummary},
    play::{NewPair, game_settings},
    player::{NewPlayer, PlayerId},
    store::{StoreError, StoreFault},
};

/// The maximum playing time of a match, not counting the time that it spends waiting.
const MAX_TIME: Duration = Duration::from_hours(24);

/// Why a match failed, in words that its client may see.
#[derive(Debug, thiserror::Error)]
pub(super) enum MatchError {
    /// Only the log contains the reason, which may include paths.
    #[error("the player '{0}' does not start; the server's log says why")]
    Player(String),
    #[error("the files of '{0}' have changed; start another match to play with the new ones")]
    Changed(String),
    #[error("the arena's file cannot be written; the server's log says why")]
    Store(#[source] StoreError),
    #[error("there is no room for more games in this match; ask for fewer games")]
    NoRoom,
    #[error("it has been played for {} hours, the maximum for a match; ask for fewer or \
        shorter games", MAX_TIME.as_secs() / 3600)]
    TooLong,
    #[error(
        "this version of the server does not know the openings of the match; start another match"
    )]
    Openings,
    #[error("a game has no result; the server's log says why")]
    Game,
}

/// A match with its players and openings.
pub(super) struct MatchSetup {
    pub(super) found: Arc<Match>,
    pub(super) contestants: [ArenaPlayer; 2],
    pub(super) openings: Openings,
    event: String,
}

/// Measures how long a match is played, until this value is dropped.
pub(super) struct PlayTime {
    found: Arc<Match>,
    began: Instant,
}

impl MatchSetup {
    /// Starts each player once to check it. Blocks.
    pub(super) fn start(
        shared: &MatchRunnerState,
        found: &Arc<Match>,
        config: &Config,
    ) -> Result<Self, MatchError> {
        let request = &found.request;
        let openings = request.openings().ok_or(MatchError::Openings)?;
        let players = {
            let [first, second] = [0, 1].map(|index| load(shared, request, index, config));
            [first?, second?]
        };
        let new = players.each_ref().map(NewPlayer::of);
        let stored = if let Some(store) = shared.store() {
            store.begin_match(&found.id, &new)?
        } else {
            let [first, second] = new;
            [first.unstored(PlayerId(0)), second.unstored(PlayerId(1))]
        };
        let ids = stored.each_ref().map(|stored| stored.id);
        let known = found.watch().borrow().players.unwrap_or(ids);
        if let Some(index) = (0..2).find(|&index| known[index] != ids[index]) {
            return Err(MatchError::Changed(request.players[index].clone()));
        }
        found.update(|status| status.players = Some(ids));
        shared.save(found)?;
        let [first, second] = players;
        let [one, other] = stored;
        let contestants = [
            ArenaPlayer {
                player: first,
                stored: one,
            },
            ArenaPlayer {
                player: second,
                stored: other,
            },
        ];
        Ok(Self {
            found: Arc::clone(found),
            contestants,
            openings,
            event: format!("rookery match {}", found.id),
        })
    }

    /// Returns the remaining playing time.
    ///
    /// # Errors
    /// No time is left.
    pub(super) fn rest(&self) -> Result<Duration, MatchError> {
        let played = Duration::from_millis(self.found.watch().borrow().played_ms);
        let rest = MAX_TIME.saturating_sub(played);
        if rest.is_zero() {
            Err(MatchError::TooLong)
        } else {
            Ok(rest)
        }
    }

    pub(super) fn settings(&self) -> GameSettings {
        game_settings(self.found.request.time_control(), Disturbances::Ignored)
    }

    /// Returns both games of an opening, or only the first. Clients choose when a match begins and
    /// ends, so its games are never rated.
    pub(super) fn pair(&self, round: usize) -> NewPair<'_> {
        NewPair {
            event: &self.event,
            number: round as u64 + 1,
            contestants: &self.contestants,
            opening: self.openings.for_round(round),
            opening_number: None,
            settings: self.settings(),
            is_rated: false,
            is_single: self.found.request.games as usize - 2 * round == 1,
        }
    }

    /// Writes a pair to the file, and then shows it.
    pub(super) fn record(
        &self,
        shared: &MatchRunnerState,
        mut pair: FinishedPair,
    ) -> Result<(), MatchError> {
        pair.match_progress = Some(self.found.progress());
        if let Some(store) = shared.store() {
            store.add_pair(&pair)?;
        }
        let games = std::iter::once(pair.first).chain(pair.second);
        self.found.add_games(games.map(
            |FinishedGame {
                 record:
                     GameSummary {
                         result,
                         termination,
                         ..
                     },
                 pgn,
                 ..
             }| MatchGame {
                result,
                termination,
                pgn: if shared.arena.is_none() {
                    pgn
                } else {
                    String::new()
                },
            },
        ));
        if shared.queue().forget(&self.found.client) {
            Ok(())
        } else {
            Err(MatchError::NoRoom)
        }
    }

    pub(super) fn error(&self, error: PlayError) -> MatchError {
        tracing::warn!(id = self.found.id, %error, "a match failed");
        match error {
            PlayError::Start { side, .. } => {
                MatchError::Player(self.found.request.players[side.index()].clone())
            }
            PlayError::Changed(name) => MatchError::Changed(name),
            PlayError::Tablebase(_) | PlayError::Disturbed { .. } => MatchError::Game,
        }
    }
}

impl PlayTime {
    pub(super) fn begin(found: &Arc<Match>) -> Self {
        Self {
            found: Arc::clone(found),
            began: Instant::now(),
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }
}

impl Drop for PlayTime {
    fn drop(&mut self) {
        let elapsed = self.elapsed().as_millis() as u64;
        self.found.update(|status| status.played_ms += elapsed);
    }
}

impl From<StoreError> for MatchError {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "cannot write a match to the arena's file");
        match error.fault {
            StoreFault::NoRoomForMatch(_) | StoreFault::MaxSize(_) => Self::NoRoom,
            _ => Self::Store(error),
        }
    }
}

fn load(
    shared: &MatchRunnerState,
    request: &MatchRequest,
    index: usize,
    config: &Config,
) -> Result<Player, MatchError> {
    let entry = &request.players[index];
    let mut player = Player::load(config, entry, &shared.program).map_err(|error| {
        tracing::warn!(player = entry, %error, "a match player failed to start");
        MatchError::Player(entry.clone())
    })?;
    if index == 1 && request.players[0] == request.players[1] {
        player.name.push_str(" (2)");
    }
    Ok(player.limited_by(&request.maxima.limits()))
}
