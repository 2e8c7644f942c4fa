//! Plays matches in turns.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use config::Config;
use tokio::{runtime::Handle, time::sleep};
use tournament::{Disturbances, NoReferee, Openings, PlayError, Player, Venue};

use super::{
    queue::QueuedMatch,
    record::{Match, MatchGame, MatchState},
    request::MatchRequest,
    shared::MatchRunnerState,
};
use crate::{
    contestant::ArenaPlayer,
    finished::{FinishedGame, FinishedPair, GameSummary},
    play::{NewPair, PairInProgress, game_settings},
    player::{NewPlayer, PlayerId},
    store::{StoreError, StoreFault},
};

/// A match is played for no longer than this, waiting not counted.
const MAX_TIME: Duration = Duration::from_hours(24);
/// While others wait, a turn is a pair of games or this time.
const TURN: Duration = Duration::from_secs(5);
/// A turn without a move doubles the next one up to this.
const LONGEST_TURN: Duration = Duration::from_mins(1);

/// Why a match does not go on, for its client.
#[derive(Debug, thiserror::Error)]
enum MatchError {
    /// The log has the reason, which may have paths of the server.
    #[error("the player '{0}' does not start; the log of the server says why")]
    Player(String),
    #[error("the files of '{0}' have changed; start another match to play with the new ones")]
    Changed(String),
    #[error("the file of the arena cannot be written; the log of the server says why")]
    Store(#[source] StoreError),
    #[error("there is no room for more of its games beside other matches; ask for fewer games")]
    NoRoom,
    #[error("it has been played for {} hours, as long as a match may take; ask for fewer or \
        shorter games", MAX_TIME.as_secs() / 3600)]
    TooLong,
    #[error(
        "this version of the server does not know the openings of the match; start another match"
    )]
    Openings,
    #[error("a game has no result; the log of the server says why")]
    Game,
}

/// How a turn ends without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TurnEnd {
    /// All games are played, or the match has ended for another reason.
    Finished,
    /// Another match waits.
    Over,
}

/// A match that has begun.
struct RunningMatch {
    found: Arc<Match>,
    contestants: [ArenaPlayer; 2],
    openings: Openings,
    pair: PairInProgress,
    turn: Duration,
}

/// Plays until the future is dropped.
pub(super) async fn play_matches(shared: &MatchRunnerState, runtime: Handle) {
    let mut table = Venue::new(shared.program.clone(), runtime, None);
    let mut begun: BTreeMap<String, RunningMatch> = BTreeMap::new();
    let mut last = String::new();
    loop {
        begun.retain(|_, running| !running.found.is_ended());
        let Some(next) = shared.next() else {
            table.clear();
            shared.added.notified().await;
            continue;
        };
        if next.found.id != last {
            table.clear();
            last.clone_from(&next.found.id);
        }
        take_turn(shared, &next, &mut begun, &mut table).await;
    }
}

/// Plays a match until it ends or another one has its turn.
async fn take_turn(
    shared: &MatchRunnerState,
    QueuedMatch { found, config, .. }: &QueuedMatch,
    begun: &mut BTreeMap<String, RunningMatch>,
    table: &mut Venue,
) {
    let _running = shared.activity.begin();
    if !shared.end_if_not_allowed(found) {
        found.set_state(MatchState::Running);
        let started = Instant::now();
        let mut statuses = found.watch();
        let playing = async {
            let running = match begun.remove(&found.id) {
                Some(running) => running,
                None => RunningMatch::start(shared, found, config)?,
            };
            begun
                .entry(found.id.clone())
                .or_insert(running)
                .play(shared, table)
                .await
        };
        let played = tokio::select! {
            biased;
            _ = statuses.wait_for(|status| status.state.is_ended()) => Ok(TurnEnd::Finished),
            played = playing => played,
        };
        found.update(|status| status.played_ms += started.elapsed().as_millis() as u64);
        match played {
            Ok(TurnEnd::Finished) => found.set_state(MatchState::Finished),
            Ok(TurnEnd::Over) => found.set_state(MatchState::Paused),
            Err(error) => found.fail(error.to_string()),
        }
    }
    // Also after a stop: a pair that was just written may have written an earlier state after it.
    if let Err(error) = shared.save(found) {
        tracing::error!(id = found.id, %error, "the state of a match cannot be written");
    }
}

impl RunningMatch {
    /// Starts the players once. Blocks.
    fn start(
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
        let pair = PairInProgress::default();
        Ok(Self {
            found: Arc::clone(found),
            contestants,
            openings,
            pair,
            turn: TURN,
        })
    }

    async fn play(
        &mut self,
        shared: &MatchRunnerState,
        table: &mut Venue,
    ) -> Result<TurnEnd, MatchError> {
        let found = Arc::clone(&self.found);
        let played = Duration::from_millis(found.watch().borrow().played_ms);
        let rest = MAX_TIME.saturating_sub(played);
        if rest.is_zero() {
            return Err(MatchError::TooLong);
        }
        let (moves, turn) = (self.pair.moves(), self.turn);
        let end = tokio::select! {
            biased;
            () = sleep(rest) => return Err(MatchError::TooLong),
            turn_end = self.play_pairs(shared, table) => turn_end,
            () = until_others_wait(shared, &found, turn) => Ok(TurnEnd::Over),
        };
        self.turn = if self.pair.moves() == moves {
            (2 * turn).min(LONGEST_TURN)
        } else {
            TURN
        };
        end
    }

    /// Plays pairs until another match waits at the end of one.
    async fn play_pairs(
        &mut self,
        shared: &MatchRunnerState,
        table: &mut Venue,
    ) -> Result<TurnEnd, MatchError> {
        let games = self.found.request.games as usize;
        loop {
            let played = self.found.watch().borrow().games.len();
            if played >= games {
                return Ok(TurnEnd::Finished);
            }
            let pair = self.play_pair(table, played, games - played == 1).await;
            self.record(shared, pair.map_err(|error| self.error(error))?)?;
            if shared.end_if_not_allowed(&self.found) {
                return Ok(TurnEnd::Finished);
            }
            if self.found.watch().borrow().games.len() < games && shared.has_waiting(&self.found) {
                return Ok(TurnEnd::Over);
            }
        }
    }

    /// Plays both games of an opening after those that are played, or only the first. Clients
    /// choose when a match begins and ends, so that its games are never rated.
    async fn play_pair(
        &mut self,
        table: &mut Venue,
        played: usize,
        is_single: bool,
    ) -> Result<FinishedPair, PlayError> {
        let Self {
            found,
            contestants,
            openings,
            pair,
            ..
        } = self;
        let round = played / 2;
        let new = NewPair {
            event: &format!("rookery match {}", found.id),
            number: round as u64 + 1,
            contestants,
            opening: openings.for_round(round),
            opening_number: None,
            settings: game_settings(found.request.time_control(), Disturbances::Ignored),
            is_rated: false,
            is_single,
        };
        found
            .live
            .count_from((played + usize::from(pair.first.is_some())) as u64);
        new.play(table, &found.live, &NoReferee, pair).await
    }

    /// Writes a pair to the file, and then shows it.
    fn record(&self, shared: &MatchRunnerState, mut pair: FinishedPair) -> Result<(), MatchError> {
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

    fn error(&self, error: PlayError) -> MatchError {
        tracing::warn!(id = self.found.id, %error, "a match has failed");
        match error {
            PlayError::Start { side, .. } => {
                MatchError::Player(self.found.request.players[side.index()].clone())
            }
            PlayError::Changed(name) => MatchError::Changed(name),
            PlayError::Tablebase(_) | PlayError::Disturbed { .. } => MatchError::Game,
        }
    }
}

impl From<StoreError> for MatchError {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "a match cannot be written to the file of the arena");
        match error.fault {
            StoreFault::NoRoomForMatch(_) | StoreFault::MaxSize(_) => Self::NoRoom,
            _ => Self::Store(error),
        }
    }
}

/// Resolves when another match waits and the turn of the running one has taken this time.
async fn until_others_wait(shared: &MatchRunnerState, running: &Match, turn: Duration) {
    sleep(turn).await;
    while !shared.has_waiting(running) {
        shared.added.notified().await;
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
        tracing::warn!(player = entry, %error, "a player of a match does not start");
        MatchError::Player(entry.clone())
    })?;
    if index == 1 && request.players[0] == request.players[1] {
        player.name.push_str(" (2)");
    }
    Ok(player.limited_by(&request.maxima.limits()))
}
