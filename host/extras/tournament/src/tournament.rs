//! A tournament: several games in parallel, until all are played or the SPRT decides.

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    io,
    sync::Arc,
};

use rules::PgnGame;
use sha2::{Digest, Sha256};
use tokio::{sync::mpsc, task::spawn_blocking};

use crate::{
    game_settings::GameSettings,
    lost_by_fault::LostByFault,
    lost_from_won::LostFromWon,
    openings::Openings,
    pgn_file::{EVENT, FaultDetails, Heading, RecordedGame, pgn_game},
    play::PlayedGame,
    player::Player,
    schedule::{MatchFormat, ScheduledGame, schedule},
    searches::PlayError,
    sprt::Sprt,
    standings::Standings,
};
use config::Config;
use pool::{Ais, StartErrors, WorkerProgram};

#[derive(Clone, Debug)]
pub struct Tournament {
    /// At least two.
    pub players: Vec<Player>,
    pub format: MatchFormat,
    /// The number of games per pairing.
    pub games: usize,
    pub settings: GameSettings,
    /// Ends games whose result is in this configuration's tables.
    pub tablebases: Option<Config>,
    /// The openings, in order.
    pub openings: Openings,
    /// The seed from which the players' seeds in each game are derived.
    pub seed: u64,
    /// Stops a tournament of two players early.
    pub sprt: Option<Sprt>,
    /// The number of parallel games.
    pub concurrency: usize,
    /// The worker binary.
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
    /// The games cannot be played on other machines.
    #[error("{0}")]
    Elsewhere(Box<dyn Error + Send + Sync>),
}

/// A Chess960 game with a player that does not play Chess960.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "opening {opening} is Chess960, which '{player}' does not play: it does not declare \
     the capability chess960 (the option UCI_Chess960 of a UCI engine); choose other openings or \
     another player"
)]
pub struct NoChess960 {
    /// From 1.
    pub opening: usize,
    pub player: String,
}

/// More search threads than processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overload {
    /// The number of parallel games.
    pub games: usize,
    pub threads: usize,
    /// The number of parallel games that the processors can run, at least one.
    pub fitting_games: usize,
}

/// The games that a tournament has to play.
#[derive(Debug)]
pub struct PendingGames {
    pub tournament: Arc<Tournament>,
    /// The unrecorded games in order, grouped by players and opening.
    pub pairs: Vec<Vec<ScheduledGame>>,
    /// Ends games whose result is in its tables.
    pub tablebases: Option<Arc<Ais>>,
    /// Receives games, which are counted and written one at a time. An error ends the tournament.
    /// Closes when the tournament ends.
    pub results: mpsc::UnboundedSender<Result<Vec<PlayedMatchGame>, TournamentError>>,
}

/// A game that was played here or on a node.
#[derive(Clone, Debug)]
pub struct PlayedMatchGame {
    pub scheduled: ScheduledGame,
    pub played: PlayedGame,
    /// The node that played it, or `None` for this machine.
    pub node: Option<String>,
}

/// A game that just ended.
#[derive(Debug)]
pub struct FinishedMatchGame<'a> {
    pub scheduled: &'a ScheduledGame,
    pub pgn: &'a PgnGame,
    /// The node that played it, or `None` for this machine.
    pub node: Option<&'a str>,
    /// The standings including this game.
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
    /// Returns a hash of everything that the games depend on, as 16 hexadecimal digits.
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
    /// The first Chess960 game with a player that does not play Chess960.
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

    /// Returns the overload if searches with a time limit have to wait for each other on this many
    /// processors.
    pub fn overload(&self, processors: usize) -> Option<Overload> {
        let is_timed = self.settings.limits_time(&self.players);
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

    /// Runs `play`, which plays the games that are not in `recorded`, here or elsewhere. Calls
    /// `on_finished` after each game. Ends when `play` has sent every game, dropped the sender and
    /// returned. If `interrupted` resolves or the SPRT decides first, drops the future of `play`.
    ///
    /// # Errors
    /// `play` sends an error, or `on_finished` fails.
    ///
    /// # Panics
    /// `play` drops the sender before it has sent every game.
    pub async fn run_with<F: Future<Output = ()>>(
        self,
        recorded: &[RecordedGame],
        interrupted: impl Future<Output = ()>,
        mut on_finished: impl FnMut(FinishedMatchGame<'_>) -> io::Result<()>,
        play: impl FnOnce(PendingGames) -> F,
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
        let (results, mut outputs) = mpsc::unbounded_channel();
        let mut missing = pending.len();
        let playing = play(PendingGames {
            tablebases: tournament.start_tablebases().await?,
            tournament: Arc::clone(&tournament),
            pairs: in_pairs(&pending),
            results,
        });
        let fingerprint = tournament.fingerprint();
        tokio::pin!(interrupted, playing);
        let mut is_playing = true;
        loop {
            let received = tokio::select! {
                received = outputs.recv() => received,
                () = &mut playing, if is_playing => {
                    is_playing = false;
                    continue;
                }
                () = &mut interrupted => return Ok((standings, MatchEnd::Interrupted)),
            };
            let Some(games) = received else { break };
            for PlayedMatchGame {
                scheduled,
                played,
                node,
            } in games?
            {
                missing = missing.saturating_sub(1);
                standings.add(&scheduled, played.end.result_for(ai_api::Color::White));
                let pgn = tournament.pgn(&scheduled, played, node.as_deref(), &fingerprint);
                on_finished(FinishedMatchGame {
                    scheduled: &scheduled,
                    pgn: &pgn,
                    node: node.as_deref(),
                    standings: &standings,
                })?;
            }
            if tournament.is_decided(&standings) {
                return Ok((standings, MatchEnd::SprtDecided));
            }
        }
        if is_playing {
            tokio::select! {
                () = playing => {}
                () = interrupted => return Ok((standings, MatchEnd::Interrupted)),
            }
        }
        assert_eq!(missing, 0, "games without a result");
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

    fn pgn(
        &self,
        game: &ScheduledGame,
        played: PlayedGame,
        node: Option<&str>,
        fingerprint: &str,
    ) -> PgnGame {
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
            node,
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

/// Returns the games of each round and pairing together.
fn in_pairs(games: &[ScheduledGame]) -> Vec<Vec<ScheduledGame>> {
    games
        .chunk_by(|one, other| (one.round, one.pairing) == (other.round, other.pairing))
        .map(<[_]>::to_vec)
        .collect()
}

/// Returns the number from which a player's seeds in a game are derived.
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
