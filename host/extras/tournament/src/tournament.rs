//! A whole tournament: several games in parallel, until all are played or the SPRT decides.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use rules::PgnGame;
use sha2::{Digest, Sha256};
use tokio::{runtime, sync::mpsc, task::spawn_blocking};

use crate::{
    lost_by_fault::LostByFault,
    lost_from_won::LostFromWon,
    openings::Openings,
    pgn_file::{EVENT, FaultDetails, Heading, RecordedGame, pgn_game},
    play::{GameSettings, NoReferee, PlayError, PlayedGame},
    player::Player,
    schedule::{MatchFormat, ScheduledGame, schedule},
    sprt::Sprt,
    standings::Standings,
    time_control::TimeControl,
    venue::Venue,
};
use ai_api::Limits;
use config::Config;
use pool::{Ais, StartErrors, WorkerProgram};

#[derive(Clone, Debug)]
pub struct Tournament {
    /// At least two.
    pub players: Vec<Player>,
    pub format: MatchFormat,
    /// The games of each pairing.
    pub games: usize,
    pub settings: GameSettings,
    /// Ends games whose result the tables of this configuration have.
    pub tablebases: Option<Config>,
    /// The openings, in order.
    pub openings: Openings,
    /// What the seeds of the players in each game follow from.
    pub seed: u64,
    /// Stops the tournament early, with two players.
    pub sprt: Option<Sprt>,
    /// Parallel games.
    pub concurrency: usize,
    /// The binary of the workers.
    pub program: WorkerProgram,
}

#[derive(Debug, thiserror::Error)]
pub enum TournamentError {
    #[error("{0}")]
    Tables(#[from] StartErrors),
    #[error("{0}")]
    Game(#[from] PlayError),
    #[error("cannot start a thread for a game: {0}")]
    Thread(io::Error),
    #[error("cannot write the game")]
    Record(#[from] io::Error),
}

/// A Chess960 game whose players cannot all play it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "opening {opening} is Chess960, which '{player}' does not play: it lacks the capability \
     chess960, which a UCI engine has by its option UCI_Chess960; choose other openings or another \
     player"
)]
pub struct NoChess960 {
    /// From 1.
    pub opening: usize,
    pub player: String,
}

/// More threads that search at once than processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overload {
    /// Parallel games.
    pub games: usize,
    pub threads: usize,
    /// The parallel games that the processors can do; at least one.
    pub fitting_games: usize,
}

/// A game that just ended.
#[derive(Debug)]
pub struct FinishedMatchGame<'a> {
    pub scheduled: &'a ScheduledGame,
    pub pgn: &'a PgnGame,
    /// The standings with this game.
    pub standings: &'a Standings,
}

impl FinishedMatchGame<'_> {
    /// Returns the game if its loser had a won evaluation. `line` is where it begins in the PGN
    /// file.
    pub fn lost_from_won(&self, line: Option<usize>) -> Option<LostFromWon> {
        LostFromWon::find(self.pgn, line)
    }

    /// Returns the game if its loser had a fault.
    pub fn lost_by_fault(&self) -> Option<LostByFault> {
        LostByFault::find(self.pgn)
    }
}

/// Why a tournament ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchEnd {
    AllGamesPlayed,
    SprtDecided,
    Interrupted,
}

impl Tournament {
    /// Returns 16 hexadecimal digits that depend on everything that the games depend on.
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        for player in &self.players {
            add(&player.name);
            add(&player.fingerprint().to_string());
        }
        add(&format!("{:?} {:?}", self.format, self.settings));
        if self.tablebases.is_some() {
            add("tablebases");
        }
        if self.players.iter().any(Player::has_seeds) {
            add(&format!("seed {}", self.seed));
        }
        self.openings.for_each_part(add);
        hash.finalize()
            .iter()
            .take(8)
            .map(|byte| format!("{byte:02x}"))
            .collect::<Vec<_>>()
            .concat()
    }

    /// # Errors
    /// The first game that is Chess960 and has a player that does not play it.
    pub fn ensure_playable(&self) -> Result<(), NoChess960> {
        let unable = |game: &ScheduledGame| {
            let players = [game.white, game.black].map(|index| &self.players[index]);
            players.into_iter().find(|player| !player.plays_chess960())
        };
        for game in self.schedule() {
            if let Some(player) = unable(&game)
                && self.openings.is_chess960(game.round)
            {
                let opening = self.openings.number(game.round) + 1;
                return Err(NoChess960 {
                    opening,
                    player: player.name.clone(),
                });
            }
        }
        Ok(())
    }

    /// Returns whether searches whose time is limited wait for each other on this many processors.
    pub fn overload(&self, processors: usize) -> Option<Overload> {
        let limits_time = |limits: &Limits| limits.hard_ms.or(limits.soft_ms).is_some();
        let is_timed = match &self.settings.time_control {
            TimeControl::Clock(_) => true,
            TimeControl::Fixed(limits) => limits_time(limits),
        };
        let is_timed = is_timed
            || self
                .players
                .iter()
                .any(|player| limits_time(player.limits()));
        // In a game, one player searches at a time.
        let threads_each = self
            .players
            .iter()
            .map(Player::search_threads)
            .max()
            .unwrap_or(1);
        let games = self.concurrency.min(self.schedule().len());
        let threads = games * threads_each;
        (is_timed && threads > processors).then(|| Overload {
            games,
            threads,
            fitting_games: (processors / threads_each).max(1),
        })
    }

    pub fn schedule(&self) -> Vec<ScheduledGame> {
        schedule(self.format, self.players.len(), self.games)
    }

    fn is_decided(&self, standings: &Standings) -> bool {
        let test = self.sprt.zip(standings.pairings.values().next());
        test.is_some_and(|(sprt, tally)| sprt.state(tally).accepted.is_some())
    }

    /// Plays the games that are not in `recorded`, and calls `on_finished` after each. Ends without
    /// waiting for running games when `interrupted` resolves or the SPRT decides.
    ///
    /// Dropping the future cancels the running games.
    ///
    /// # Errors
    /// A game has no result, or `on_finished` fails.
    ///
    /// # Panics
    /// Never: games do not panic.
    pub async fn run(
        self,
        recorded: &[RecordedGame],
        interrupted: impl Future<Output = ()>,
        mut on_finished: impl FnMut(FinishedMatchGame<'_>) -> io::Result<()>,
    ) -> Result<(Standings, MatchEnd), TournamentError> {
        let mut standings = Standings::new(self.format, self.players.len());
        let mut pending = self.schedule();
        let known: BTreeMap<_, _> = recorded
            .iter()
            .map(|game| (game.number, game.white))
            .collect();
        pending.retain(|game| match known.get(&game.number) {
            Some(&white) => {
                standings.add(game, white);
                false
            }
            None => true,
        });
        if self.is_decided(&standings) {
            return Ok((standings, MatchEnd::SprtDecided));
        }
        let tournament = Arc::new(self);
        let tablebases = tournament.start_tablebases().await?;
        let concurrency = tournament.concurrency.min(pending.len());
        let pending = Arc::new(Mutex::new(pending.into_iter()));
        let (results, mut outputs) = mpsc::unbounded_channel();
        let mut threads = Vec::new();
        for _ in 0..concurrency {
            let runtime = runtime::Builder::new_current_thread().enable_all().build();
            let (runtime, tablebases, results) = (
                runtime.map_err(TournamentError::Thread)?,
                tablebases.clone(),
                results.clone(),
            );
            let (tournament, pending) = (Arc::clone(&tournament), Arc::clone(&pending));
            let play_all = move || {
                let table = Venue::new(
                    tournament.program.clone(),
                    runtime.handle().clone(),
                    tablebases,
                );
                runtime.block_on(play_all(table, &tournament, &pending, &results));
            };
            let thread = thread::Builder::new()
                .name("match-table".into())
                .spawn(play_all);
            threads.push(thread.map_err(TournamentError::Thread)?);
        }
        drop(results);
        let fingerprint = tournament.fingerprint();
        tokio::pin!(interrupted);
        loop {
            let ended = tokio::select! {
                ended = outputs.recv() => ended,
                () = &mut interrupted => return Ok((standings, MatchEnd::Interrupted)),
            };
            let Some(ended) = ended else { break };
            let (game, played) = ended?;
            standings.add(&game, played.end.result_for(ai_api::Color::White));
            let pgn = tournament.pgn(&game, played, &fingerprint);
            on_finished(FinishedMatchGame {
                scheduled: &game,
                pgn: &pgn,
                standings: &standings,
            })?;
            if tournament.is_decided(&standings) {
                return Ok((standings, MatchEnd::SprtDecided));
            }
        }
        for thread in threads {
            thread.join().expect("a game does not panic");
        }
        Ok((standings, MatchEnd::AllGamesPlayed))
    }

    /// Starts the supervisor of the worker that probes tables, if there are any.
    async fn start_tablebases(&self) -> Result<Option<Arc<Ais>>, StartErrors> {
        let Some(config) = self.tablebases.clone() else {
            return Ok(None);
        };
        let program = self.program.clone();
        let started = spawn_blocking(move || Ais::start(&config, program)).await;
        Ok(Some(Arc::new(
            started.expect("starting a supervisor does not panic")?,
        )))
    }

    fn pgn(&self, game: &ScheduledGame, played: PlayedGame, fingerprint: &str) -> PgnGame {
        let full_names: BTreeSet<_> = self.players.iter().map(Player::full_name).collect();
        let are_distinct = full_names.len() == self.players.len();
        let name = |index: usize| {
            let named = &self.players[index];
            if are_distinct {
                named.full_name()
            } else {
                &named.name
            }
        };
        let names = [name(game.white), name(game.black)];
        let round = game.number.to_string();
        let heading = Heading {
            event: EVENT,
            round: &round,
            names,
            fingerprint: Some(fingerprint),
            details: FaultDetails::Shown,
        };
        pgn_game(
            heading,
            &self.openings.for_round(game.round),
            &self.settings,
            played,
        )
    }
}

type GameOutput = Result<(ScheduledGame, PlayedGame), TournamentError>;

/// Plays games at a table until none is pending, one fails, or the results have no receiver any
/// more.
async fn play_all(
    mut table: Venue,
    tournament: &Tournament,
    pending: &Mutex<std::vec::IntoIter<ScheduledGame>>,
    results: &mpsc::UnboundedSender<GameOutput>,
) {
    let next = || {
        pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next()
    };
    while let Some(game) = next() {
        let players = [game.white, game.black].map(|index| &tournament.players[index]);
        let seeds = [game.white, game.black]
            .map(|index| seed(tournament.seed, game.number as u64, index as u64));
        let opening = tournament.openings.for_round(game.round);
        let playing = table.play(players, seeds, &opening, &tournament.settings, &NoReferee);
        let played = tokio::select! {
            played = playing => played,
            () = results.closed() => return,
        };
        let is_over = played.is_err();
        // Without a receiver, the tournament is over.
        if results
            .send(played.map(|played| (game, played)).map_err(Into::into))
            .is_err()
            || is_over
        {
            return;
        }
    }
}

/// Returns the number that the seeds of a player in a game follow from.
///
/// # Panics
/// Never: a hash has 32 bytes.
pub fn seed(seed: u64, game: u64, player: u64) -> u64 {
    let mut hash = Sha256::new();
    for part in [seed, game, player] {
        hash.update(part.to_le_bytes());
    }
    let digest = hash.finalize();
    u64::from_le_bytes(*digest.first_chunk().expect("a hash has 32 bytes"))
}
