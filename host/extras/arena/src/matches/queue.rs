//! The matches in memory. Decides which one is played next and which ones are dropped.

use std::sync::Arc;

use config::Config;

use super::record::Match;
use crate::retention::{has_key, surplus};

/// The maximum number of unfinished matches.
pub(super) const MAX_OPEN: usize = 100;
/// The maximum number of unfinished matches from clients without keys.
pub(super) const MAX_OPEN_WITHOUT_KEY: usize = MAX_OPEN / 2;
/// The maximum number of matches that nodes play at once.
const MAX_ON_NODES: usize = 8;
/// The memory that all matches together may use.
const ROOM_BYTES: u64 = 64 << 20;

/// A match with the configuration of its players.
#[derive(Clone, Debug)]
pub(super) struct QueuedMatch {
    pub(super) found: Arc<Match>,
    pub(super) config: Arc<Config>,
    /// The match with the smallest turn comes first.
    turn: u64,
}

/// The matches in memory.
#[derive(Debug, Default)]
pub(super) struct MatchQueue {
    /// Oldest first.
    kept: Vec<QueuedMatch>,
    last_turn: u64,
    /// Whether the last turn went to a client with a key.
    had_key: bool,
}

impl MatchQueue {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Match>> {
        self.kept.iter().map(|one| &one.found)
    }

    pub(super) fn open(&self) -> impl Iterator<Item = &Arc<Match>> {
        self.iter().filter(|found| !found.is_ended())
    }

    /// Adds a match behind all others. Drops old matches if not all of them fit.
    ///
    /// Returns false if there is no room for this match.
    pub(super) fn add(&mut self, found: &Arc<Match>, config: Arc<Config>) -> bool {
        let turn = self.next_turn();
        self.kept.push(QueuedMatch {
            found: Arc::clone(found),
            config,
            turn,
        });
        let has_room = self.forget(&found.client);
        if !has_room {
            self.kept.pop();
        }
        has_room
    }

    /// Drops old matches after one of `client`'s matches has been added or has grown. Returns false
    /// if there is no room for it.
    pub(super) fn forget(&mut self, client: &str) -> bool {
        let kept: Vec<_> = self.iter().map(|found| found.kept()).collect();
        let Some(mut gone) = surplus(&kept, client, ROOM_BYTES) else {
            return false;
        };
        // Removes from the end, so that the remaining indices stay valid.
        gone.sort_unstable();
        gone.into_iter()
            .rev()
            .for_each(|index| drop(self.kept.remove(index)));
        true
    }

    /// Returns the next match to play on this machine. Clients with keys and clients without keys
    /// alternate. Within each group, clients take turns.
    pub(super) fn next(&mut self) -> Option<QueuedMatch> {
        let is_open = |one: &&QueuedMatch| !one.found.is_ended() && !one.found.is_for_nodes();
        let open = || self.kept.iter().filter(is_open);
        let is_other = |one: &&QueuedMatch| has_key(&one.found.client) != self.had_key;
        let is_first = |one: &&QueuedMatch| one.turn;
        let next = open()
            .filter(is_other)
            .min_by_key(is_first)
            .or_else(|| open().min_by_key(is_first))?
            .clone();
        self.had_key = has_key(&next.found.client);
        let turn = self.next_turn();
        if let Some(one) = self
            .kept
            .iter_mut()
            .find(|one| one.found.id == next.found.id)
        {
            one.turn = turn;
        }
        Some(next)
    }

    /// Returns the oldest match for nodes that is not in `playing`. Clients with keys come first.
    /// At most half of [`MAX_ON_NODES`] belong to clients without keys.
    pub(super) fn next_for_nodes(&self, playing: &[Arc<Match>]) -> Option<QueuedMatch> {
        let without_key = playing.iter().filter(|found| !has_key(&found.client));
        let is_full = playing.len() >= MAX_ON_NODES;
        let is_full_without_key = without_key.count() >= MAX_ON_NODES / 2;
        let is_next = |one: &&QueuedMatch| {
            let found = &one.found;
            !found.is_ended()
                && found.is_for_nodes()
                && !playing.iter().any(|other| other.id == found.id)
                && (has_key(&found.client) || !is_full_without_key)
        };
        let next = self.kept.iter().filter(is_next);
        let next = next.min_by_key(|one| !has_key(&one.found.client));
        next.filter(|_| !is_full).cloned()
    }

    const fn next_turn(&mut self) -> u64 {
        self.last_turn += 1;
        self.last_turn
    }
}

#[cfg(test)]
mod tests {
    use game::Limit;

    use super::*;
    use crate::matches::{
        record::MatchState,
        request::{MatchRequest, Pace},
    };

    fn queue_of(clients: &[&str]) -> MatchQueue {
        let config = Arc::new(config::empty());
        let mut queue = MatchQueue::default();
        for (id, client) in clients.iter().enumerate() {
            let request = MatchRequest {
                players: ["one", "two"].map(str::to_owned),
                games: 2,
                pace: Pace::Limit(Limit::default()),
                maxima: Limit::default(),
                openings: Vec::new(),
            };
            let found = Match::new(id.to_string(), (*client).to_owned(), request, None);
            assert!(queue.add(&Arc::new(found), Arc::clone(&config)));
        }
        queue
    }

    fn ids(queue: &MatchQueue) -> Vec<usize> {
        queue
            .iter()
            .map(|found| found.id.parse().unwrap())
            .collect()
    }

    #[test]
    fn drops_the_oldest_finished_matches() {
        let mut queue = queue_of(&["a"; 99]);
        queue.kept[1..]
            .iter()
            .for_each(|one| one.found.set_state(MatchState::Stopped));
        for found in queue_of(&["a"; 3]).kept {
            assert!(queue.add(&found.found, found.config));
        }
        assert_eq!(
            ids(&queue),
            [&[0], &(3..99).collect::<Vec<_>>()[..], &[0, 1, 2]].concat()
        );
    }

    #[test]
    fn half_of_the_turns_go_to_clients_with_keys() {
        let mut queue = queue_of(&["x 1", "x 2", "x 3", "a", "b"]);
        let mut next = || queue.next().unwrap().found.client.clone();
        let turns: Vec<_> = (0..10).map(|_| next()).collect();
        assert_eq!(
            turns,
            ["a", "x 1", "b", "x 2", "a", "x 3", "b", "x 1", "a", "x 2"]
        );
        for one in &queue.kept[3..] {
            one.found.set_state(MatchState::Finished);
        }
        let mut next = || queue.next().unwrap().found.client.clone();
        assert_eq!(
            [next(), next(), next(), next()],
            ["x 3", "x 1", "x 2", "x 3"]
        );
        queue
            .kept
            .iter()
            .for_each(|one| one.found.set_state(MatchState::Finished));
        assert!(queue.next().is_none());
    }

    #[test]
    fn matches_for_nodes_take_no_turns() {
        let mut queue = queue_of(&["x 1", "a", "b"]);
        for one in &queue.kept[..2] {
            one.found.update(|status| status.is_for_nodes = true);
        }
        let mut next = || queue.next().unwrap().found.client.clone();
        assert_eq!([next(), next()], ["b", "b"]);
        let mut playing = Vec::new();
        while let Some(next) = queue.next_for_nodes(&playing) {
            playing.push(next.found);
        }
        let clients: Vec<_> = playing.iter().map(|found| &*found.client).collect();
        assert_eq!(clients, ["a", "x 1"]);
    }

    #[test]
    fn clients_without_keys_get_at_most_half_of_the_matches_on_nodes() {
        let clients = [["x 1"; 9], ["a"; 9]].concat();
        let queue = queue_of(&clients);
        let mut playing = Vec::new();
        for one in &queue.kept {
            one.found.update(|status| status.is_for_nodes = true);
        }
        while let Some(next) = queue.next_for_nodes(&playing) {
            playing.push(next.found);
        }
        assert_eq!(playing.len(), MAX_ON_NODES);
        queue.kept[9..]
            .iter()
            .for_each(|one| one.found.set_state(MatchState::Finished));
        playing.clear();
        while let Some(next) = queue.next_for_nodes(&playing) {
            playing.push(next.found);
        }
        assert_eq!(playing.len(), MAX_ON_NODES / 2);
    }

    #[test]
    fn a_new_match_comes_after_all_others() {
        let mut queue = queue_of(&["x 1", "x 2"]);
        assert_eq!(queue.next().unwrap().found.client, "x 1");
        let new = queue_of(&["x 9"]).kept.remove(0);
        assert!(queue.add(&new.found, new.config));
        let mut next = || queue.next().unwrap().found.client.clone();
        assert_eq!([next(), next(), next()], ["x 2", "x 1", "x 9"]);
    }
}
