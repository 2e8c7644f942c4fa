//! Looks up the attacks of sliders in large tables. Computing them instead would cost perft a third
//! more instructions.

mod factors;

use ai_api::{Bitboard, Square};
use ai_attacks::{bishop_attacks, rook_attacks};

#[cfg(target_arch = "x86_64")]
use crate::processor::Modern;

/// A way to look up the attacks of sliders.
pub(crate) trait Sliders: Copy {
    /// The squares that a bishop on `square` attacks, up to and including the first occupied square
    /// on each diagonal.
    fn bishop(self, square: Square, occupied: Bitboard) -> Bitboard;
    /// The squares that a rook on `square` attacks, up to and including the first occupied square
    /// in each direction.
    fn rook(self, square: Square, occupied: Bitboard) -> Bitboard;
}

/// The lookup for every processor.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

/// Maps the blockers of a slider to an index into [`BY_MAGIC`] or, with `pext`, into [`IN_ORDER`].
#[derive(Clone, Copy)]
struct Magic {
    /// The squares that matter if occupied, because they hide others.
    mask: u64,
    /// Maps every set of blockers to its own index, or to an index shared with sets that have the
    /// same effect.
    factor: u64,
    offset: u32,
    shift: u32,
}

/// The number of blocker sets for a bishop and a rook, over all squares.
const SETS: usize = 5_248 + 102_400;

/// The attacks for every set of blockers.
struct Slides {
    bishops: [Magic; 64],
    rooks: [Magic; 64],
    by_magic: [u64; SETS],
    /// In the order of the sets themselves, for processors that gather bits (`pext`).
    in_order: [u64; SETS],
}

const SLIDES: Slides = Slides::compute();
static BISHOPS: [Magic; 64] = SLIDES.bishops;
static ROOKS: [Magic; 64] = SLIDES.rooks;
static BY_MAGIC: [u64; SETS] = SLIDES.by_magic;
#[cfg(target_arch = "x86_64")]
static IN_ORDER: [u64; SETS] = SLIDES.in_order;

impl Slides {
    #[expect(clippy::large_stack_arrays, reason = "runs only at compile time")]
    const fn compute() -> Self {
        let none = [Magic {
            mask: 0,
            factor: 0,
            offset: 0,
            shift: 0,
        }; 64];
        let mut slides = Self {
            bishops: none,
            rooks: none,
            by_magic: [0; SETS],
            in_order: [0; SETS],
        };
        let (mut square, mut offset) = (0, 0);
        while square < 64 {
            slides.bishops[square] = slides.add(false, square, offset);
            offset += 1 << (64 - slides.bishops[square].shift);
            slides.rooks[square] = slides.add(true, square, offset);
            offset += 1 << (64 - slides.rooks[square].shift);
            square += 1;
        }
        slides
    }

    /// Fills in the tables of one square.
    const fn add(&mut self, is_rook: bool, square: usize, offset: usize) -> Magic {
        let factor = if is_rook {
            factors::ROOKS[square]
        } else {
            factors::BISHOPS[square]
        };
        let unhindered = attacks(is_rook, square, 0);
        let (mut mask, mut count) = (0, 1);
        self.in_order[offset] = unhindered;
        let mut blockers = unhindered;
        while blockers != 0 {
            let blocker = blockers & blockers.wrapping_neg();
            let hidden = unhindered & !attacks(is_rook, square, blocker);
            if hidden != 0 {
                mask |= blocker;
                // The sets with this blocker follow the sets without it.
                let mut set = offset;
                while set < offset + count {
                    self.in_order[set + count] = self.in_order[set] & !hidden;
                    set += 1;
                }
                count *= 2;
            }
            blockers ^= blocker;
        }
        let shift = 64 - mask.count_ones();
        let mut set = 0;
        while set < count {
            let reached = self.in_order[offset + set];
            // Every slider attacks something, so 0 marks a free index.
            let entry =
                &mut self.by_magic[offset + (blockers.wrapping_mul(factor) >> shift) as usize];
            assert!(
                *entry == 0 || *entry == reached,
                "a factor maps different attacks to one index"
            );
            *entry = reached;
            blockers = blockers.wrapping_sub(mask) & mask;
            set += 1;
        }
        Magic {
            mask,
            factor,
            offset: offset as u32,
            shift,
        }
    }
}

const fn attacks(is_rook: bool, square: usize, occupied: u64) -> u64 {
    let (square, occupied) = (Square::from_index(square as u8), Bitboard(occupied));
    if is_rook {
        rook_attacks(square, occupied).0
    } else {
        bishop_attacks(square, occupied).0
    }
}

impl Magic {
    #[inline]
    fn attacks(&self, occupied: Bitboard) -> Bitboard {
        let index = (occupied.0 & self.mask)
            .wrapping_mul(self.factor)
            .wrapping_shr(self.shift);
        Bitboard(BY_MAGIC[index as usize + self.offset as usize])
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn attacks_by_pext(&self, modern: Modern, occupied: Bitboard) -> Bitboard {
        let index = modern.gather(occupied.0, self.mask);
        Bitboard(IN_ORDER[index as usize + self.offset as usize])
    }
}

impl Sliders for Portable {
    #[inline]
    fn bishop(self, square: Square, occupied: Bitboard) -> Bitboard {
        BISHOPS[square.index()].attacks(occupied)
    }

    #[inline]
    fn rook(self, square: Square, occupied: Bitboard) -> Bitboard {
        ROOKS[square.index()].attacks(occupied)
    }
}

#[cfg(target_arch = "x86_64")]
impl Sliders for Modern {
    #[inline]
    fn bishop(self, square: Square, occupied: Bitboard) -> Bitboard {
        BISHOPS[square.index()].attacks_by_pext(self, occupied)
    }

    #[inline]
    fn rook(self, square: Square, occupied: Bitboard) -> Bitboard {
        ROOKS[square.index()].attacks_by_pext(self, occupied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_match_computed_attacks() {
        let mut random = fastrand::Rng::with_seed(1);
        for square in Square::all() {
            for _ in 0..2_000 {
                let occupied = Bitboard(random.u64(..) & random.u64(..));
                let (bishop, rook) = (
                    bishop_attacks(square, occupied),
                    rook_attacks(square, occupied),
                );
                assert_eq!(
                    Portable.bishop(square, occupied),
                    bishop,
                    "{square} among\n{occupied:?}"
                );
                assert_eq!(
                    Portable.rook(square, occupied),
                    rook,
                    "{square} among\n{occupied:?}"
                );
                #[cfg(target_arch = "x86_64")]
                if let Some(modern) = Modern::detect() {
                    assert_eq!(
                        modern.bishop(square, occupied),
                        bishop,
                        "{square} among\n{occupied:?}"
                    );
                    assert_eq!(
                        modern.rook(square, occupied),
                        rook,
                        "{square} among\n{occupied:?}"
                    );
                }
            }
        }
    }
}
