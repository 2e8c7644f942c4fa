//! Which matches are kept: old ones go, so that no client fills the memory or the disk.

use std::{cmp::Reverse, collections::BTreeMap};

/// The matches that are kept.
const MAX_MATCHES: usize = 1000;
/// Those of one client.
const MAX_OF_CLIENT: usize = 100;
/// A client has at most this part of the room for all.
const PART_OF_CLIENT: u64 = 4;
/// What a match or a game takes beside its texts.
pub(crate) const OVERHEAD_BYTES: u64 = 1 << 10;

/// A match that is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeptMatch<'a> {
    pub(crate) client: &'a str,
    /// With [`OVERHEAD_BYTES`].
    pub(crate) bytes: u64,
    pub(crate) is_ended: bool,
}

/// What the matches of some clients take together.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    matches: usize,
    bytes: u64,
}

impl Usage {
    const fn add(&mut self, kept: &KeptMatch<'_>) {
        self.matches += 1;
        self.bytes += kept.bytes;
    }

    const fn exceeds(self, matches: usize, bytes: u64) -> bool {
        self.matches > matches || self.bytes > bytes
    }

    const fn remove(&mut self, kept: &KeptMatch<'_>) {
        self.matches -= 1;
        self.bytes -= kept.bytes;
    }
}

/// Returns whether a client has a key; the name of another one ends with the hash of its address, after a space.
pub(crate) fn has_key(client: &str) -> bool {
    !client.contains(' ')
}

/// Returns the indices of the matches that have to go after one of `client` was added or has grown, if all have this room. `kept` has
/// the oldest first. None if those that have ended are not enough.
///
/// A client first loses its own oldest ones; then those that [`first_to_go`] names go.
pub(crate) fn surplus(kept: &[KeptMatch<'_>], client: &str, room_bytes: u64) -> Option<Vec<usize>> {
    let mut left: Vec<_> = kept.iter().copied().enumerate().collect();
    let (mut own, mut all) = (Usage::default(), Usage::default());
    for one in kept {
        all.add(one);
        if one.client == client {
            own.add(one);
        }
    }
    let mut gone = Vec::new();
    loop {
        let place = if own.exceeds(MAX_OF_CLIENT, room_bytes / PART_OF_CLIENT) {
            left.iter().position(|(_, one)| one.client == client && one.is_ended)?
        } else if all.exceeds(MAX_MATCHES, room_bytes) {
            first_to_go(&left.iter().map(|(_, one)| *one).collect::<Vec<_>>())?
        } else {
            return Some(gone);
        };
        let (index, one) = left.remove(place);
        all.remove(&one);
        if one.client == client {
            own.remove(&one);
        }
        gone.push(index);
    }
}

/// Returns the index of the match that goes first: the oldest one that has ended of the client that has the most, one without a key if
/// possible.
pub(crate) fn first_to_go(kept: &[KeptMatch<'_>]) -> Option<usize> {
    let mut by_client = BTreeMap::<_, Usage>::new();
    for one in kept {
        by_client.entry(one.client).or_default().add(one);
    }
    let ended = kept.iter().enumerate().filter(|(_, one)| one.is_ended);
    let order = |(index, one): &(usize, &KeptMatch<'_>)| {
        let Usage { matches, bytes } = by_client[one.client];
        (!has_key(one.client), bytes, matches, Reverse(*index))
    };
    ended.max_by_key(order).map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: u64 = 64_000;

    fn kept(client: &str, bytes: u64) -> KeptMatch<'_> {
        KeptMatch { client, bytes, is_ended: true }
    }

    fn open(client: &str, bytes: u64) -> KeptMatch<'_> {
        KeptMatch { is_ended: false, ..kept(client, bytes) }
    }

    #[test]
    fn a_client_loses_its_own_oldest_matches_first() {
        let many: Vec<_> = [kept("b", 1)].into_iter().chain([kept("a", 1); MAX_OF_CLIENT + 2]).collect();
        assert_eq!(surplus(&many, "a", ROOM), Some(vec![1, 2]));
        let large = [kept("b", 9000), kept("a", 9000), kept("a", 9000), open("a", 6000)];
        assert_eq!(surplus(&large, "a", ROOM), Some(vec![1]));
        assert_eq!(surplus(&large, "b", ROOM), Some(Vec::new()));
        assert_eq!(surplus(&[open("a", 16_001)], "a", ROOM), None, "a match that runs does not go");
    }

    #[test]
    fn clients_without_keys_lose_theirs_before_others() {
        let mut all = vec![kept("keyed", 16_000); 3];
        all.extend([kept("x 1", 500), kept("x 2", 500), kept("x 2", 500), kept("x 3", 14_900)]);
        all.push(open("new", 600));
        assert_eq!(surplus(&all, "new", ROOM), Some(vec![6]), "the client with the most of them");
        assert_eq!(surplus(&all[..3], "x 1", ROOM), Some(Vec::new()));
        all.truncate(6);
        all.push(open("new", 16_000));
        assert_eq!(surplus(&all, "new", ROOM), Some(vec![4, 3, 5]));
    }

    #[test]
    fn many_addresses_take_no_more_than_the_room() {
        let names: Vec<_> = (0..2 * MAX_MATCHES).map(|number| format!("x {number}")).collect();
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
