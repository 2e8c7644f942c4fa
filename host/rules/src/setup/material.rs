//! How much of each piece a side can have.

use ai_api::{Bitboard, Color, Role};
use thiserror::Error;

use crate::placement::Placement;

const LIGHT_SQUARES: Bitboard = Bitboard(0x55aa_55aa_55aa_55aa);

/// Of what a side has too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Excess {
    /// More pieces than it began with.
    #[error("{0} pieces; 16 is the most")]
    Pieces(u32),
    /// More pawns than it began with.
    #[error("{0} pawns; 8 is the most")]
    Pawns(u32),
    /// More promoted pieces than pawns that may have promoted.
    #[error(
        "at least {promoted} promoted pieces, though only {missing} of its pawns are missing; each takes a pawn"
    )]
    Promoted {
        /// How many pieces it did not begin with.
        promoted: u32,
        /// How many of its pawns are gone.
        missing: u32,
    },
}

/// Of what `color` has more than it can have come to from any start.
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

/// Whether `color` can have come to what it has.
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
