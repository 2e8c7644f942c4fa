//! Endings that are closer to a draw than their material suggests.

use ai_api::{Bitboard, Color, Position, Role};

use crate::endgame::king_pawn;

/// The factor that changes nothing.
pub(crate) const FULL: i32 = 64;

const LIGHT_SQUARES: Bitboard = Bitboard(0x55aa_55aa_55aa_55aa);

/// Returns the factor for the endgame value when `better` is the better side, in parts of [`FULL`].
pub(crate) fn factor(position: &Position, better: Color) -> i32 {
    if let Some(is_win) = king_pawn::is_win(position) {
        return if is_win { FULL } else { 0 };
    }
    let count = |color, role| position.pieces(color, role).count() as i32;
    let minors = |color| count(color, Role::Knight) + count(color, Role::Bishop);
    let pieces =
        |color| 3 * minors(color) + 5 * count(color, Role::Rook) + 9 * count(color, Role::Queen);
    let (own, other) = (pieces(better), pieces(!better));
    let pawns = count(better, Role::Pawn);
    // Two knights cannot force mate.
    if pawns == 0 && own == 3 * count(better, Role::Knight) && own <= 6 {
        return 0;
    }
    if pawns == 0 && own - other <= 3 {
        return if own < 5 {
            0
        } else if other <= 3 {
            8
        } else {
            16
        };
    }
    let bishops = |color| position.pieces(color, Role::Bishop);
    let all = bishops(better) | bishops(!better);
    let are_opposite = bishops(better).count() == 1
        && bishops(!better).count() == 1
        && (all & LIGHT_SQUARES).count() == 1;
    if are_opposite && own == 3 && other == 3 {
        return 24 + 4 * pawns.min(4);
    }
    if are_opposite {
        return 44;
    }
    (40 + 6 * pawns).min(FULL)
}
