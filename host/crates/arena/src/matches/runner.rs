//! Plays matches, one after the other.

use config::{ClockControl, Config};
use game::Limit;
use tokio::runtime::Handle;
use tournament::{Disturbances, GameError, NoReferee, Openings, Player, Table, TimeControl};

use super::{
    record::{Match, MatchGame, MatchState},
    request::MatchRequest,
    shared::Shared,
};
use crate::{
    contestant::{self, Contestant},
    finished::{FinishedGame, FinishedPair, GameRecord},
    play::{NewPair, game_settings},
    store::StoreError,
};

/// Why a match does not go on, for its client.
#[derive(Debug, thiserror::Error)]
enum MatchError {
    /// The log has the reason, which may have paths of the server.
    #[error("the player '{0}' does not start; the log of the server says why")]
    Player(String),
    #[error("the files of '{0}' have changed; start another match to play with the new ones")]
    Changed(String),
    #[error("the file of the arena cannot be written; the log of the server says why")]
    Store(#[from] StoreError),
    #[error("this version of the server does not know the openings of the match; start another match")]
    Openings,
    #[error("a game has no result; the log of the server says why")]
    Game,
}

/// A match that is being played.
struct RunningMatch<'a> {
    shared: &'a Shared,
    found: &'a Match,
    contestants: [Contestant; 2],
    openings: Openings,
    is_rated: bool,
}

/// Plays until the future is dropped.
pub(super) async fn play_matches(shared: &Shared, runtime: Handle) {
    let mut table = Table::new(shared.program.clone(), runtime, None);
    loop {
        let next = shared.kept().iter().find(|(one, _)| !one.is_ended()).cloned();
        match next {
            Some((found, config)) => play_match(shared, &found, &config, &mut table).await,
            None => shared.added.notified().await,
        }
        table.clear();
    }
}

/// Plays a match until it ends.
async fn play_match(shared: &Shared, found: &Match, config: &Config, table: &mut Table) {
    let _running = shared.activity.begin();
    found.set_state(MatchState::Running);
    let mut status = found.watch();
    let playing = async { RunningMatch::start(shared, found, config)?.play(table).await };
    tokio::select! {
        biased;
        _ = status.wait_for(|status| status.state.is_ended()) => {}
        played = playing => match played {
            Ok(()) => found.set_state(MatchState::Finished),
            Err(error) => found.update(|status| {
                status.state = MatchState::Failed;
                status.reason = Some(error.to_string());
            }),
        }
    }
    // Also after a stop: a pair that was just written may have written an earlier state after it.
    if let Err(error) = shared.save(found) {
        tracing::error!(id = found.id, %error, "the end of a match cannot be written");
    }
}

impl<'a> RunningMatch<'a> {
    /// Starts the players once. Blocks.
    fn start(shared: &'a Shared, found: &'a Match, config: &Config) -> Result<Self, MatchError> {
        let request = &found.request;
        let openings = request.openings().ok_or(MatchError::Openings)?;
        let clock = shared.arena.as_ref().map(|arena| arena.time_control());
        let is_rated = is_rated(request, clock, &contestant::entries(config));
        let [first, second] = [0, 1].map(|index| load(shared, request, index, config, is_rated));
        let contestants = [first?, second?];
        let ids = contestants.each_ref().map(|contestant| contestant.stored.id);
        let known = found.watch().borrow().players.unwrap_or(ids);
        if let Some(index) = (0..2).find(|&index| known[index] != ids[index]) {
            return Err(MatchError::Changed(request.players[index].clone()));
        }
        found.update(|status| status.players = Some(ids));
        shared.save(found).map_err(logged)?;
        Ok(Self { shared, found, contestants, openings, is_rated })
    }

    async fn play(&self, table: &mut Table) -> Result<(), MatchError> {
        let games = self.found.request.games as usize;
        loop {
            let played = self.found.watch().borrow().games.len();
            if played >= games {
                return Ok(());
            }
            let pair = self.play_pair(table, played, games - played == 1).await;
            self.record(pair.map_err(|error| self.error(error))?)?;
        }
    }

    /// Plays both games of an opening after those that are played, or only the first.
    async fn play_pair(
        &self,
        table: &mut Table,
        played: usize,
        is_single: bool,
    ) -> Result<FinishedPair, GameError> {
        let Self { shared, found, contestants, .. } = self;
        let event = format!("rookery match {}", found.id);
        let (time_control, round) = (found.request.time_control(), played / 2);
        let mut pair = match shared.arena.as_ref().filter(|_| self.is_rated) {
            // All clients see rated games, but not the match.
            Some(arena) => NewPair {
                settings: game_settings(time_control, Disturbances::Void),
                is_single,
                ..arena.shared.new_pair(contestants)
            },
            None => NewPair {
                event: &event,
                number: round as u64 + 1,
                contestants,
                opening: self.openings.for_round(round),
                opening_number: None,
                settings: game_settings(time_control, Disturbances::Ignored),
                is_rated: false,
                is_single,
            },
        };
        loop {
            found.live.count_from(played as u64);
            match pair.play(table, &found.live, &NoReferee).await {
                // Waiting for an idle machine would delay the match.
                Err(GameError::Disturbed { .. }) if pair.is_rated => {
                    pair.settings.disturbances = Disturbances::Ignored;
                    pair.is_rated = false;
                }
                finished => return finished,
            }
        }
    }

    /// Writes a pair to the file, and then shows it.
    fn record(&self, mut pair: FinishedPair) -> Result<(), MatchError> {
        pair.match_progress = Some(self.found.progress());
        match &self.shared.arena {
            None => {}
            Some(arena) if pair.is_rated => arena.shared.record(&pair, &self.contestants).map_err(logged)?,
            Some(arena) => arena.shared.store.add_pair(&pair).map(drop).map_err(logged)?,
        }
        let games = std::iter::once(pair.first).chain(pair.second);
        self.found.add_games(games.map(
            |FinishedGame { record: GameRecord { result, termination, .. }, pgn, .. }| MatchGame {
                result,
                termination,
                pgn: if self.shared.arena.is_none() { pgn } else { String::new() },
            },
        ));
        Ok(())
    }

    fn error(&self, error: GameError) -> MatchError {
        tracing::warn!(id = self.found.id, %error, "a match has failed");
        match error {
            GameError::Start { side, .. } => {
                MatchError::Player(self.found.request.players[side.index()].clone())
            }
            GameError::Changed(name) => MatchError::Changed(name),
            GameError::Tablebase(_) | GameError::Disturbed { .. } => MatchError::Game,
        }
    }
}

/// Returns whether the games count for the ratings of an arena with this clock and these entries: they are as its own, without
/// other limits and openings.
fn is_rated(request: &MatchRequest, clock: Option<ClockControl>, entries: &[String]) -> bool {
    clock.is_some_and(|clock| request.time_control() == TimeControl::Clock(clock))
        && request.openings.is_empty()
        && request.maxima == Limit::default()
        && !is_of_one(request)
        && request.players.iter().all(|player| entries.contains(player))
}

/// Returns whether a player plays against itself.
fn is_of_one(request: &MatchRequest) -> bool {
    request.players[0] == request.players[1]
}

fn load(
    shared: &Shared,
    request: &MatchRequest,
    index: usize,
    config: &Config,
    is_rated: bool,
) -> Result<Contestant, MatchError> {
    let entry = &request.players[index];
    let mut player = Player::load(config, entry, &shared.program).map_err(|error| {
        tracing::warn!(player = entry, %error, "a player of a match does not start");
        MatchError::Player(entry.clone())
    })?;
    let contestant = match shared.store() {
        Some(store) if is_rated => Contestant::rated(player, config, store),
        store => {
            if index == 1 && is_of_one(request) {
                player.name.push_str(" (2)");
            }
            Contestant::unrated(player.limited_by(&request.maxima.limits()), index as i64, store)
        }
    };
    contestant.map_err(logged)
}

fn logged(error: StoreError) -> MatchError {
    tracing::error!(%error, "a match cannot be written to the file of the arena");
    error.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::request::{MatchOpening, Pace};

    #[test]
    fn rates_games_that_are_as_the_arenas() {
        let [clock, other] = ["10+0.1", "10+0.2"].map(|text| text.parse().unwrap());
        let entries = ["one", "two,depth=3", "three"].map(str::to_owned);
        let like_the_arenas = MatchRequest {
            players: ["two,depth=3", "one"].map(str::to_owned),
            games: 2,
            pace: Pace::TimeControl(clock),
            maxima: Limit::default(),
            openings: Vec::new(),
        };
        let changed = |change: fn(&mut MatchRequest)| {
            let mut request = like_the_arenas.clone();
            change(&mut request);
            is_rated(&request, Some(clock), &entries)
        };
        assert!(changed(|_| {}) && changed(|request| request.games = 1));
        assert!(!changed(|request| request.players[1] = "one,depth=3".to_owned()));
        assert!(!changed(|request| request.players[1] = request.players[0].clone()));
        assert!(!changed(|request| request.pace = Pace::Limit(Limit::default())));
        assert!(!changed(|request| request.maxima.nodes = Some(1)));
        assert!(!changed(|request| {
            request.openings = vec![MatchOpening { fen: String::new(), moves: Vec::new() }];
        }));
        assert!(!is_rated(&like_the_arenas, Some(other), &entries));
        assert!(!is_rated(&like_the_arenas, None, &entries));
    }
}
