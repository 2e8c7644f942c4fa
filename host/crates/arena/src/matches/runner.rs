//! Plays matches, one after the other.

use std::sync::Arc;

use config::{ClockControl, Config};
use tokio::runtime::{self, Handle};
use tournament::{Adjudication, Disturbances, GameError, GameSettings, Openings, Player, Table, TimeControl};

use super::{
    record::{Match, MatchGame, MatchState},
    request::{MatchLimit, MatchRequest},
    shared::Shared,
};
use crate::{
    arena::MARGIN_MS,
    contestant::{self, Contestant, ContestantError},
    finished::{FinishedGame, FinishedPair},
    play::{NewGame, play_game},
    runner::EVENT,
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
    event: String,
    contestants: [Contestant; 2],
    settings: GameSettings,
    openings: Openings,
    is_rated: bool,
    table: Table,
}

/// Plays until the server stops.
pub(super) fn run(shared: &Shared) {
    let runtime = match runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return tracing::error!(%error, "matches cannot be played"),
    };
    let mut control = shared.control.subscribe();
    runtime.block_on(async {
        tokio::select! {
            _ = control.wait_for(|control| control.is_stopping) => {}
            () = play_matches(shared, runtime.handle()) => {}
        }
    });
}

async fn play_matches(shared: &Shared, runtime: &Handle) {
    let mut control = shared.control.subscribe();
    loop {
        control.borrow_and_update();
        let next = shared.kept().waiting.pop_front();
        match next {
            Some((found, config)) => play_match(shared, &found, &config, runtime).await,
            // The sender lives as long as this future.
            None => drop(control.changed().await),
        }
    }
}

/// Plays a match until it ends.
async fn play_match(shared: &Shared, found: &Match, config: &Arc<Config>, runtime: &Handle) {
    if found.is_ended() {
        return;
    }
    let _running = shared.activity.begin();
    found.set_state(MatchState::Running);
    let mut status = found.watch();
    let playing = async {
        let mut running = RunningMatch::start(shared, found, config, runtime)?;
        running.play().await
    };
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
    fn start(
        shared: &'a Shared,
        found: &'a Match,
        config: &Config,
        runtime: &Handle,
    ) -> Result<Self, MatchError> {
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
        let settings = GameSettings {
            time_control: request.time_control(),
            margin_ms: MARGIN_MS,
            adjudication: Adjudication::USUAL,
            disturbances: Disturbances::Ignored,
        };
        // All clients see rated games, but not the match.
        let event = if is_rated { EVENT.to_owned() } else { format!("rookery match {}", found.id) };
        let table = Table::new(shared.program.clone(), runtime.clone(), None);
        Ok(Self { shared, found, event, contestants, settings, openings, is_rated, table })
    }

    async fn play(&mut self) -> Result<(), MatchError> {
        let games = self.found.request.games as usize;
        loop {
            let played = self.found.watch().borrow().games.len();
            if played >= games {
                return Ok(());
            }
            let pair = self.play_pair(played / 2, games - played == 1).await?;
            self.record(pair)?;
        }
    }

    /// Plays both games of an opening, or only the first.
    async fn play_pair(&mut self, round: usize, is_single: bool) -> Result<FinishedPair, MatchError> {
        if self.is_rated {
            match self.play_games(round, is_single, Disturbances::Void).await {
                // Waiting for an idle machine would delay the match.
                Err(GameError::Disturbed { .. }) => {}
                played => return self.pair(played, true),
            }
        }
        let played = self.play_games(round, is_single, Disturbances::Ignored).await;
        self.pair(played, false)
    }

    async fn play_games(
        &mut self,
        round: usize,
        is_single: bool,
        disturbances: Disturbances,
    ) -> Result<Vec<FinishedGame>, GameError> {
        let mut number = round as u64 + 1;
        let (mut opening, mut opening_number) = (self.openings.for_round(round), None);
        if let Some(arena) = self.shared.arena.as_ref().filter(|_| self.is_rated) {
            // As a pair of the arena, so that no game is played again.
            let (round, of_all) = arena.shared.standing().round(&self.contestants);
            opening = arena.shared.openings.for_round(round);
            opening_number = u32::try_from(arena.shared.openings.number(round)).ok();
            number = of_all;
        }
        let [first, second] = &self.contestants;
        let pairings = [[first, second], [second, first]];
        let mut games = Vec::new();
        for (game, contestants) in (1..).zip(pairings).take(if is_single { 1 } else { 2 }) {
            let (event, settings) = (&*self.event, &GameSettings { disturbances, ..self.settings });
            let (opening, is_rated) = (&opening, self.is_rated && disturbances == Disturbances::Void);
            let new =
                NewGame { event, number, game, contestants, opening, opening_number, settings, is_rated };
            let live = self.found.live.begin(new.live(2 * round as u64 + game));
            let played = play_game(&mut self.table, new, &live).await?;
            live.end(played.record.result.in_pgn(), played.record.termination.clone());
            games.push(played);
        }
        Ok(games)
    }

    fn pair(
        &self,
        played: Result<Vec<FinishedGame>, GameError>,
        is_rated: bool,
    ) -> Result<FinishedPair, MatchError> {
        let mut games = played.map_err(|error| self.error(error))?.into_iter();
        let first = games.next().ok_or(MatchError::Game)?;
        let match_progress = Some(self.found.progress());
        Ok(FinishedPair { first, second: games.next(), is_rated, match_progress })
    }

    /// Writes a pair to the file, and then shows it.
    fn record(&self, pair: FinishedPair) -> Result<(), MatchError> {
        let [first, second] = self.contestants.each_ref().map(|contestant| &contestant.stored);
        let ids = match &self.shared.arena {
            None => Vec::new(),
            Some(arena) if pair.is_rated => arena.shared.record(&pair, [first, second]).map_err(logged)?,
            Some(arena) => arena.shared.store.add_pair(&pair).map_err(logged)?,
        };
        let mut ids = ids.into_iter();
        let games = std::iter::once(pair.first).chain(pair.second);
        let games: Vec<_> = games.map(|game| MatchGame::new(game, ids.next())).collect();
        self.found.add_games(games);
        Ok(())
    }

    fn error(&self, error: GameError) -> MatchError {
        tracing::warn!(id = self.found.id, %error, "a match has failed");
        match error {
            GameError::Start { side, .. } => {
                // Both start for the first game, in which the first player is White.
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
        && request.maxima == MatchLimit::default()
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
    let (entry, program) = (&request.players[index], &shared.program);
    let loaded = match shared.store() {
        Some(store) if is_rated => Contestant::load(config, entry, program, store),
        store => {
            let player = Player::load(config, entry, program);
            let limited = player.map(|mut player| {
                if index == 1 && is_of_one(request) {
                    player.name.push_str(" (2)");
                }
                player.limited_by(&request.maxima.limits())
            });
            limited.map_err(Into::into).and_then(|player| Contestant::unrated(player, index as i64, store))
        }
    };
    loaded.map_err(|error| match error {
        ContestantError::Store(error) => logged(error),
        ContestantError::Player(error) => {
            tracing::warn!(player = entry, %error, "a player of a match does not start");
            MatchError::Player(entry.clone())
        }
    })
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
            maxima: MatchLimit::default(),
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
        assert!(!changed(|request| request.pace = Pace::Limit(MatchLimit::default())));
        assert!(!changed(|request| request.maxima.nodes = Some(1)));
        assert!(!changed(|request| {
            request.openings = vec![MatchOpening { fen: String::new(), moves: Vec::new() }];
        }));
        assert!(!is_rated(&like_the_arenas, Some(other), &entries));
        assert!(!is_rated(&like_the_arenas, None, &entries));
    }
}
