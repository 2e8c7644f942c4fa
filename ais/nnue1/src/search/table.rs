//! The transposition table, shared by the threads of a search.

use std::{
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
};

use ai_api::{AiError, Move, Position, Score};

use super::value::{LARGEST_EVALUATION, is_mate};
use crate::endgame::Known;

/// Returns the table key of a position. It includes the half-move clock, in steps of eight, once
/// the clock can matter.
#[inline]
pub(super) fn table_key(position: &Position) -> u64 {
    const FIRST: u8 = 40;
    let clock = position.halfmove_clock();
    if clock < FIRST {
        position.hash()
    } else {
        position.hash() ^ u64::from(clock / 8).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// How a stored value relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// Only the static evaluation is known, and perhaps a move.
    None,
    /// The true value is at most the stored one.
    Upper,
    /// The true value is at least the stored one.
    Lower,
    /// The stored value is the true one.
    Exact,
}

/// The result of searching a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) best_move: Option<Move>,
    /// For the side to move. Mates are counted from the root.
    pub(super) value: i32,
    /// The static evaluation, or `None` in check.
    pub(super) evaluation: Option<i32>,
    /// The plies searched below the position.
    pub(super) depth: i32,
    pub(super) bound: Bound,
    /// Whether the position was ever searched with an open window.
    pub(super) was_pv: bool,
}

impl Entry {
    /// Creates the entry of a tablebase result, which counts as a search some plies deeper than
    /// `depth`.
    pub(super) fn of_known(known: Known, depth: i32) -> Self {
        const MORE_PLIES: i32 = 6;
        let bound = match known.bound {
            ai_api::Bound::Lower => Bound::Lower,
            ai_api::Bound::Upper => Bound::Upper,
            ai_api::Bound::Exact => Bound::Exact,
        };
        let (value, depth) = (known.value, depth + MORE_PLIES);
        Self {
            best_move: None,
            value,
            evaluation: None,
            depth,
            bound,
            was_pv: false,
        }
    }

    /// Returns whether the value, given its bound, ends a search in the window from `alpha` to
    /// `beta`.
    #[inline]
    pub(super) const fn cuts(&self, alpha: i32, beta: i32) -> bool {
        match self.bound {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value <= alpha,
        }
    }

    /// Returns the stored value if it says more than the static evaluation, and the evaluation
    /// otherwise.
    #[inline]
    pub(super) const fn refined(&self, evaluation: i32) -> i32 {
        let is_better = match self.bound {
            Bound::None => false,
            Bound::Exact => true,
            Bound::Lower => self.value > evaluation,
            Bound::Upper => self.value < evaluation,
        };
        if is_better && !is_mate(self.value) {
            self.value
        } else {
            evaluation
        }
    }
}

const NO_MOVE: Move = Move::from_bits(0);
const NO_EVALUATION: i16 = i16::MIN;
/// A stored mate in zero plies.
const STORED_MATE: i32 = 32_000;

const MOVE_MASK: u64 = 0x7fff;
const VALUE_SHIFT: u32 = 15;
const EVALUATION_SHIFT: u32 = 31;
const DEPTH_SHIFT: u32 = 47;
const LARGEST_DEPTH: u64 = 127;
const BOUND_SHIFT: u32 = 54;
const PV_SHIFT: u32 = 56;
const AGE_SHIFT: u32 = 57;
const LAST_AGE: u64 = 7;
/// The data holds the low bits of the epoch. The high bits replace eight bits of the key.
const EPOCH_SHIFT: u32 = 60;
const LOW_EPOCH_BITS: u32 = 4;
const KEY_EPOCH_SHIFT: u32 = 20;
const HIGH_EPOCH: u64 = 0xff;
const LAST_EPOCH: u64 = HIGH_EPOCH << LOW_EPOCH_BITS | 15;

/// Packs a value. Mates are then counted from the position at `ply` instead of from the root.
const fn pack_value(value: i32, ply: usize) -> i16 {
    if !is_mate(value) {
        return value as i16;
    }
    let plies = Score::MAX.value() - value.abs() - ply as i32;
    let plies = if plies < 0 { 0 } else { plies };
    ((STORED_MATE - plies) * value.signum()) as i16
}

const fn unpack_value(stored: i16, ply: usize) -> i32 {
    let stored = stored as i32;
    if stored.abs() <= LARGEST_EVALUATION {
        return stored;
    }
    let plies = STORED_MATE - stored.abs() + ply as i32;
    (Score::MAX.value() - plies) * stored.signum()
}

impl Entry {
    fn pack(&self, ply: usize, epoch: u64, age: u64) -> u64 {
        let evaluation = self.evaluation.map_or(NO_EVALUATION, |value| value as i16);
        u64::from(self.best_move.unwrap_or(NO_MOVE).to_bits())
            | u64::from(pack_value(self.value, ply) as u16) << VALUE_SHIFT
            | u64::from(evaluation as u16) << EVALUATION_SHIFT
            | (self.depth.clamp(0, LARGEST_DEPTH as i32) as u64) << DEPTH_SHIFT
            | (self.bound as u64) << BOUND_SHIFT
            | u64::from(self.was_pv) << PV_SHIFT
            | age << AGE_SHIFT
            // The shift drops the high bits.
            | epoch << EPOCH_SHIFT
    }

    fn unpack(data: u64, ply: usize) -> Self {
        let best_move = Move::from_bits((data & MOVE_MASK) as u16);
        let evaluation = (data >> EVALUATION_SHIFT) as i16;
        Self {
            best_move: (best_move != NO_MOVE).then_some(best_move),
            value: unpack_value((data >> VALUE_SHIFT) as i16, ply),
            evaluation: (evaluation != NO_EVALUATION).then_some(evaluation.into()),
            depth: depth_of(data),
            bound: match data >> BOUND_SHIFT & 3 {
                0 => Bound::None,
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            },
            was_pv: data >> PV_SHIFT & 1 != 0,
        }
    }
}

const fn depth_of(data: u64) -> i32 {
    (data >> DEPTH_SHIFT & LARGEST_DEPTH) as i32
}

const fn age_of(data: u64) -> u64 {
    data >> AGE_SHIFT & LAST_AGE
}

const fn epoch_of(key: u64, data: u64) -> u64 {
    (key >> KEY_EPOCH_SHIFT & HIGH_EPOCH) << LOW_EPOCH_BITS | data >> EPOCH_SHIFT
}

/// The data, and the exclusive or of key and data. Threads write without locks: a slot written by
/// two threads has no valid key (<https://www.chessprogramming.org/Shared_Hash_Table#Lock-less>).
#[derive(Debug, Default)]
struct Slot {
    key: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    #[inline]
    fn load(&self) -> (u64, u64) {
        let data = self.data.load(Ordering::Relaxed);
        (self.key.load(Ordering::Relaxed) ^ data, data)
    }

    #[inline]
    fn store(&self, key: u64, data: u64) {
        self.key.store(key ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }
}

/// The slots in a cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

/// A table of fixed size. Each game has its own epoch, so a new game begins with an empty table at
/// almost no cost. Each search of a game has its own age, which wraps around.
#[derive(Debug)]
pub(super) struct Table {
    buckets: Vec<Bucket>,
    /// Counted from 1. Zeroed memory has epoch 0. Entries from other epochs count as free.
    epoch: u64,
    age: u64,
}

impl Table {
    /// Creates a table of `mb` mebibytes.
    pub(super) fn new(mb: u32) -> Result<Self, AiError> {
        let too_big = || {
            AiError::new(format!(
                "hash_mb = {mb}: cannot allocate {mb} MB; expected a table within the memory limit \
                 of this process; lower hash_mb or raise the limit"
            ))
        };
        let bytes = usize::try_from(u64::from(mb) << 20).map_err(|_| too_big())?;
        let count = (bytes / size_of::<Bucket>()).max(1);
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).map_err(|_| too_big())?;
        buckets.resize_with(count, Bucket::default);
        Ok(Self {
            buckets: black_box(buckets),
            epoch: 1,
            age: 0,
        })
    }

    /// Starts a search that may use entries from earlier searches.
    pub(super) const fn begin(&mut self) {
        self.age = (self.age + 1) & LAST_AGE;
    }

    /// Starts with an empty table, which fills deterministically.
    pub(super) fn begin_empty(&mut self) {
        self.age = 0;
        self.epoch += 1;
        if self.epoch > LAST_EPOCH {
            for slot in self.buckets.iter_mut().flat_map(|bucket| &mut bucket.0) {
                *slot = Slot::default();
            }
            self.epoch = 1;
        }
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[Slot; 4] {
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize].0
    }

    #[inline]
    const fn is_current(&self, key: u64, data: u64) -> bool {
        epoch_of(key, data) == self.epoch
    }

    /// Returns the key with the high bits of the epoch.
    #[inline]
    const fn marked(&self, key: u64) -> u64 {
        key & !(HIGH_EPOCH << KEY_EPOCH_SHIFT) | self.epoch >> LOW_EPOCH_BITS << KEY_EPOCH_SHIFT
    }

    /// Returns the entry of `key`, as seen `ply` plies after the root.
    #[inline]
    pub(super) fn get(&self, key: u64, ply: usize) -> Option<Entry> {
        let marked = self.marked(key);
        self.bucket(key)
            .iter()
            .map(Slot::load)
            .find_map(|(known, data)| {
                (known == marked && self.is_current(known, data)).then(|| Entry::unpack(data, ply))
            })
    }

    /// Stores an entry. It replaces the entry of `key`, or takes a free slot, or replaces the
    /// oldest and shallowest entry.
    #[inline]
    pub(super) fn insert(&self, key: u64, ply: usize, mut entry: Entry) {
        const DEPTH_PER_AGE: i32 = 4;
        let bucket = self.bucket(key);
        let key = self.marked(key);
        let mut place = &bucket[0];
        let mut lowest = i32::MAX;
        for slot in bucket {
            let (known, data) = slot.load();
            let is_current = self.is_current(known, data);
            if is_current && known == key {
                let old = Entry::unpack(data, ply);
                let is_deeper = entry.depth + 3 + 2 * i32::from(entry.was_pv) < old.depth;
                if is_deeper && entry.bound != Bound::Exact && age_of(data) == self.age {
                    return;
                }
                entry.best_move = entry.best_move.or(old.best_move);
                place = slot;
                break;
            }
            let older = (self.age.wrapping_sub(age_of(data)) & LAST_AGE) as i32;
            let worth = if is_current {
                depth_of(data) - DEPTH_PER_AGE * older
            } else {
                i32::MIN
            };
            if worth < lowest {
                (place, lowest) = (slot, worth);
            }
        }
        place.store(key, entry.pack(ply, self.epoch, self.age));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(value: i32, depth: i32) -> Entry {
        Entry {
            best_move: None,
            value,
            evaluation: Some(-7),
            depth,
            bound: Bound::Exact,
            was_pv: true,
        }
    }

    fn table() -> Table {
        let mut table = Table::new(1).unwrap();
        table.begin_empty();
        table
    }

    #[test]
    fn returns_what_was_stored() {
        let table = table();
        let moves = [None, Some(Move::from_bits(0x7abc))];
        for (key, bound) in [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact]
            .into_iter()
            .enumerate()
        {
            for best_move in moves {
                for evaluation in [None, Some(LARGEST_EVALUATION), Some(-LARGEST_EVALUATION)] {
                    let stored = Entry {
                        best_move,
                        evaluation,
                        bound,
                        was_pv: key == 1,
                        ..entry(-123, 9)
                    };
                    let key = (key as u64 + 1) << 60 | u64::from(best_move.is_some()) << 3;
                    table.insert(key, 5, stored);
                    assert_eq!(table.get(key, 5), Some(stored));
                }
            }
        }
        assert_eq!(table.get(99, 0), None);
    }

    #[test]
    fn counts_mates_from_the_position() {
        let table = table();
        table.insert(1, 3, entry(Score::mate_in_plies(5).value(), 1));
        table.insert(2, 3, entry(Score::mated_in_plies(8).value(), 1));
        assert_eq!(
            table.get(1, 7).map(|entry| entry.value),
            Some(Score::mate_in_plies(9).value())
        );
        assert_eq!(
            table.get(2, 1).map(|entry| entry.value),
            Some(Score::mated_in_plies(6).value())
        );
    }

    #[test]
    fn keeps_entries_from_earlier_searches_unless_cleared() {
        let mut table = table();
        table.insert(1, 0, entry(1, 1));
        table.begin();
        assert!(table.get(1, 0).is_some());
        table.begin_empty();
        assert_eq!(table.get(1, 0), None);
        for _ in 0..2 * LAST_EPOCH {
            table.insert(1, 0, entry(1, 1));
            table.begin_empty();
            assert_eq!(table.get(1, 0), None);
        }
    }

    #[test]
    fn replaces_the_shallowest_entry_of_a_full_bucket() {
        let table = table();
        for (key, depth) in [(1, 5), (2, 2), (3, 4), (4, 3), (5, 1)] {
            table.insert(key, 0, entry(0, depth));
        }
        let kept: Vec<u64> = (1..=5).filter(|&key| table.get(key, 0).is_some()).collect();
        assert_eq!(kept, [1, 3, 4, 5]);
    }

    #[test]
    fn fills_deterministically_from_empty() {
        let key = |index: u64| index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let fill = |table: &mut Table| {
            table.begin_empty();
            for index in 0..100_000 {
                table.insert(key(index), 0, entry(1, (index & 7) as i32));
            }
            (0..100_000)
                .filter(|&index| table.get(key(index), 0).is_some())
                .collect::<Vec<u64>>()
        };
        let mut table = table();
        let first = fill(&mut table);
        assert!(first.len() < 70_000, "the table overflows");
        for games in [0, 1, 20, LAST_EPOCH - 30] {
            (0..games).for_each(|_| table.begin_empty());
            assert_eq!(fill(&mut table), first);
        }
    }

    #[test]
    fn reports_failed_allocations_with_advice() {
        let error = Table::new(u32::MAX).unwrap_err();
        assert!(error.message.contains("lower hash_mb"), "{error}");
    }
}
