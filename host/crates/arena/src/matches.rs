//! Matches that clients ask for: the server plays them one after the other, in workers of their own.

mod record;
mod request;
mod runner;
mod shared;

use std::{
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use config::Config;
use pool::{Activity, WorkerProgram};
use tokio::sync::watch;

use crate::{
    arena::{Arena, ArenaError, STOP_GRACE},
    store::StoreError,
};

use record::GameText;
pub use record::{Match, MatchGame, MatchState, MatchStatus};
pub use request::{MatchLimit, MatchOpening, MatchRequest, Pace};
use shared::{Control, Kept, Shared, read};

/// The matches that may wait.
const MAX_WAITING: usize = 100;

/// The matches of a server. With an arena's file they survive its restart. Dropping this stops the games.
#[derive(Debug)]
pub struct Matches {
    shared: Arc<Shared>,
    /// Disconnected when its thread has ended.
    running: Mutex<mpsc::Receiver<()>>,
}

/// Why a match is not added.
#[derive(Debug, thiserror::Error)]
pub enum AddMatchError {
    /// With the id of the client's match.
    #[error(
        "the match '{0}' of this client has not ended; wait for its end, or stop it with DELETE /v1/matches/{0}"
    )]
    Running(String),
    #[error(
        "the Idempotency-Key belongs to the match '{0}' of another request; send a new key with a new request"
    )]
    OtherRequest(String),
    #[error("{MAX_WAITING} matches wait already; try again later")]
    TooMany,
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl Matches {
    /// Starts the thread that plays matches in workers of `program`, first those that the arena's file has not finished, with the
    /// players of `config`. While one runs, it counts as activity.
    ///
    /// # Errors
    /// The file cannot be read, or the thread cannot be started.
    pub fn start(
        config: &Config,
        arena: Option<Arc<Arena>>,
        program: WorkerProgram,
        activity: Activity,
    ) -> Result<Self, ArenaError> {
        let mut kept = Kept::default();
        let server = match &arena {
            None => format!("{:08x}", fastrand::u32(..)),
            Some(arena) => {
                let config = Arc::new(config.clone());
                for stored in arena.reader().unfinished_matches()? {
                    let id = stored.progress.id.clone();
                    let Some(found) = read(arena.reader(), stored)? else {
                        tracing::warn!(id, "a match of another version of the server does not go on");
                        continue;
                    };
                    found.update(|status| {
                        if status.state == MatchState::Running {
                            status.state = MatchState::Paused;
                        }
                    });
                    let found = Arc::new(found);
                    kept.matches.push(Arc::clone(&found));
                    kept.waiting.push_back((found, Arc::clone(&config)));
                }
                arena.reader().server()?
            }
        };
        let control = watch::Sender::new(Control::default());
        let shared = Shared { arena, program, activity, server, kept: Mutex::new(kept), control };
        let shared = Arc::new(shared);
        let (runs, running) = mpsc::channel();
        let matches = Self { shared, running: Mutex::new(running) };
        let shared = Arc::clone(&matches.shared);
        let play = move || {
            runner::run(&shared);
            // Before the end is noticed, so that the file is closed then.
            drop(shared);
            drop::<mpsc::Sender<()>>(runs);
        };
        thread::Builder::new().name("matches".to_owned()).spawn(play)?;
        Ok(matches)
    }

    /// Returns what the ids of this server's matches begin with.
    pub fn server(&self) -> &str {
        &self.shared.server
    }

    /// Adds a match, or returns the one that the client has added with this key. Blocks.
    ///
    /// # Errors
    /// Another match of the client has not ended, the key belongs to another request, or the file cannot be written.
    pub fn add(
        &self,
        client: &str,
        request: MatchRequest,
        key: Option<&str>,
        config: Arc<Config>,
    ) -> Result<Arc<Match>, AddMatchError> {
        let mut kept = self.shared.kept();
        if let Some(key) = key
            && let Some(earlier) = self.shared.keyed(&kept, client, key)?
        {
            return if earlier.request == request {
                Ok(earlier)
            } else {
                Err(AddMatchError::OtherRequest(earlier.id.clone()))
            };
        }
        if let Some(running) = kept.matches.iter().find(|one| one.client == client && !one.is_ended()) {
            return Err(AddMatchError::Running(running.id.clone()));
        }
        kept.waiting.retain(|(one, _)| !one.is_ended());
        if kept.waiting.len() >= MAX_WAITING {
            return Err(AddMatchError::TooMany);
        }
        let id = format!("{}-{:016x}", self.shared.server, fastrand::u64(..));
        let added = Arc::new(Match::new(id, client.to_owned(), request, key.map(str::to_owned)));
        if let Some(store) = self.shared.store() {
            store.add_match(&added.stored())?;
        }
        kept.forget();
        kept.matches.push(Arc::clone(&added));
        kept.waiting.push_back((Arc::clone(&added), config));
        drop(kept);
        self.shared.control.send_modify(|control| control.added += 1);
        Ok(added)
    }

    /// Returns a match of this server. Blocks.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn find(&self, id: &str) -> Result<Option<Arc<Match>>, StoreError> {
        let kept = self.shared.kept().matches.iter().find(|one| one.id == id).cloned();
        match (kept, &self.shared.arena) {
            (Some(found), _) => Ok(Some(found)),
            (None, None) => Ok(None),
            (None, Some(arena)) => self.shared.read(arena.reader().stored_match(id)?),
        }
    }

    /// Stops a match, unless it has ended. Its games stay. Blocks.
    ///
    /// # Errors
    /// The file cannot be written; the match is stopped until the server starts again.
    pub fn stop(&self, found: &Match) -> Result<(), StoreError> {
        found.set_state(MatchState::Stopped);
        self.shared.save(found)
    }

    /// Returns the finished games of a match in PGN. Blocks.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn pgn(&self, found: &Match) -> Result<String, StoreError> {
        let games = found.watch().borrow().games.clone();
        let mut text = String::new();
        for game in games {
            let pgn = match (game.text, &self.shared.arena) {
                (GameText::Pgn(pgn), _) => pgn,
                (GameText::InFile(id), Some(arena)) => {
                    arena.reader().game(id)?.map(|(_, pgn)| pgn).unwrap_or_default()
                }
                (GameText::InFile(_), None) => String::new(),
            };
            text.push_str(pgn.trim_end());
            text.push_str("\n\n");
        }
        Ok(text)
    }
}

impl Drop for Matches {
    fn drop(&mut self) {
        self.shared.control.send_modify(|control| control.is_stopping = true);
        // The thread ends with its sender.
        let _ = self.running.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(STOP_GRACE);
    }
}
