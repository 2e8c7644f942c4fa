//! The matches in memory and in the file.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use config::Config;
use pool::{Activity, WorkerProgram};
use tokio::sync::Notify;

use super::record::Match;
use crate::{
    arena::Arena,
    store::{Store, StoreError, StoreReader},
    stored_match::StoredMatch,
};

/// The matches that have ended and are in memory, and their games. Without a file, older ones are forgotten.
const MAX_ENDED: usize = 100;
const MAX_ENDED_GAMES: usize = 10_000;

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) arena: Option<Arc<Arena>>,
    pub(super) program: WorkerProgram,
    pub(super) activity: Activity,
    /// What the ids begin with.
    pub(super) server: String,
    /// The oldest first.
    pub(super) kept: Mutex<Vec<Kept>>,
    pub(super) added: Notify,
}

/// A match with the configuration of its players.
pub(super) type Kept = (Arc<Match>, Arc<Config>);

impl Shared {
    pub(super) fn kept(&self) -> MutexGuard<'_, Vec<Kept>> {
        // No panic leaves it half changed.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn store(&self) -> Option<&Store> {
        self.arena.as_ref().map(|arena| &arena.shared.store)
    }

    /// Reads a match from the file, if there is one.
    pub(super) fn read(
        &self,
        find: impl FnOnce(&StoreReader) -> Result<Option<StoredMatch>, StoreError>,
    ) -> Result<Option<Arc<Match>>, StoreError> {
        let Some(file) = self.store().map(Store::reader) else { return Ok(None) };
        let Some(stored) = find(file)? else { return Ok(None) };
        Ok(read(file, stored)?.map(Arc::new))
    }

    /// Writes the state of a match to the file.
    pub(super) fn save(&self, found: &Match) -> Result<(), StoreError> {
        self.store().map_or(Ok(()), |store| store.update_match(&found.progress()))
    }
}

/// Forgets the oldest matches that have ended, if there are too many.
pub(super) fn forget(kept: &mut Vec<Kept>) {
    let (mut matches, mut games) = (0, 0);
    kept.reverse();
    kept.retain(|(one, _)| {
        let is_ended = one.is_ended();
        if is_ended {
            matches += 1;
            games += one.watch().borrow().games.len();
        }
        !is_ended || matches <= MAX_ENDED && games <= MAX_ENDED_GAMES
    });
    kept.reverse();
}

/// Returns a match with its games; none if its JSON is unknown.
pub(super) fn read(file: &StoreReader, stored: StoredMatch) -> Result<Option<Match>, StoreError> {
    let games = file.match_results(&stored.progress.id)?;
    Ok(Match::read(stored, games))
}

#[cfg(test)]
mod tests {
    use game::Limit;

    use super::*;
    use crate::matches::{
        record::MatchState,
        request::{MatchRequest, Pace},
    };

    #[test]
    fn forgets_the_oldest_matches_that_have_ended() {
        let config = Arc::new(config::without_file(Vec::new(), &config::Overrides::default()).unwrap());
        let add = |id: usize| {
            let request = MatchRequest {
                players: ["one", "two"].map(str::to_owned),
                games: 2,
                pace: Pace::Limit(Limit::default()),
                maxima: Limit::default(),
                openings: Vec::new(),
            };
            let added = Arc::new(Match::new(id.to_string(), "client".to_owned(), request, None));
            (added, Arc::clone(&config))
        };
        let mut kept: Vec<_> = (0..MAX_ENDED + 3).map(add).collect();
        kept[1..].iter().for_each(|(ended, _)| ended.set_state(MatchState::Stopped));
        forget(&mut kept);
        let ids: Vec<_> = kept.iter().map(|(one, _)| one.id.parse::<usize>().unwrap()).collect();
        assert_eq!(ids, [&[0][..], &(3..MAX_ENDED + 3).collect::<Vec<_>>()].concat());
    }
}
