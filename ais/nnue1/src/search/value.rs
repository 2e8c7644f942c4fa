//! Values of positions for the side to move, on the scale of [`Score`].

use ai_api::{Role, Score};

pub(crate) const DRAW: i32 = Score::DRAW.value();
/// The largest static evaluation. It fits in the transposition table.
pub(crate) const LARGEST_EVALUATION: i32 = 25_000;

/// Returns the value of being mated `ply` plies after the root.
#[inline]
pub(crate) const fn mated_at(ply: usize) -> i32 {
    Score::mated_in_plies(ply as u32).value()
}

/// Returns whether a value is a mate by either side.
#[inline]
pub(crate) const fn is_mate(value: i32) -> bool {
    value.abs() > LARGEST_EVALUATION
}

/// Piece values in exchanges, indexed by [`Role::index`].
const EXCHANGE_VALUES: [i32; 6] = [100, 310, 330, 500, 960, 0];

#[inline]
pub(crate) const fn of_role(role: Role) -> i32 {
    EXCHANGE_VALUES[role.index()]
}
