//! The transposition table.

use std::hint::black_box;

use ai_api::{AiError, Move, Score};

/// How a stored value relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The true value is at most the stored one.
    Upper,
    /// The true value is at least the stored one.
    Lower,
    /// The stored value is the true one.
    Exact,
}

/// The result of searching a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The best move, if one raised alpha.
    pub(crate) best_move: Option<Move>,
    /// The value for the side to move. Mates are counted from the position itself, not from the
    /// root.
    pub(crate) value: i32,
    /// The plies searched below the position.
    pub(crate) depth: u32,
    pub(crate) bound: Bound,
}

const MOVE_BITS: u32 = 16;
const VALUE_BITS: u32 = 21;
const DEPTH_BITS: u32 = 8;
const VALUE_SHIFT: u32 = MOVE_BITS;
const DEPTH_SHIFT: u32 = VALUE_SHIFT + VALUE_BITS;
const BOUND_SHIFT: u32 = DEPTH_SHIFT + DEPTH_BITS;
const AGE_SHIFT: u32 = 48;
const LAST_AGE: u16 = 7;
const EPOCH_SHIFT: u32 = 51;
const LAST_EPOCH: u16 = (1 << (64 - EPOCH_SHIFT)) - 1;
/// Added to a value so that it is stored without a sign.
const VALUE_OFFSET: i32 = 1 << (VALUE_BITS - 1);
const NO_MOVE: Move = Move::from_bits(0);

const _: () = assert!(Score::MAX.value() < VALUE_OFFSET && BOUND_SHIFT + 2 <= AGE_SHIFT);

impl Entry {
    const fn pack(self, epoch: u16, age: u16) -> u64 {
        let best_move = match self.best_move {
            Some(best_move) => best_move,
            None => NO_MOVE,
        };
        best_move.to_bits() as u64
            | ((self.value + VALUE_OFFSET) as u64) << VALUE_SHIFT
            | (self.depth as u64 & ((1 << DEPTH_BITS) - 1)) << DEPTH_SHIFT
            | (self.bound as u64) << BOUND_SHIFT
            | (age as u64) << AGE_SHIFT
            | (epoch as u64) << EPOCH_SHIFT
    }

    fn unpack(data: u64) -> Self {
        let best_move = Move::from_bits(data as u16);
        Self {
            best_move: (best_move != NO_MOVE).then_some(best_move),
            value: (data >> VALUE_SHIFT & ((1 << VALUE_BITS) - 1)) as i32 - VALUE_OFFSET,
            depth: depth_of(data),
            bound: match data >> BOUND_SHIFT & 3 {
                0 => Bound::Upper,
                1 => Bound::Lower,
                _ => Bound::Exact,
            },
        }
    }
}

const fn depth_of(data: u64) -> u32 {
    (data >> DEPTH_SHIFT) as u32 & ((1 << DEPTH_BITS) - 1)
}

const fn age_of(data: u64) -> u16 {
    (data >> AGE_SHIFT) as u16 & LAST_AGE
}

const fn epoch_of(data: u64) -> u16 {
    (data >> EPOCH_SHIFT) as u16
}

/// A key and the packed entry with its generation.
type Slot = [u64; 2];
const KEY: usize = 0;
const DATA: usize = 1;
const SLOTS_PER_BUCKET: usize = 4;
const BYTES_PER_BUCKET: usize = SLOTS_PER_BUCKET * size_of::<Slot>();

/// A table of fixed size. Each game has its own epoch, and entries from other epochs count as free.
/// So every new game begins with an empty table, which costs no time and keeps results repeatable.
/// Each search of a game has its own age, which wraps around.
#[derive(Debug)]
pub(crate) struct Table {
    slots: Vec<Slot>,
    /// The first slot that begins a cache line.
    start: usize,
    buckets: usize,
    /// Counts from 1, because zeroed memory has epoch 0.
    epoch: u16,
    age: u16,
}

impl Table {
    /// Creates a table of `mb` mebibytes. The system allocates the memory on first use.
    pub(crate) fn new(mb: u32) -> Result<Self, AiError> {
        let too_big = || {
            AiError::new(format!(
                "hash_mb = {mb}: cannot allocate {mb} MB; expected a table within the memory limit \
                 of this process; lower hash_mb or raise the limit"
            ))
        };
        let bytes = usize::try_from(u64::from(mb) << 20).map_err(|_| too_big())?;
        let buckets = (bytes / BYTES_PER_BUCKET).max(1);
        let len = (buckets + 1) * SLOTS_PER_BUCKET;
        // `vec!` allocates zeroed memory without touching it, but aborts on failure: probe first.
        let mut probe = Vec::<Slot>::new();
        probe.try_reserve_exact(len).map_err(|_| too_big())?;
        drop(black_box(probe));
        let slots = vec![[0; 2]; len];
        let start = match slots.as_ptr().align_offset(BYTES_PER_BUCKET) {
            start @ 0..SLOTS_PER_BUCKET => start,
            _ => 0,
        };
        Ok(Self {
            slots,
            start,
            buckets,
            epoch: 1,
            age: 0,
        })
    }

    /// Empties the table.
    pub(crate) fn clear(&mut self) {
        self.age = 0;
        self.epoch += 1;
        if self.epoch > LAST_EPOCH {
            self.slots.fill([0; 2]);
            self.epoch = 1;
        }
    }

    /// Starts a search.
    pub(crate) const fn begin(&mut self) {
        self.age = (self.age + 1) & LAST_AGE;
    }

    const fn first_slot(&self, key: u64) -> usize {
        let bucket = (key as u128 * self.buckets as u128) >> 64;
        self.start + bucket as usize * SLOTS_PER_BUCKET
    }

    /// Returns the entry of `key`.
    #[inline]
    pub(crate) fn get(&self, key: u64) -> Option<Entry> {
        let first = self.first_slot(key);
        self.slots[first..first + SLOTS_PER_BUCKET]
            .iter()
            .find(|slot| slot[KEY] == key && epoch_of(slot[DATA]) == self.epoch)
            .map(|slot| Entry::unpack(slot[DATA]))
    }

    /// Stores an entry. It replaces the entry of `key` if there is one, otherwise it takes a free
    /// slot, otherwise it replaces the oldest and shallowest entry.
    #[inline]
    pub(crate) fn insert(&mut self, key: u64, mut entry: Entry) {
        const DEPTH_PER_AGE: u32 = 4;
        let &mut Self { epoch, age, .. } = self;
        let first = self.first_slot(key);
        let bucket = &mut self.slots[first..first + SLOTS_PER_BUCKET];
        let mut place = 0;
        let mut lowest = i32::MAX;
        for (index, slot) in bucket.iter().enumerate() {
            let known = epoch_of(slot[DATA]) == epoch;
            if known && slot[KEY] == key {
                entry.best_move = entry.best_move.or(Entry::unpack(slot[DATA]).best_move);
                place = index;
                break;
            }
            let older = u32::from(age.wrapping_sub(age_of(slot[DATA])) & LAST_AGE);
            let worth = if known {
                depth_of(slot[DATA]).cast_signed() - (DEPTH_PER_AGE * older).cast_signed()
            } else {
                i32::MIN
            };
            if worth < lowest {
                (place, lowest) = (index, worth);
            }
        }
        bucket[place] = [key, entry.pack(epoch, age)];
    }
}

#[cfg(test)]
mod tests {
    use ai_api::Square;

    use super::*;

    fn entry(value: i32, depth: u32) -> Entry {
        Entry {
            best_move: None,
            value,
            depth,
            bound: Bound::Exact,
        }
    }

    fn table() -> Table {
        let mut table = Table::new(1).unwrap();
        table.clear();
        table
    }

    #[test]
    fn keeps_every_part_of_an_entry() {
        let mut table = table();
        let last = Move::new(Square::from_index(63), Square::from_index(62));
        for value in [Score::MIN.value(), -1, 0, 1, Score::MAX.value()] {
            for depth in [0, 1, 128, 255] {
                for bound in [Bound::Upper, Bound::Lower, Bound::Exact] {
                    let entry = Entry {
                        best_move: Some(last),
                        value,
                        depth,
                        bound,
                    };
                    table.insert(7, entry);
                    assert_eq!(table.get(7), Some(entry));
                }
            }
        }
        assert_eq!(table.get(8), None);
    }

    #[test]
    fn keeps_the_move_if_a_later_search_has_none() {
        let mut table = table();
        let known = Move::new(Square::from_index(12), Square::from_index(28));
        table.insert(
            7,
            Entry {
                best_move: Some(known),
                ..entry(3, 1)
            },
        );
        table.insert(7, entry(5, 2));
        assert_eq!(
            table.get(7),
            Some(Entry {
                best_move: Some(known),
                ..entry(5, 2)
            })
        );
    }

    #[test]
    fn replaces_the_shallowest_entry_of_a_full_bucket() {
        let mut table = table();
        for (key, depth) in [(1, 5), (2, 2), (3, 4), (4, 3), (5, 1)] {
            table.insert(key, entry(0, depth));
        }
        let kept: Vec<u64> = (1..=5).filter(|&key| table.get(key).is_some()).collect();
        assert_eq!(kept, [1, 3, 4, 5]);
    }

    #[test]
    fn is_empty_after_clear_when_generations_wrap() {
        let mut table = table();
        table.insert(7, entry(1, 1));
        for _ in 0..2 * u32::from(u16::MAX) + 5 {
            table.clear();
            assert_eq!(table.get(7), None);
        }
        table.insert(7, entry(2, 1));
        assert_eq!(table.get(7), Some(entry(2, 1)));
    }

    #[test]
    fn fills_deterministically_after_clear() {
        let fill = |table: &mut Table| {
            for key in 0..200_000_u64 {
                let key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                table.insert(key, entry(1, key as u32 & 7));
            }
            (0..200_000_u64)
                .filter(|key| table.get(key.wrapping_mul(0x9e37_79b9_7f4a_7c15)).is_some())
                .collect::<Vec<u64>>()
        };
        let mut table = table();
        let fresh = fill(&mut table);
        assert!(fresh.len() < 100_000, "the table overflows");
        table.clear();
        for key in 0..50_000 {
            table.insert(key << 47, entry(9, 9));
        }
        table.clear();
        assert_eq!(fill(&mut table), fresh);
    }

    #[test]
    fn stores_any_key_in_the_smallest_tables() {
        for mb in [0, 1, 3] {
            let mut table = Table::new(mb).unwrap();
            table.clear();
            for key in [0, 1, u64::MAX / 2, u64::MAX] {
                table.insert(key, entry(1, 1));
                assert_eq!(table.get(key), Some(entry(1, 1)), "{mb} MB");
            }
        }
    }

    #[test]
    fn reports_failed_allocations_with_advice() {
        let error = Table::new(u32::MAX).unwrap_err();
        assert!(error.message.contains("lower hash_mb"), "{error}");
    }
}
