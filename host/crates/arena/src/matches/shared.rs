//! The matches in memory and in the file.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use config::Config;
use pool::{Activity, WorkerProgram};
use tokio::sync::watch;

use super::record::Match;
use crate::{
    arena::Arena,
    store::{GameFilter, Store, StoreError, StoreReader},
    stored_match::StoredMatch,
};

/// The matches that have ended and are in memory, and their games. Without a file, older ones are forgotten.
const MAX_ENDED: usize = 100;
const MAX_ENDED_GAMES: usize = 10_000;
/// The games that are read at once.
const GAMES_A_READ: usize = 1000;

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) arena: Option<Arc<Arena>>,
    pub(super) program: WorkerProgram,
    pub(super) activity: Activity,
    /// What the ids begin with.
    pub(super) server: String,
    pub(super) kept: Mutex<Kept>,
    pub(super) control: watch::Sender<Control>,
}

#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The oldest first.
    pub(super) matches: Vec<Arc<Match>>,
    /// Those that have not begun, with the configuration of their players.
    pub(super) waiting: VecDeque<(Arc<Match>, Arc<Config>)>,
}

/// What the thread has to heed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Control {
    pub(super) is_stopping: bool,
    pub(super) added: u64,
}

impl Shared {
    pub(super) fn kept(&self) -> MutexGuard<'_, Kept> {
        // No panic leaves it half changed.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn store(&self) -> Option<&Store> {
        self.arena.as_ref().map(|arena| &arena.shared.store)
    }

    pub(super) fn keyed(
        &self,
        kept: &Kept,
        client: &str,
        key: &str,
    ) -> Result<Option<Arc<Match>>, StoreError> {
        let is_it = |one: &&Arc<Match>| one.client == client && one.idempotency_key.as_deref() == Some(key);
        match (kept.matches.iter().find(is_it), &self.arena) {
            (Some(found), _) => Ok(Some(Arc::clone(found))),
            (None, None) => Ok(None),
            (None, Some(arena)) => self.read(arena.reader().keyed_match(client, key)?),
        }
    }

    pub(super) fn read(&self, stored: Option<StoredMatch>) -> Result<Option<Arc<Match>>, StoreError> {
        let (Some(arena), Some(stored)) = (&self.arena, stored) else { return Ok(None) };
        Ok(read(arena.reader(), stored)?.map(Arc::new))
    }

    /// Writes the state of a match to the file.
    pub(super) fn save(&self, found: &Match) -> Result<(), StoreError> {
        self.store().map_or(Ok(()), |store| store.update_match(&found.progress()))
    }
}

impl Kept {
    /// Forgets the oldest matches that have ended, if there are too many.
    pub(super) fn forget(&mut self) {
        let (mut matches, mut games) = (0, 0);
        let mut kept = Vec::new();
        for one in self.matches.drain(..).rev() {
            if one.is_ended() {
                matches += 1;
                games += one.watch().borrow().games.len();
                if matches > MAX_ENDED || games > MAX_ENDED_GAMES {
                    continue;
                }
            }
            kept.push(one);
        }
        kept.reverse();
        self.matches = kept;
    }
}

/// Reads the games of a match.
pub(super) fn read(file: &StoreReader, stored: StoredMatch) -> Result<Option<Match>, StoreError> {
    let mut filter = GameFilter { match_id: Some(stored.progress.id.clone()), ..GameFilter::default() };
    let mut games = Vec::new();
    loop {
        let page = file.games(&filter, GAMES_A_READ)?;
        games.extend(page.games);
        match page.next {
            None => break,
            next => filter.before = next,
        }
    }
    games.reverse();
    Ok(Match::read(stored, games))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::{
        record::MatchState,
        request::{MatchLimit, MatchRequest, Pace},
    };

    #[test]
    fn forgets_the_oldest_matches_that_have_ended() {
        let add = |id: usize| {
            let request = MatchRequest {
                players: ["one", "two"].map(str::to_owned),
                games: 2,
                pace: Pace::Limit(MatchLimit::default()),
                maxima: MatchLimit::default(),
                openings: Vec::new(),
            };
            Arc::new(Match::new(id.to_string(), "client".to_owned(), request, None))
        };
        let mut kept = Kept { matches: (0..MAX_ENDED + 3).map(add).collect(), ..Kept::default() };
        kept.matches[1..].iter().for_each(|ended| ended.set_state(MatchState::Stopped));
        kept.forget();
        let ids: Vec<_> = kept.matches.iter().map(|one| one.id.parse::<usize>().unwrap()).collect();
        assert_eq!(ids, [&[0][..], &(3..MAX_ENDED + 3).collect::<Vec<_>>()].concat());
    }
}
