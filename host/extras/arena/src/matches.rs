//! Matches that clients ask for. The server plays them in turns, in separate workers.

mod on_nodes;
mod queue;
mod record;
mod request;
mod rights;
mod runner;
mod setup;
mod shared;

use std::sync::{Arc, Mutex};

use config::Config;
use fleet_match::AcceptedNodes;
use game::Extra;
use pool::{Activity, WorkerProgram};
use tokio::sync::Notify;

use crate::{
    arena::{Arena, ArenaError},
    nodes::PlayingFleet,
    retention::has_key,
    store::{PATIENCE, StoreError, StoreFault, lock_within},
    threads::Threads,
};

use queue::{MAX_OPEN, MAX_OPEN_WITHOUT_KEY, MatchQueue};
pub use record::{Match, MatchGame, MatchState, MatchStatus};
pub use request::{MatchOpening, MatchRequest, Pace};
use rights::{has_ais, may_play, settings_of};
use shared::{MatchRunnerState, read};

/// The matches of a server. If the server has an arena, its file keeps them across restarts.
/// Dropping this stops the games.
#[derive(Debug)]
pub struct Matches {
    /// Dropped first, so that the file is closed when the matches are dropped.
    _thread: Threads,
    shared: Arc<MatchRunnerState>,
}

/// Why a match is not added.
#[derive(Debug, thiserror::Error)]
pub enum AddMatchError {
    /// Contains the id of the client's match.
    #[error(
        "this client's match '{0}' has not ended; wait until it ends, or stop it with DELETE \
         /v1/matches/{0}"
    )]
    Running(String),
    #[error(
        "the Idempotency-Key belongs to another request, which started the match '{0}'; send a \
         new key with a new request"
    )]
    OtherRequest(String),
    #[error("{MAX_OPEN} matches are waiting; try again later")]
    TooMany,
    #[error(
        "{MAX_OPEN_WITHOUT_KEY} matches of clients without keys are waiting; try again later, or \
         send a key"
    )]
    TooManyWithoutKey,
    #[error("other matches are being added; try again later")]
    Busy,
    #[error(
        "the server has no room for another match of this size; try again later, or ask for fewer \
         or shorter openings"
    )]
    NoRoom,
    #[error("{0}")]
    Store(StoreError),
}

impl From<StoreError> for AddMatchError {
    fn from(error: StoreError) -> Self {
        match error.fault {
            StoreFault::NoRoomForMatch(_) | StoreFault::MaxSize(_) => Self::NoRoom,
            _ => Self::Store(error),
        }
    }
}

impl Matches {
    /// Starts the thread that plays matches in workers of `program` with the players of `config`.
    /// It resumes unfinished matches from the arena's file. A match on this machine counts as
    /// activity. Nodes of `fleet` play the matches of some clients.
    ///
    /// # Errors
    /// The file cannot be read, or the thread cannot be started.
    pub fn start(
        config: &Config,
        arena: Option<Arc<Arena>>,
        program: WorkerProgram,
        activity: Activity,
        fleet: Option<PlayingFleet>,
    ) -> Result<Self, ArenaError> {
        let fleet = fleet.filter(|fleet| fleet.has(AcceptedNodes::Listed));
        let (mut queue, config) = (MatchQueue::default(), Arc::new(config.clone()));
        let server = match &arena {
            None => format!("{:08x}", fastrand::u32(..)),
            Some(arena) => {
                for stored in arena.reader().unfinished_matches()? {
                    let id = stored.progress.id.clone();
                    let Some(found) = read(arena.reader(), stored)?.map(Arc::new) else {
                        tracing::warn!(
                            id,
                            "cannot resume a match from another version of the server"
                        );
                        continue;
                    };
                    if found.watch().borrow().state == MatchState::Running {
                        found.set_state(MatchState::Paused);
                    }
                    found.update(|status| status.is_for_nodes &= fleet.is_some());
                    queue.add(&found, Arc::clone(&config));
                }
                arena.reader().server()?
            }
        };
        let shared = Arc::new(MatchRunnerState {
            arena,
            program,
            activity,
            server,
            queue: Mutex::new(queue),
            adding: Mutex::default(),
            added: Notify::new(),
            added_for_nodes: Notify::new(),
            fleet,
            config: Mutex::new(config),
        });
        let (thread, of_thread) = (Threads::new(), Arc::clone(&shared));
        let play = async move |runtime| runner::play_matches(&of_thread, runtime).await;
        thread.start("matches".to_owned(), play)?;
        if let Some(playing) = shared.fleet.clone() {
            let of_nodes = Arc::clone(&shared);
            let play_on = async move |_| on_nodes::play_matches(&of_nodes, &playing).await;
            thread.start("matches-nodes".to_owned(), play_on)?;
        }
        Ok(Self {
            _thread: thread,
            shared,
        })
    }

    /// Returns the prefix of the ids of this server's matches.
    pub fn server(&self) -> &str {
        &self.shared.server
    }

    /// Adds a match, or returns the match that the client added with this key earlier. Blocks.
    ///
    /// # Errors
    /// Another of the client's matches has not ended, the key belongs to a different request, too
    /// many matches are waiting, there is no room, or the file cannot be written.
    pub fn add(
        &self,
        client: &str,
        request: MatchRequest,
        key: Option<&str>,
        config: Arc<Config>,
    ) -> Result<Arc<Match>, AddMatchError> {
        let _adding = lock_within(&self.shared.adding, PATIENCE).ok_or(AddMatchError::Busy)?;
        if let Some(key) = key {
            let is_it = |one: &&Arc<Match>| {
                one.client == client && one.idempotency_key.as_deref() == Some(key)
            };
            let kept = self.shared.queue().iter().find(is_it).cloned();
            let earlier = match kept {
                Some(earlier) => self.shared.unless_removed(earlier)?,
                None => self.shared.read(|file| file.keyed_match(client, key))?,
            };
            match earlier {
                Some(earlier) if earlier.request == request => return Ok(earlier),
                Some(earlier) => return Err(AddMatchError::OtherRequest(earlier.id.clone())),
                None => {}
            }
        }
        self.ensure_place(client)?;
        let id = format!("{}-{:016x}", self.shared.server, fastrand::u64(..));
        let added = Arc::new(Match::new(
            id,
            client.to_owned(),
            request,
            key.map(str::to_owned),
        ));
        // During a reload, `config` can be older than this configuration.
        let newest = Arc::clone(&self.shared.config());
        let settings = settings_of(&newest, client);
        let is_for_nodes = settings.is_some_and(|settings| settings.fleet_matches);
        added.update(|status| status.is_for_nodes = is_for_nodes && self.shared.fleet.is_some());
        let was_allowed = may_play(&config, &added);
        added.update(|status| status.was_allowed = was_allowed);
        if let Some(store) = self.shared.store() {
            store.add_match(&added.stored())?;
        }
        if !self.shared.queue().add(&added, config) {
            self.stop(&added)?;
            return Err(AddMatchError::NoRoom);
        }
        self.shared.wake(&added);
        Ok(added)
    }

    /// # Errors
    /// Another of the client's matches has not ended, or too many matches are waiting.
    fn ensure_place(&self, client: &str) -> Result<(), AddMatchError> {
        let queue = self.shared.queue();
        if let Some(running) = queue.open().find(|one| one.client == client) {
            return Err(AddMatchError::Running(running.id.clone()));
        }
        if !has_key(client)
            && queue.open().filter(|one| !has_key(&one.client)).count() >= MAX_OPEN_WITHOUT_KEY
        {
            return Err(AddMatchError::TooManyWithoutKey);
        }
        if queue.open().count() >= MAX_OPEN {
            Err(AddMatchError::TooMany)
        } else {
            Ok(())
        }
    }

    /// Returns a match of this server. Blocks.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn find(&self, id: &str) -> Result<Option<Arc<Match>>, StoreError> {
        let kept = self.shared.queue().iter().find(|one| one.id == id).cloned();
        match kept {
            Some(found) => self.shared.unless_removed(found),
            None => self.shared.read(|file| file.stored_match(id)),
        }
    }

    /// Stops a match, unless it has ended. Its games are kept. Blocks.
    ///
    /// # Errors
    /// The file cannot be written. The match then stays stopped only until the server restarts.
    pub fn stop(&self, found: &Match) -> Result<(), StoreError> {
        found.set_state(MatchState::Stopped);
        self.shared.save_soon(found)
    }

    /// Returns the finished games of a match in PGN. Blocks.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn pgn(&self, found: &Match) -> Result<String, StoreError> {
        match self.shared.store() {
            Some(store) => store.reader().match_pgn(&found.id),
            None => Ok(found
                .watch()
                .borrow()
                .games
                .iter()
                .map(|game| game.pgn.as_str())
                .collect()),
        }
    }
}

impl Extra for Matches {
    fn feature(&self) -> &'static str {
        "matches"
    }

    /// Ends the matches that the configuration no longer allows.
    fn reconfigure(&self, config: &Config) -> Vec<String> {
        *self.shared.config() = Arc::new(config.clone());
        let mut ended: Vec<_> = self.shared.queue().open().cloned().collect();
        ended.retain(|found| {
            found.end_unless(may_play(config, found) && has_ais(config, &found.request))
        });
        // Each save may wait for locks, so the first failure skips the others. After a restart, a
        // match whose end was not saved ends again.
        let saved = ended
            .iter()
            .try_for_each(|found| self.shared.save_soon(found));
        if let Err(error) = saved {
            tracing::error!(%error, "cannot save the end of a match");
        }
        if ended.is_empty() {
            return Vec::new();
        }
        vec![format!(
            "matches ended because their clients may no longer play them: {}",
            ended.len()
        )]
    }
}
