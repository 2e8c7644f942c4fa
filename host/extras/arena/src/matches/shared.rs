//! The matches in memory and in the file.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use config::Config;
use pool::{Activity, WorkerProgram};
use tokio::sync::Notify;

use super::{
    queue::{MatchQueue, QueuedMatch},
    record::Match,
    rights::may_play,
};
use crate::{
    arena::Arena,
    nodes::PlayingFleet,
    store::{Store, StoreError, StoreReader},
    stored_match::StoredMatch,
};

#[derive(Debug)]
pub(super) struct MatchRunnerState {
    pub(super) arena: Option<Arc<Arena>>,
    pub(super) program: WorkerProgram,
    pub(super) activity: Activity,
    /// The prefix of match ids.
    pub(super) server: String,
    pub(super) queue: Mutex<MatchQueue>,
    /// Held while a match is added. Adding may wait for the file.
    pub(super) adding: Mutex<()>,
    /// Notified when a match for this machine is added.
    pub(super) added: Notify,
    /// Notified when a match for nodes is added.
    pub(super) added_for_nodes: Notify,
    /// The nodes that may play matches.
    pub(super) fleet: Option<PlayingFleet>,
    /// The current configuration.
    pub(super) config: Mutex<Arc<Config>>,
}

impl MatchRunnerState {
    /// Locks the matches in memory. Nothing blocks while it holds the lock.
    pub(super) fn queue(&self) -> MutexGuard<'_, MatchQueue> {
        // A panic cannot leave it half changed.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn store(&self) -> Option<&Store> {
        self.arena.as_ref().map(|arena| &arena.shared.store)
    }

    /// Reads a match from the file. Returns `None` if there is no file or no such match.
    pub(super) fn read(
        &self,
        find: impl FnOnce(&StoreReader) -> Result<Option<StoredMatch>, StoreError>,
    ) -> Result<Option<Arc<Match>>, StoreError> {
        let Some(file) = self.store().map(Store::reader) else {
            return Ok(None);
        };
        let Some(stored) = find(file)? else {
            return Ok(None);
        };
        Ok(read(file, stored)?.map(Arc::new))
    }

    /// Returns a match from memory, unless it has ended and was removed from the file.
    pub(super) fn unless_removed(
        &self,
        found: Arc<Match>,
    ) -> Result<Option<Arc<Match>>, StoreError> {
        match self.store().filter(|_| found.is_ended()) {
            Some(store) => Ok(store.reader().stored_match(&found.id)?.map(|_| found)),
            None => Ok(Some(found)),
        }
    }

    /// Writes the state of a match to the file.
    pub(super) fn save(&self, found: &Match) -> Result<(), StoreError> {
        self.store()
            .map_or(Ok(()), |store| store.update_match(&found.progress()))
    }

    /// Like [`Self::save`], but for a request, so it waits a shorter time for locks.
    pub(super) fn save_soon(&self, found: &Match) -> Result<(), StoreError> {
        self.store()
            .map_or(Ok(()), |store| store.update_match_soon(&found.progress()))
    }

    /// Returns the match whose turn it is.
    pub(super) fn next(&self) -> Option<QueuedMatch> {
        self.queue().next()
    }

    /// Returns whether another match waits for the turn of `running` to end.
    pub(super) fn has_waiting(&self, running: &Match) -> bool {
        self.queue()
            .open()
            .any(|found| found.id != running.id && !found.is_for_nodes())
    }

    /// Wakes the task that plays a new match, on this machine or on nodes.
    pub(super) fn wake(&self, added: &Match) {
        if added.is_for_nodes() {
            self.added_for_nodes.notify_one();
        } else {
            self.added.notify_one();
        }
    }

    pub(super) fn config(&self) -> MutexGuard<'_, Arc<Config>> {
        self.config.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a match if its client may no longer play it. Returns whether it ended.
    pub(super) fn end_if_not_allowed(&self, found: &Match) -> bool {
        let config = Arc::clone(&self.config());
        found.end_unless(may_play(&config, found))
    }
}

/// Returns a match with its games, or `None` if its JSON is unknown.
pub(super) fn read(file: &StoreReader, stored: StoredMatch) -> Result<Option<Match>, StoreError> {
    let games = file.match_results(&stored.progress.id)?;
    Ok(Match::read(stored, games))
}
