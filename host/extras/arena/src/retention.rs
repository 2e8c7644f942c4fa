//! Chooses which matches to keep. Old ones are dropped so that no client fills the memory or disk.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, VecDeque},
};

/// The maximum number of matches.
const MAX_MATCHES: usize = 1000;
/// The maximum number of matches per client.
const MAX_OF_CLIENT: usize = 100;
/// Each client gets at most the total room divided by this number.
const PART_OF_CLIENT: u64 = 4;
/// The size of a match or game in addition to its text.
pub(crate) const OVERHEAD_BYTES: u64 = 1 << 10;

/// A match that is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptMatch<'a> {
    pub(crate) client: &'a str,
    /// Includes [`OVERHEAD_BYTES`].
    pub(crate) bytes: u64,
    pub(crate) is_ended: bool,
}

/// The number and the total size of some matches.
#[derive(Clone, Copy, Debug, Default)]
struct StoreUsage {
    matches: usize,
    bytes: u64,
}

/// The matches of a client.
#[derive(Debug, Default)]
struct Holding {
    usage: StoreUsage,
    /// The indices of the finished matches, oldest first.
    ended: VecDeque<usize>,
}

/// The matches of each client.
#[derive(Debug, Default)]
struct Holdings<'a> {
    all: StoreUsage,
    by_client: BTreeMap<&'a str, Holding>,
}

impl StoreUsage {
    const fn exceeds(self, matches: usize, bytes: u64) -> bool {
        self.matches > matches || self.bytes > bytes
    }

    const fn add(&mut self, bytes: u64) {
        self.matches += 1;
        self.bytes += bytes;
    }

    const fn remove(&mut self, bytes: u64) {
        self.matches -= 1;
        self.bytes -= bytes;
    }
}

impl<'a> Holdings<'a> {
    fn of(kept: &[KeptMatch<'a>]) -> Self {
        let mut holdings = Self::default();
        for (index, one) in kept.iter().enumerate() {
            holdings.all.add(one.bytes);
            let holding = holdings.by_client.entry(one.client).or_default();
            holding.usage.add(one.bytes);
            holding.ended.extend(one.is_ended.then_some(index));
        }
        holdings
    }

    fn of_client(&self, client: &str) -> StoreUsage {
        self.by_client
            .get(client)
            .map_or(StoreUsage::default(), |holding| holding.usage)
    }

    /// Returns the client whose match is deleted next: the one that takes up the most room among
    /// clients without keys, or else among all clients.
    fn first_loser(&self) -> Option<&'a str> {
        let losers = self.by_client.iter().filter_map(|(name, holding)| {
            let StoreUsage { matches, bytes } = holding.usage;
            let oldest = holding.ended.front()?;
            Some(((!has_key(name), bytes, matches, Reverse(*oldest)), *name))
        });
        losers.max_by_key(|(order, _)| *order).map(|(_, name)| name)
    }

    /// Takes a client's oldest finished match.
    fn take_oldest(&mut self, client: &str, kept: &[KeptMatch<'_>]) -> Option<usize> {
        let holding = self.by_client.get_mut(client)?;
        let index = holding.ended.pop_front()?;
        holding.usage.remove(kept[index].bytes);
        self.all.remove(kept[index].bytes);
        Some(index)
    }
}

/// Returns whether a client has a key. Without a key, its name ends with a space and the hash of
/// its address.
pub(crate) fn has_key(client: &str) -> bool {
    !client.contains(' ')
}

/// Returns the indices of the matches to drop after one of `client`'s matches has been added or has
/// grown, so that all fit into this room. `kept` is sorted, oldest first. Returns `None` if
/// dropping every finished match is not enough.
///
/// A client first loses its own oldest matches. After that, [`first_to_go`] chooses.
pub(crate) fn surplus(kept: &[KeptMatch<'_>], client: &str, room_bytes: u64) -> Option<Vec<usize>> {
    let (mut holdings, mut gone) = (Holdings::of(kept), Vec::new());
    loop {
        let loser = if holdings
            .of_client(client)
            .exceeds(MAX_OF_CLIENT, room_bytes / PART_OF_CLIENT)
        {
            client
        } else if holdings.all.exceeds(MAX_MATCHES, room_bytes) {
            holdings.first_loser()?
        } else {
            return Some(gone);
        };
        gone.push(holdings.take_oldest(loser, kept)?);
    }
}

/// Returns the index of the match to drop first: the oldest finished match of the client that takes
/// up the most room. Clients without keys come first.
pub(crate) fn first_to_go(kept: &[KeptMatch<'_>]) -> Option<usize> {
    let mut holdings = Holdings::of(kept);
    holdings.take_oldest(holdings.first_loser()?, kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: u64 = 64_000;

    fn kept(client: &str, bytes: u64) -> KeptMatch<'_> {
        KeptMatch {
            client,
            bytes,
            is_ended: true,
        }
    }

    fn open(client: &str, bytes: u64) -> KeptMatch<'_> {
        KeptMatch {
            is_ended: false,
            ..kept(client, bytes)
        }
    }

    #[test]
    fn a_client_loses_its_own_oldest_matches_first() {
        let many: Vec<_> = [kept("b", 1)]
            .into_iter()
            .chain([kept("a", 1); MAX_OF_CLIENT + 2])
            .collect();
        assert_eq!(surplus(&many, "a", ROOM), Some(vec![1, 2]));
        let large = [
            kept("b", 9000),
            kept("a", 9000),
            kept("a", 9000),
            open("a", 6000),
        ];
        assert_eq!(surplus(&large, "a", ROOM), Some(vec![1]));
        assert_eq!(surplus(&large, "b", ROOM), Some(Vec::new()));
        assert_eq!(
            surplus(&[open("a", 16_001)], "a", ROOM),
            None,
            "a running match is kept"
        );
    }

    #[test]
    fn clients_without_keys_lose_matches_before_others() {
        let mut all = vec![kept("keyed", 16_000); 3];
        all.extend([
            kept("x 1", 500),
            kept("x 2", 500),
            kept("x 2", 500),
            kept("x 3", 14_900),
        ]);
        all.push(open("new", 600));
        assert_eq!(
            surplus(&all, "new", ROOM),
            Some(vec![6]),
            "the client that takes the most room"
        );
        assert_eq!(surplus(&all[..3], "x 1", ROOM), Some(Vec::new()));
        all.truncate(6);
        all.push(open("new", 16_000));
        assert_eq!(surplus(&all, "new", ROOM), Some(vec![4, 3, 5]));
    }

    #[test]
    fn clears_a_flooded_file() {
        let names: Vec<_> = (0..9000)
            .map(|number| format!("x {}", number % 500))
            .collect();
        let all: Vec<_> = names.iter().map(|name| kept(name, 139_000)).collect();
        assert_eq!(
            surplus(&all, "new", 139_000_000).map(|gone| gone.len()),
            Some(8000)
        );
    }

    #[test]
    fn many_addresses_together_stay_within_the_room() {
        let names: Vec<_> = (0..2 * MAX_MATCHES)
            .map(|number| format!("x {number}"))
            .collect();
        let mut all: Vec<KeptMatch<'_>> = vec![kept("keyed", 1000)];
        for name in &names {
            all.push(kept(name, 100));
            let gone = surplus(&all, name, ROOM).unwrap();
            let mut index = 0;
            all.retain(|_| (!gone.contains(&index), index += 1).0);
            assert!(all.len() <= MAX_MATCHES && all[0].client == "keyed");
            assert!(all.iter().map(|one| one.bytes).sum::<u64>() <= ROOM);
        }
    }
}
