//! Limits of the material of a side.

use ai_api::{Bitboard, Color, Role};
use thiserror::Error;

use crate::placement::Placement;

const LIGHT_SQUARES: Bitboard = Bitboard(0x55aa_55aa_55aa_55aa);

/// An excess of material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Excess {
    /// More pieces than at the start.
    #[error("{0} pieces; expected at most 16")]
    Pieces(u32),
    /// More pawns than at the start.
    #[error("{0} pawns; expected at most 8")]
    Pawns(u32),
    /// More promoted pieces than pawns that may have promoted.
    #[error("at least {promoted} promoted pieces; expected at most {missing}, its missing pawns")]
    Promoted {
        /// The least number of promoted pieces.
        promoted: u32,
        /// The number of missing pawns.
        missing: u32,
    },
}

/// Returns what `color` has more of than any game allows.
pub(super) fn excesses(placement: &Placement, color: Color) -> impl Iterator<Item = Excess> {
    let pieces = placement.color(color).count();
    let pawns = placement.pieces(color, Role::Pawn).count();
    let promoted = least_promoted(placement, color);
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

fn least_promoted(placement: &Placement, color: Color) -> u32 {
    let count = |role| placement.pieces(color, role).count();
    let bishops = placement.pieces(color, Role::Bishop);
    count(Role::Queen).saturating_sub(1)
        + count(Role::Rook).saturating_sub(2)
        + count(Role::Knight).saturating_sub(2)
        + (bishops & LIGHT_SQUARES).count().saturating_sub(1)
        + (bishops & !LIGHT_SQUARES).count().saturating_sub(1)
}
