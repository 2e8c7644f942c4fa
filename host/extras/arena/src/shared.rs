//! The state that the threads of an arena share.

use std::{
    error::Error,
    fmt::Display,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use config::{ClockControl, Config};
use pool::{Activity, WorkerProgram};
use tokio::sync::watch;
use tournament::{GameSettings, Openings, Player};

use crate::{
    contestant::{self, ArenaPlayer},
    finished::FinishedPair,
    live::{ArenaState, Live, LiveEvent},
    play::NewPair,
    player::PlayerId,
    settings::ArenaSettings,
    standing::Standing,
    store::{Store, StoreError},
};

pub(crate) const EVENT: &str = "rookery arena";
/// A worker at idle priority starts slowly on a busy machine.
const START_TIMEOUT_MS: u64 = 600_000;
const REST: Duration = Duration::from_hours(1);

/// The state that the threads of an arena share.
#[derive(Debug)]
pub(crate) struct ArenaShared {
    pub(crate) store: Store,
    pub(crate) program: WorkerProgram,
    pub(crate) activity: Activity,
    pub(crate) idle: Duration,
    pub(crate) openings: Openings,
    pub(crate) time_control: ClockControl,
    pub(crate) settings: GameSettings,
    pub(crate) live: Live,
    pub(crate) control: watch::Sender<ArenaControl>,
    pub(crate) standing: Mutex<Standing>,
}

/// The public reason for a pause after an error.
const FILES_FAILED: &str = "it cannot read or write its files; the log says why";

/// The state that determines whether the threads play, and with which players.
#[derive(Clone, Debug)]
pub(crate) struct ArenaControl {
    /// Why the arena is paused.
    pub(crate) paused: Option<String>,
    pub(crate) config: Arc<Config>,
    /// Whether its players still have to be started.
    pub(crate) is_loading: bool,
    /// The number of tables that wait because other work on the machine disturbed them.
    pub(crate) disturbed: usize,
    /// The number of guests that play instead of the arena.
    pub(crate) guests: usize,
}

impl ArenaShared {
    pub(crate) fn standing(&self) -> MutexGuard<'_, Standing> {
        // A panic cannot leave it half changed.
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn state(&self) -> ArenaState {
        let ArenaControl {
            paused,
            is_loading,
            disturbed,
            guests,
            ..
        } = self.control.borrow().clone();
        if let Some(reason) = paused {
            return ArenaState::Paused(reason);
        }
        let able = self.standing().able(SystemTime::now()).count();
        let reason = match able {
            _ if !self.activity.is_idle_for(self.idle) => "a client is using an AI".to_owned(),
            _ if disturbed > 0 => "the processor is busy with other work".to_owned(),
            _ if guests > 0 => "a candidate is being tested".to_owned(),
            0 if is_loading => "the players are starting".to_owned(),
            0 | 1 => format!("{able} of 2 players can play"),
            _ => return ArenaState::Playing,
        };
        ArenaState::Waiting(reason)
    }

    pub(crate) fn pause(&self, reason: String) {
        tracing::warn!(reason, "the arena is paused");
        self.change(|control| control.paused = Some(reason));
    }

    /// Pauses because of an error. Only the log shows the error, since it may contain a path.
    pub(crate) fn pause_for(&self, error: &impl Display) {
        tracing::error!(%error, "the arena is paused");
        self.change(|control| control.paused = Some(FILES_FAILED.to_owned()));
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut ArenaControl)) {
        self.control.send_modify(change);
        self.show_state();
    }

    pub(crate) fn show_state(&self) {
        self.live.publish(LiveEvent::State(self.state()));
    }

    /// Starts the next rated pair of two players. Each call gets a different round and number.
    pub(crate) fn new_pair<'a>(&self, contestants: &'a [ArenaPlayer; 2]) -> NewPair<'a> {
        let ids = contestants
            .each_ref()
            .map(|contestant| contestant.stored.id);
        let (round, number) = self.standing().begin_pair(ids);
        NewPair {
            event: EVENT,
            number,
            contestants,
            opening: self.openings.for_round(round),
            opening_number: u32::try_from(self.openings.number(round)).ok(),
            settings: self.settings,
            is_rated: true,
            is_single: false,
        }
    }

    /// Writes a rated pair to the file and rates its players.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn record(
        &self,
        pair: &FinishedPair,
        players: &[ArenaPlayer; 2],
    ) -> Result<(), StoreError> {
        self.store.add_pair(pair)?;
        let tired = self.standing().record(pair, players);
        // Notifies tasks that wait for more pairs in the file.
        self.control.send_modify(|_| {});
        for player in tired {
            self.rest(player, "it had a fault in three games in a row");
        }
        Ok(())
    }

    /// Makes a player rest for a while.
    pub(crate) fn rest(&self, player: PlayerId, reason: &str) {
        let until = SystemTime::now() + REST;
        if let Err(error) = self.store.set_rest(player, until) {
            return self.pause_for(&error);
        }
        if let Some(player) = self.standing().rest(player, until) {
            tracing::warn!(
                player = player.entry,
                version = player.version,
                reason,
                "a player is resting for an hour"
            );
        }
    }

    /// Starts the players of the configuration. A player that fails to start does not play.
    pub(crate) fn load(&self) {
        let given = Arc::clone(&self.control.borrow().config);
        let mut config = (*given).clone();
        for ai in config.ais.values_mut() {
            ai.start_timeout_ms = ai.start_timeout_ms.max(START_TIMEOUT_MS);
        }
        let load = |entry: &String| -> Result<_, Box<dyn Error>> {
            let player = Player::load(&config, entry, &self.program)?;
            Ok(ArenaPlayer::new(player, &config, &self.store)?)
        };
        let load = |entry: &String| {
            let failed = |error| {
                tracing::warn!(player = entry, %error, "an arena player \
                failed to start");
            };
            load(entry).map_err(failed).ok()
        };
        let contestants: Vec<_> = contestant::entries(&config)
            .iter()
            .filter_map(load)
            .collect();
        let anchors = ArenaSettings::of(&config).anchors;
        for ArenaPlayer { stored, .. } in &contestants {
            let is_named = anchors.iter().any(|anchor| anchor.player == stored.entry);
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
            Err(error) => self.pause_for(&error),
        }
        self.control
            .send_modify(|control| control.is_loading &= !Arc::ptr_eq(&control.config, &given));
    }
}
