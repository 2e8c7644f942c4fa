//! Matches that clients ask for: the server plays them one after the other, in workers of their own.

mod record;
mod request;
mod runner;
mod shared;

use std::sync::{Arc, Mutex};

use config::Config;
use pool::{Activity, WorkerProgram};
use tokio::sync::Notify;

use crate::{
    arena::{Arena, ArenaError},
    store::StoreError,
    threads::Threads,
};

pub use record::{Match, MatchGame, MatchState, MatchStatus};
pub use request::{MatchOpening, MatchRequest, Pace};
use shared::{Shared, forget, read};

/// The matches that may wait.
const MAX_WAITING: usize = 100;

/// The matches of a server. With an arena's file they survive its restart. Dropping this stops the games.
#[derive(Debug)]
pub struct Matches {
    /// Dropped first, so that the file is closed when the matches are dropped.
    _thread: Threads,
    shared: Arc<Shared>,
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
        let mut kept = Vec::new();
        let server = match &arena {
            None => format!("{:08x}", fastrand::u32(..)),
            Some(arena) => {
                let config = Arc::new(config.clone());
                for stored in arena.reader().unfinished_matches()? {
                    let id = stored.progress.id.clone();
                    let Some(found) = read(arena.reader(), stored)?.map(Arc::new) else {
                        tracing::warn!(id, "a match of another version of the server does not go on");
                        continue;
                    };
                    if found.watch().borrow().state == MatchState::Running {
                        found.set_state(MatchState::Paused);
                    }
                    kept.push((found, Arc::clone(&config)));
                }
                arena.reader().server()?
            }
        };
        let (kept, added) = (Mutex::new(kept), Notify::new());
        let shared = Arc::new(Shared { arena, program, activity, server, kept, added });
        let (thread, of_thread) = (Threads::new(), Arc::clone(&shared));
        let play = async move |runtime| runner::play_matches(&of_thread, runtime).await;
        thread.start("matches".to_owned(), play)?;
        Ok(Self { _thread: thread, shared })
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
        if let Some(key) = key {
            let is_it = |one: &Match| one.client == client && one.idempotency_key.as_deref() == Some(key);
            let earlier = match kept.iter().find(|(one, _)| is_it(one)) {
                Some((earlier, _)) => Some(Arc::clone(earlier)),
                None => self.shared.read(|file| file.keyed_match(client, key))?,
            };
            match earlier {
                Some(earlier) if earlier.request == request => return Ok(earlier),
                Some(earlier) => return Err(AddMatchError::OtherRequest(earlier.id.clone())),
                None => {}
            }
        }
        if let Some((running, _)) = kept.iter().find(|(one, _)| one.client == client && !one.is_ended()) {
            return Err(AddMatchError::Running(running.id.clone()));
        }
        if kept.iter().filter(|(one, _)| one.is_waiting()).count() >= MAX_WAITING {
            return Err(AddMatchError::TooMany);
        }
        let id = format!("{}-{:016x}", self.shared.server, fastrand::u64(..));
        let added = Arc::new(Match::new(id, client.to_owned(), request, key.map(str::to_owned)));
        if let Some(store) = self.shared.store() {
            store.add_match(&added.stored())?;
        }
        forget(&mut kept);
        kept.push((Arc::clone(&added), config));
        self.shared.added.notify_one();
        Ok(added)
    }

    /// Returns a match of this server. Blocks.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn find(&self, id: &str) -> Result<Option<Arc<Match>>, StoreError> {
        let kept = self.shared.kept().iter().find(|(one, _)| one.id == id).cloned();
        kept.map_or_else(|| self.shared.read(|file| file.stored_match(id)), |(found, _)| Ok(Some(found)))
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
        match self.shared.store() {
            Some(store) => store.reader().match_pgn(&found.id),
            None => Ok(found.watch().borrow().games.iter().map(|game| game.pgn.as_str()).collect()),
        }
    }
}
