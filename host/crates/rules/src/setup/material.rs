//! Limits on a side's material.

use ai_api::{Bitboard, Color, Role};

use crate::{placement::Placement, texts::errors};

const LIGHT_SQUARES: Bitboard = Bitboard(0x55aa_55aa_55aa_55aa);

errors! {
    /// Excess material.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Excess {
        /// More pieces than at the start.
        #[error("{fault} pieces; expected at most 16")]
        Pieces(fault: u32),
        /// More pawns than at the start.
        #[error("{fault} pawns; expected at most 8")]
        Pawns(fault: u32),
        /// More promoted pieces than pawns that may have promoted.
        #[error(
            "at least {promoted} promoted pieces; expected at most {missing}, its missing pawns"
        )]
        Promoted {
            /// The minimum number of promoted pieces.
            promoted: u32,
            /// The number of missing pawns.
            missing: u32,
        },
    }
}

/// Returns every excess in the material of `color`.
pub(super) fn excesses(placement: &Placement, color: Color) -> impl Iterator<Item = Excess> {
    let pieces = placement.color(color).count();
    let pawns = placement.pieces(color, Role::Pawn).count();
    let promoted = promoted(placement, color).count();
    let missing = 8u32.saturating_sub(pawns);
    [
        (pieces > 16).then_some(Excess::Pieces(pieces)),
        (pawns > 8).then_some(Excess::Pawns(pawns)),
        (promoted > missing).then_some(Excess::Promoted { promoted, missing }),
    ]
    .into_iter()
    .flatten()
}

/// Returns whether a game allows the material of `color`.
pub(super) fn is_possible(placement: &Placement, color: Color) -> bool {
    excesses(placement, color).next().is_none()
}

/// The pieces in excess of the initial set.
fn promoted(placement: &Placement, color: Color) -> Bitboard {
    let pieces = |role| placement.pieces(color, role);
    let without_first = |set: Bitboard| Bitboard(set.0 & set.0.wrapping_sub(1));
    let bishops = pieces(Role::Bishop);
    without_first(pieces(Role::Queen))
        | without_first(without_first(pieces(Role::Rook)))
        | without_first(without_first(pieces(Role::Knight)))
        | without_first(bishops & LIGHT_SQUARES)
        | without_first(bishops & !LIGHT_SQUARES)
}
