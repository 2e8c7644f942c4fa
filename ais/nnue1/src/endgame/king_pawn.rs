//! King and pawn against king.

use std::sync::LazyLock;

use ai_api::Position;
use ai_tablebase::KingPawnBitbase;

const PIECES: u32 = 3;

static BITBASE: LazyLock<KingPawnBitbase> = LazyLock::new(KingPawnBitbase::generate);

/// Generates the bitbase if it does not exist yet.
pub(crate) fn prepare() {
    LazyLock::force(&BITBASE);
}

/// Returns whether the side with the pawn wins, or `None` for other endings.
#[inline]
pub(crate) fn is_win(position: &Position) -> Option<bool> {
    if position.occupied().count() == PIECES {
        BITBASE.is_win(position)
    } else {
        None
    }
}
