//! The arena: starts, pauses and stops the games.

use std::{
    io,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use config::{ClockControl, Config};
use fleet_match::AcceptedNodes;
use formats::eco::Opening;
use game::Extra;
use pool::{Activity, WorkerProgram};
use tokio::sync::{broadcast, watch};
use tournament::{Disturbances, TimeControl};

use crate::{
    contestant,
    ladder::Ladder,
    live::{ArenaState, Live, LiveEvent, LiveGame},
    nodes::PlayingFleet,
    on_nodes,
    play::{built_in_openings, game_settings},
    player::PlayerId,
    runner,
    settings::ArenaSettings,
    shared::{ArenaControl, ArenaShared},
    standing::Standing,
    store::{Store, StoreError, StoreReader},
    threads::Threads,
};

/// An endless tournament that plays while no client is using an AI. Dropping it stops the games.
#[derive(Debug)]
pub struct Arena {
    /// Dropped first, so that the file is closed when the arena is dropped.
    _threads: Threads,
    pub(crate) shared: Arc<ArenaShared>,
}

/// Where the games are played.
#[derive(Clone, Debug)]
pub struct ArenaVenue {
    /// The worker binary.
    pub program: WorkerProgram,
    /// The jobs that interrupt the games.
    pub activity: Activity,
    pub disturbances: Disturbances,
    /// The fleet whose `nodes` play pairs if `fleet = true`.
    pub fleet: Option<PlayingFleet>,
}

impl ArenaVenue {
    /// Creates a venue whose workers compute only while the machine is otherwise idle. A game that
    /// other work disturbs has no result.
    pub fn idle(program: WorkerProgram, activity: Activity) -> Self {
        Self {
            program: program.at_idle_priority(),
            activity,
            disturbances: Disturbances::Void,
            fleet: None,
        }
    }

    /// Adds the server's fleet.
    #[must_use]
    pub fn with_fleet(self, fleet: Option<PlayingFleet>) -> Self {
        Self { fleet, ..self }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("cannot start an arena thread: {0}")]
    Thread(#[from] io::Error),
}

impl Arena {
    /// Opens the file and starts the games of a configuration. Blocks while the file is opened. The
    /// players start afterwards.
    ///
    /// # Errors
    /// The file cannot be used, or no thread can be started.
    pub fn start(config: &Config, file: &Path, venue: ArenaVenue) -> Result<Self, ArenaError> {
        let ArenaVenue {
            program,
            activity,
            disturbances,
            fleet,
        } = venue;
        let settings = ArenaSettings::of(config);
        let store = Store::open(
            file,
            &settings.time_control.to_string(),
            settings.max_mb << 20,
        )?;
        let standing = Standing::read(
            store.reader(),
            &contestant::entries(config),
            settings.time_control,
        )?;
        let config = Arc::new(config.clone());
        let shared = Arc::new(ArenaShared {
            store,
            program,
            activity,
            idle: Duration::from_secs(settings.idle_s),
            openings: built_in_openings(),
            time_control: settings.time_control,
            settings: game_settings(TimeControl::Clock(settings.time_control), disturbances),
            live: Live::default(),
            control: watch::Sender::new(ArenaControl {
                paused: None,
                config,
                is_loading: true,
                disturbed: 0,
                guests: 0,
            }),
            standing: Mutex::new(standing),
        });
        let threads = Threads::new();
        for table in 0..settings.concurrency {
            let shared = Arc::clone(&shared);
            let play = async move |runtime| runner::play_pairs(&shared, runtime, table == 0).await;
            threads.start(format!("arena-{table}"), play)?;
        }
        let fleet = fleet.filter(|fleet| settings.fleet && fleet.has(AcceptedNodes::Own));
        if let Some(fleet) = fleet {
            let of_nodes = Arc::clone(&shared);
            let play = async move |_| on_nodes::play_pairs(&of_nodes, &fleet).await;
            threads.start("arena-nodes".to_owned(), play)?;
        }
        Ok(Self {
            _threads: threads,
            shared,
        })
    }

    pub fn time_control(&self) -> ClockControl {
        self.shared.time_control
    }

    pub fn state(&self) -> ArenaState {
        self.shared.state()
    }

    /// Returns the ratings from all pairs in the file.
    pub fn ladder(&self) -> Arc<Ladder> {
        Arc::clone(&self.shared.standing().ladder)
    }

    pub fn store(&self) -> &Store {
        &self.shared.store
    }

    pub fn reader(&self) -> &StoreReader {
        self.shared.store.reader()
    }

    /// Returns the name of the opening with this number.
    pub(crate) fn opening_name(&self, number: u32) -> Option<&'static str> {
        let number = usize::try_from(number).ok()?;
        let opening = self.shared.openings.by_number(number)?;
        Opening::of_game(&opening.game).map(|opening| opening.name)
    }

    /// Resolves when the players of the configuration have started.
    pub async fn players_started(&self) {
        // This cannot fail: the sender lives as long as this future.
        let _ = self
            .shared
            .control
            .subscribe()
            .wait_for(|control| !control.is_loading)
            .await;
    }

    /// Resolves when the file has at least this many pairs, or the arena is paused.
    pub async fn pairs_played(&self, pairs: u32) {
        let mut control = self.shared.control.subscribe();
        while control.borrow_and_update().paused.is_none() && self.ladder().results.pairs() < pairs
        {
            // This cannot fail: the sender lives as long as this future.
            let _ = control.changed().await;
        }
    }

    /// Returns the running games and all later events.
    pub fn watch(&self) -> (Vec<LiveGame>, broadcast::Receiver<LiveEvent>) {
        self.shared.live.watch()
    }

    /// Cancels the searches. No search starts until [`resume`](Self::resume).
    pub fn pause(&self) {
        self.shared.pause("an admin paused it".to_owned());
    }

    pub fn resume(&self) {
        self.shared.change(|control| control.paused = None);
    }

    /// Plays a player's pairs first, until its rating is known. Returns false if the player is not
    /// playing.
    pub fn rate_now(&self, player: PlayerId) -> bool {
        self.shared.standing().rate_now(player)
    }
}

impl Extra for Arena {
    fn feature(&self) -> &'static str {
        "arena"
    }

    /// Adopts the new players. The file, time control, concurrency, nodes and idle time stay the
    /// same.
    fn reconfigure(&self, config: &Config) -> Vec<String> {
        let config = Arc::new(config.clone());
        self.shared.control.send_modify(|control| {
            control.config = config;
            control.is_loading = true;
        });
        Vec::new()
    }
}
