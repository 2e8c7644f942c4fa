//! The arena: starts, pauses and stops the games.

use std::{
    fmt, io,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, SystemTime},
};

use config::{ClockControl, Config};
use pool::{Activity, WorkerProgram};
use tokio::sync::{broadcast, watch};
use tournament::{Adjudication, GameSettings, Openings, TimeControl};

use crate::{
    contestant::{self, Contestant},
    finished::FinishedPair,
    ladder::Ladder,
    live::{Live, LiveEvent, LiveGame},
    player::{PlayerId, StoredPlayer},
    runner,
    standing::Standing,
    store::{GameId, Store, StoreError, StoreReader},
};

/// The order of the openings.
pub(crate) const SEED: u64 = 1;
/// The tolerance for a move after the flag falls.
pub(crate) const MARGIN_MS: u64 = 50;
const MAX_REST: Duration = Duration::from_hours(1);

/// An endless tournament that plays while no client asks an AI. Dropping it stops the games.
#[derive(Debug)]
pub struct Arena {
    pub(crate) shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// What the threads of an arena share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) store: Store,
    pub(crate) program: WorkerProgram,
    pub(crate) activity: Activity,
    pub(crate) idle: Duration,
    pub(crate) openings: Openings,
    pub(crate) time_control: ClockControl,
    pub(crate) settings: GameSettings,
    pub(crate) live: Live,
    pub(crate) control: watch::Sender<Control>,
    standing: Mutex<Standing>,
}

/// What the threads have to heed.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub(crate) is_stopping: bool,
    /// Why no game goes on.
    pub(crate) paused: Option<String>,
    pub(crate) config: Arc<Config>,
    /// Whether its players have to be started.
    pub(crate) is_loading: bool,
    /// The number of changes of the players and the results.
    pub(crate) changes: u64,
}

/// What the arena does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArenaState {
    Playing,
    /// With the reason.
    Waiting(String),
    /// With the reason.
    Paused(String),
}

#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("cannot start a thread of the arena: {0}")]
    Thread(#[from] io::Error),
}

impl Arena {
    /// Opens the file and starts the games of a configuration with `[arena] file`, in workers of `program` at idle priority.
    /// Blocks while the file is opened; the players are started afterwards.
    ///
    /// # Errors
    /// The file cannot be used, or no thread can be started.
    pub fn start(
        config: &Config,
        file: &Path,
        program: WorkerProgram,
        activity: Activity,
    ) -> Result<Self, ArenaError> {
        let settings = &config.arena;
        let store =
            Store::open(file, &settings.time_control.to_string(), settings.max_mb.saturating_mul(1_000_000))?;
        let standing = Standing::read(store.reader(), settings.time_control)?;
        let config = Arc::new(config.clone());
        let control = Control { is_stopping: false, paused: None, config, is_loading: true, changes: 0 };
        let shared = Arc::new(Shared {
            store,
            program: program.at_idle_priority(),
            activity,
            idle: Duration::from_secs(settings.idle_s),
            openings: Openings::built_in().shuffled(SEED),
            time_control: settings.time_control,
            settings: GameSettings {
                time_control: TimeControl::Clock(settings.time_control),
                margin_ms: MARGIN_MS,
                adjudication: Adjudication::USUAL,
            },
            live: Live::default(),
            control: watch::Sender::new(control),
            standing: Mutex::new(standing),
        });
        let mut arena = Self { shared, threads: Vec::new() };
        for table in 0..settings.concurrency {
            let shared = Arc::clone(&arena.shared);
            let name = format!("arena-{table}");
            arena
                .threads
                .push(thread::Builder::new().name(name).spawn(move || runner::run(&shared, table == 0))?);
        }
        Ok(arena)
    }

    /// Takes over the players of another configuration. Its file, time control, concurrency and idle time stay.
    pub fn reconfigure(&self, config: &Config) {
        let config = Arc::new(config.clone());
        self.shared.control.send_modify(|control| {
            control.config = config;
            control.is_loading = true;
        });
    }

    pub fn time_control(&self) -> ClockControl {
        self.shared.time_control
    }

    pub fn state(&self) -> ArenaState {
        self.shared.state()
    }

    /// Returns the ratings by all pairs that are in the file.
    pub fn ladder(&self) -> Arc<Ladder> {
        Arc::clone(&self.shared.standing().ladder)
    }

    pub fn reader(&self) -> &StoreReader {
        self.shared.store.reader()
    }

    /// Resolves when the file has at least this many pairs, or the arena is paused.
    pub async fn pairs_played(&self, pairs: u32) {
        let mut control = self.shared.control.subscribe();
        // The sender lives as long as this future.
        let _ = control
            .wait_for(|control| control.paused.is_some() || self.ladder().results.pairs() >= pairs)
            .await;
    }

    /// Returns the running games and what happens from then on.
    pub fn watch(&self) -> (Vec<LiveGame>, broadcast::Receiver<LiveEvent>) {
        self.shared.live.watch()
    }

    /// Cancels the searches and begins none until [`resume`](Self::resume).
    pub fn pause(&self) {
        self.shared.pause("an admin has paused it".to_owned());
    }

    pub fn resume(&self) {
        self.shared.control.send_modify(|control| control.paused = None);
        self.shared.show_state();
    }

    /// Prefers the pairs of a player until its rating is known. Returns false if it does not play.
    pub fn rate_now(&self, player: PlayerId) -> bool {
        self.shared.standing().rate_now(player)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.shared.control.send_modify(|control| control.is_stopping = true);
        for thread in self.threads.drain(..) {
            // A panic was already reported.
            let _ = thread.join();
        }
    }
}

impl Shared {
    pub(crate) fn standing(&self) -> MutexGuard<'_, Standing> {
        // No panic leaves it half changed.
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> ArenaState {
        if let Some(reason) = &self.control.borrow().paused {
            return ArenaState::Paused(reason.clone());
        }
        if !self.activity.is_idle_for(self.idle) {
            return ArenaState::Waiting("a client asks an AI".to_owned());
        }
        match self.standing().able(SystemTime::now()).count() {
            0 if self.control.borrow().is_loading => {
                ArenaState::Waiting("the players are starting".to_owned())
            }
            count @ (0 | 1) => ArenaState::Waiting(format!("{count} of 2 players can play")),
            _ => ArenaState::Playing,
        }
    }

    pub(crate) fn pause(&self, reason: String) {
        tracing::warn!(reason, "the arena is paused");
        self.control.send_modify(|control| control.paused = Some(reason));
        self.show_state();
    }

    pub(crate) fn show_state(&self) {
        self.live.publish(LiveEvent::State(self.state()));
    }

    /// Starts players again whose files have changed. Until then they do not play.
    pub(crate) fn reload(&self, changed: [PlayerId; 2]) {
        self.standing().remove(changed);
        self.control.send_modify(|control| control.is_loading = true);
    }

    /// Writes a rated pair to the file and rates its players. Returns the ids of its games.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn record(
        &self,
        pair: &FinishedPair,
        players: [&StoredPlayer; 2],
    ) -> Result<Vec<GameId>, StoreError> {
        let games = self.store.add_pair(pair)?;
        let tired = self.standing().record(pair, players);
        self.control.send_modify(|control| control.changes += 1);
        for player in tired {
            self.rest(player, "it failed in three games in a row");
        }
        Ok(games)
    }

    /// Lets a player play no games for a while.
    pub(crate) fn rest(&self, player: PlayerId, reason: &str) {
        let until = SystemTime::now() + MAX_REST;
        if let Err(error) = self.store.set_rest(player, Some(until)) {
            return self.pause(error.to_string());
        }
        if let Some(player) = self.standing().rest(player, until) {
            tracing::warn!(
                player = player.entry,
                version = player.version,
                reason,
                "a player rests for an hour"
            );
        }
    }

    /// Starts the players of the configuration. Those that do not start do not play.
    pub(crate) fn load(&self) {
        let config = Arc::clone(&self.control.borrow().config);
        let config = &*config;
        let load = |entry: &String| {
            let loaded = Contestant::load(config, entry, &self.program, &self.store);
            let contestant = loaded.map_err(|error| {
                tracing::warn!(player = entry, %error, "a player of the arena does not start");
            });
            contestant.ok()
        };
        let contestants: Vec<_> = contestant::entries(config).iter().filter_map(load).collect();
        for Contestant { stored, .. } in &contestants {
            let is_named = config.arena.anchors.iter().any(|anchor| anchor.player == stored.entry);
            if is_named && stored.anchor_elo.is_none() {
                tracing::warn!(
                    player = stored.entry,
                    version = stored.version,
                    "an anchor has changed; this version is rated like any other"
                );
            }
        }
        match self.store.reader().players() {
            Ok(players) => self.standing().replace(contestants, players),
            Err(error) => self.pause(error.to_string()),
        }
        self.control.send_modify(|control| {
            control.changes += 1;
            control.is_loading &= !std::ptr::eq(&*control.config, config);
        });
    }
}

impl fmt::Display for ArenaState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Playing => f.write_str("playing"),
            Self::Waiting(reason) => write!(f, "waiting: {reason}"),
            Self::Paused(reason) => write!(f, "paused: {reason}"),
        }
    }
}
