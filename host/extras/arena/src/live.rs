//! The running games and their watchers.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use ai_api::Score;
use rules::{Game, PgnResult};
use strum::{IntoStaticStr, VariantNames};
use tokio::sync::broadcast;
use tournament::{PlayedMove, Referee};

use crate::player::PlayerId;

/// A watcher that falls further behind loses the oldest events.
const EVENTS: usize = 256;

/// The running games and their watchers.
#[derive(Debug)]
pub(crate) struct Live {
    /// Keyed by number.
    games: Mutex<BTreeMap<u64, LiveGame>>,
    events: broadcast::Sender<LiveEvent>,
    last_number: AtomicU64,
}

/// A game that is being played.
#[derive(Clone, Debug)]
pub struct LiveGame {
    /// Counted from the start of the match or arena.
    pub number: u64,
    /// White, then Black.
    pub players: [PlayerId; 2],
    /// Contains the moves so far.
    pub game: Game,
    /// White's, then Black's.
    pub clocks_ms: Option<[u64; 2]>,
}

/// The state of the arena.
#[derive(Clone, Debug, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ArenaState {
    Playing,
    /// Contains the reason.
    Waiting(String),
    /// Contains the reason.
    Paused(String),
}

/// An event in the arena or a match.
#[derive(Clone, Debug)]
pub enum LiveEvent {
    State(ArenaState),
    /// A game that starts, or that is running when the watcher connects.
    Game(Box<LiveGame>),
    Move(Box<LiveMove>),
    End {
        number: u64,
        /// The result and how the game ended, or `None` if it was disturbed.
        end: Option<(PgnResult, String)>,
    },
}

/// A move of a running game.
#[derive(Clone, Debug)]
pub struct LiveMove {
    /// The number of the game.
    pub number: u64,
    /// As [`rules::format_uci`] writes it.
    pub uci: String,
    pub san: String,
    /// The position after the move.
    pub fen: String,
    /// The score from White's point of view, or `None` if the player gave none.
    pub score: Option<Score>,
    pub depth: u32,
    pub time_ms: u64,
    pub clocks_ms: Option<[u64; 2]>,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            games: Mutex::default(),
            events: broadcast::Sender::new(EVENTS),
            last_number: AtomicU64::new(0),
        }
    }
}

impl Live {
    /// Returns the running games and all later events.
    pub(crate) fn watch(&self) -> (Vec<LiveGame>, broadcast::Receiver<LiveEvent>) {
        let games = self.games();
        (games.values().cloned().collect(), self.events.subscribe())
    }

    pub(crate) fn publish(&self, event: LiveEvent) {
        // Sending fails if there is no watcher.
        let _ = self.events.send(event);
    }

    /// Returns the number of the next game, starting at 1.
    pub(crate) fn next_number(&self) -> u64 {
        self.last_number.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Sets the number of the last game. The next game gets the number after it.
    pub(crate) fn count_from(&self, last: u64) {
        self.last_number.store(last, Ordering::Relaxed);
    }

    /// Shows a game until the guard ends it or is dropped. `referee` decides when the game's
    /// searches run.
    pub(crate) fn begin<'a, R>(&'a self, game: LiveGame, referee: &'a R) -> LiveGuard<'a, R> {
        let number = game.number;
        let mut games = self.games();
        games.insert(number, game.clone());
        self.publish(LiveEvent::Game(Box::new(game)));
        LiveGuard {
            live: self,
            number,
            referee,
        }
    }

    fn moved(&self, number: u64, played: PlayedMove<'_>) {
        let mut games = self.games();
        let Some(running) = games.get_mut(&number) else {
            return;
        };
        let Some(&chosen) = played.game.moves().last() else {
            return;
        };
        let position = running.game.position();
        let (uci, san) = (
            rules::format_uci(position, chosen),
            rules::format_san(position, chosen),
        );
        let (uci, san) = (uci.to_string(), san.to_string());
        running.game.clone_from(played.game);
        running.clocks_ms = played.clocks_ms;
        self.publish(LiveEvent::Move(Box::new(LiveMove {
            number,
            uci,
            san,
            fen: rules::format_fen(played.game.position()),
            score: played.score,
            depth: played.depth,
            time_ms: played.time.as_millis() as u64,
            clocks_ms: played.clocks_ms,
        })));
    }

    fn end(&self, number: u64, end: Option<(PgnResult, String)>) {
        if self.games().remove(&number).is_some() {
            self.publish(LiveEvent::End { number, end });
        }
    }

    fn games(&self) -> MutexGuard<'_, BTreeMap<u64, LiveGame>> {
        // A panic cannot leave the games half changed.
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running game. It ends without a result if this guard is dropped.
#[derive(Debug)]
pub(crate) struct LiveGuard<'a, R> {
    live: &'a Live,
    number: u64,
    referee: &'a R,
}

impl<R> LiveGuard<'_, R> {
    pub(crate) fn end(self, result: PgnResult, termination: String) {
        self.live.end(self.number, Some((result, termination)));
    }
}

impl<R: Referee> Referee for LiveGuard<'_, R> {
    fn ready(&self) -> impl Future<Output = ()> {
        self.referee.ready()
    }

    fn interrupted(&self) -> impl Future<Output = ()> {
        self.referee.interrupted()
    }

    fn moved(&self, played: PlayedMove<'_>) {
        self.live.moved(self.number, played);
    }
}

impl<R> Drop for LiveGuard<'_, R> {
    fn drop(&mut self) {
        self.live.end(self.number, None);
    }
}
