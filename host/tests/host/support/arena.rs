//! An arena whose file contains games.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use ::arena::ArenaSettings;
use ai_api::Color;
use arena::{
    Arena, ArenaVenue, FinishedGame, FinishedPair, GameFault, GameSummary, MatchProgress, Matches,
    NewPlayer, PlayerId, Store, StoredMatch, StoredPlayer,
};
use config::Config;
use pool::{Activity, WorkerProgram};
use tournament::{Disturbances, Effort, GameResult, Player};

use super::{ConfigFile, rookery};

/// The PGN of a game of two moves.
fn pgn(round: &str, white: &str, black: &str, result: GameResult) -> String {
    let result = match result {
        GameResult::Win => "1-0",
        GameResult::Draw => "1/2-1/2",
        GameResult::Loss => "0-1",
    };
    format!(
        "[Event \"rookery arena\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \
         \"{black}\"]\n[Result \"{result}\"]\n[TimeControl \"10+0.1\"]\n\n1. e4 {{[%eval 0.30,5] \
         [%emt 0:00:00.012] [%clk 0:00:10.088]}} 1... e5 {{[%eval 0.28,1] [%emt 0:00:00.001] [%clk \
         0:00:10.099] Black loses on time}} {result}\n"
    )
}

/// The players of a configuration's `[arena]`, and the arena's file in the configuration's folder.
pub(crate) struct ArenaFile {
    pub(crate) store: Store,
    pub(crate) players: Vec<StoredPlayer>,
}

/// The path of the arena's file.
pub(crate) fn path(file: &ConfigFile) -> PathBuf {
    file.folder().join("arena.db")
}

impl ArenaFile {
    /// Creates the file with the current version of each player.
    pub(crate) fn new(file: &ConfigFile) -> Self {
        let config = file.load();
        let settings = ArenaSettings::of(&config);
        let store = Store::open(&path(file), &settings.time_control.to_string(), 1 << 30).unwrap();
        let entries = settings.players.iter().flatten();
        let players = entries
            .map(|entry| store.player(&new_player(&config, entry)).unwrap())
            .collect();
        Self { store, players }
    }

    pub(crate) fn id(&self, player: usize) -> PlayerId {
        self.players[player].id
    }

    /// Adds a pair of games between two players. The results are White's.
    pub(crate) fn add_pair(
        &self,
        players: [usize; 2],
        results: [GameResult; 2],
        fault: Option<GameFault>,
    ) {
        self.store
            .add_pair(&self.pair(players, results, fault))
            .unwrap();
    }

    fn pair(
        &self,
        [one, other]: [usize; 2],
        results: [GameResult; 2],
        fault: Option<GameFault>,
    ) -> FinishedPair {
        let game = |white, black, result, fault: Option<GameFault>, number: &str| FinishedGame {
            record: GameSummary {
                white: self.id(white),
                black: self.id(black),
                result,
                termination: match fault {
                    Some(_) => "White loses: ai_crashed".to_owned(),
                    None => "Black loses on time".to_owned(),
                },
                fault,
                opening: Some(17),
                plies: 2,
                ended: SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_000_000),
            },
            pgn: pgn(
                number,
                &self.players[white].entry,
                &self.players[black].entry,
                result,
            ),
            effort: [
                Effort {
                    moves: 1,
                    depth_sum: 5,
                    time_ms: 12,
                },
                Effort {
                    moves: 1,
                    depth_sum: 1,
                    time_ms: 1,
                },
            ],
        };
        let pair = self.store.reader().results().unwrap().pairs() + 1;
        let first = game(one, other, results[0], None, &format!("{pair}.1"));
        let second = Some(game(other, one, results[1], fault, &format!("{pair}.2")));
        FinishedPair {
            first,
            second,
            is_rated: true,
            match_progress: None,
        }
    }

    /// Adds a client's match with two pairs: a pair whose second game ends with a fault, and a
    /// rated pair.
    pub(crate) fn add_match(&self, id: &str, client: &str) {
        let progress = MatchProgress {
            id: id.to_owned(),
            state: "{}".to_owned(),
            is_finished: true,
        };
        let new = StoredMatch {
            client: client.to_owned(),
            idempotency_key: None,
            request: "{}".to_owned(),
            progress: progress.clone(),
        };
        self.store.add_match(&new).unwrap();
        let pair = |fault| self.pair([0, 1], [GameResult::Win, GameResult::Loss], fault);
        let of_match = |pair, is_rated| FinishedPair {
            is_rated,
            match_progress: Some(progress.clone()),
            ..pair
        };
        self.store
            .add_pair(&of_match(pair(Some(fault(Color::White))), false))
            .unwrap();
        self.store.add_pair(&of_match(pair(None), true)).unwrap();
    }

    /// Lets a player rest until the year 2100.
    pub(crate) fn rest(&self, player: usize) {
        let until = SystemTime::UNIX_EPOCH + Duration::from_hours(1_139_568);
        self.store.set_rest(self.id(player), until).unwrap();
    }
}

fn new_player(config: &Config, entry: &str) -> NewPlayer {
    let player = Player::load(config, entry, &WorkerProgram::at(rookery()))
        .unwrap()
        .with_configured_limits();
    NewPlayer {
        entry: entry.to_owned(),
        fingerprint: player.fingerprint().to_string(),
        ai: player.id().to_owned(),
        name: player.ai_name().to_owned(),
    }
}

/// A fault by the player with this colour.
pub(crate) fn fault(color: Color) -> GameFault {
    GameFault {
        code: "ai_crashed".to_owned(),
        ply: 3,
        color,
        details: "signal 11".to_owned(),
    }
}

/// Starts an arena that other work on the machine does not pause, and waits for its players.
pub(crate) async fn start(file: &ConfigFile, activity: &Activity) -> Arena {
    let program = WorkerProgram::at(rookery());
    let venue = ArenaVenue {
        program,
        activity: activity.clone(),
        disturbances: Disturbances::Ignored,
        fleet: None,
    };
    let arena = Arena::start(&file.load(), &path(file), venue).unwrap();
    arena.players_started().await;
    arena
}

/// The arena of a configuration, and the matches of its server.
pub(crate) fn matches_of(config: &Config) -> (Option<Arc<Arena>>, Matches) {
    let (program, activity) = (WorkerProgram::at(rookery()), Activity::default());
    let venue = ArenaVenue::idle(program.clone(), activity.clone());
    let start = |file: &PathBuf| Arena::start(config, file, venue).unwrap();
    let arena = ArenaSettings::of(config)
        .file
        .as_ref()
        .map(start)
        .map(Arc::new);
    let matches = Matches::start(config, arena.clone(), program, activity, None).unwrap();
    (arena, matches)
}
