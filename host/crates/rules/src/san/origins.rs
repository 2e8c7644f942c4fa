//! The pieces that a SAN move may refer to.

use ai_api::{Bitboard, Position, Role, Square};
use ai_attacks::pawn_attacks;

use crate::{attacks::piece_attacks, slides::Portable};

/// Returns the pieces of the side to move, of one role, that may reach `to`: every piece with such
/// a legal move, and possibly others. A piece reaches a square if and only if the same kind of
/// piece on that square would reach it.
pub(super) fn origins(position: &Position, role: Role, to: Square) -> Bitboard {
    let reaching = match role {
        Role::Pawn => Bitboard::file(to.file()) | pawn_attacks(!position.turn(), to),
        _ => piece_attacks(Portable, role, to, position.occupied()),
    };
    reaching & position.pieces(position.turn(), role)
}
