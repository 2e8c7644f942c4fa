//! Corrects static evaluations by what searches of similar positions found.

use ai_api::{Bitboard, Color, Position, Role};

const SLOTS: usize = 1 << 14;
/// The number of correction units in a centipawn.
const GRAIN: i32 = 256;
const LARGEST: i32 = 64 * GRAIN;
const LARGEST_WEIGHT: i32 = 16;

/// Mean differences between search and evaluation, by pawns and by each side's pieces.
#[derive(Debug)]
pub(super) struct Corrections(Vec<[i32; 3]>);

impl Corrections {
    pub(super) fn new() -> Self {
        Self(vec![[0; 3]; 2 * SLOTS])
    }

    pub(super) fn clear(&mut self) {
        self.0.as_flattened_mut().fill(0);
    }

    /// Returns the corrected static evaluation.
    #[inline]
    pub(super) fn correct(&self, position: &Position, evaluation: i32) -> i32 {
        let slots = slots(position);
        let sum: i32 = slots
            .iter()
            .enumerate()
            .map(|(kind, &slot)| self.0[slot][kind])
            .sum();
        evaluation + sum / (2 * GRAIN)
    }

    /// Learns that a search of this depth found `difference` more than the static evaluation.
    pub(super) fn learn(&mut self, position: &Position, depth: i32, difference: i32) {
        let weight = (depth + 1).min(LARGEST_WEIGHT);
        let scaled = difference.clamp(-300, 300) * GRAIN;
        for (kind, slot) in slots(position).into_iter().enumerate() {
            let correction = &mut self.0[slot][kind];
            let mean = (*correction * (256 - weight) + scaled * weight) / 256;
            *correction = mean.clamp(-LARGEST, LARGEST);
        }
    }
}

/// Returns the slots of the pawns, White's pieces and Black's pieces, by side to move.
#[inline]
fn slots(position: &Position) -> [usize; 3] {
    let turn = position.turn().index() * SLOTS;
    let mix = |sets: [Bitboard; 2]| {
        let hash = sets[0].0.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ sets[1].0.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
        hash ^ hash >> 32
    };
    let slot = |hash: u64| turn + (hash.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 50) as usize;
    let pieces = |color| {
        let of = |role| position.pieces(color, role);
        slot(
            mix([of(Role::Knight), of(Role::Bishop)])
                ^ mix([of(Role::Rook), of(Role::Queen)]).rotate_left(17)
                ^ mix([of(Role::King), Bitboard::EMPTY]).rotate_left(31),
        )
    };
    let pawns = mix(Color::ALL.map(|color| position.pieces(color, Role::Pawn)));
    [slot(pawns), pieces(Color::White), pieces(Color::Black)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_correction_approaches_search_results_and_is_bounded() {
        let position = rules::parse_fen("4k3/pppp4/8/8/8/8/PPPP4/4K2R w - - 0 1").unwrap();
        let mut corrections = Corrections::new();
        assert_eq!(corrections.correct(&position, 10), 10);
        corrections.learn(&position, 5, 40);
        let once = corrections.correct(&position, 10);
        assert!(once > 10);
        for _ in 0..1000 {
            corrections.learn(&position, 20, 10_000);
        }
        assert!((once..=110).contains(&corrections.correct(&position, 10)));
        corrections.clear();
        assert_eq!(corrections.correct(&position, 10), 10);
    }
}
