//! The pieces that a move in SAN may be of.

use ai_api::{Bitboard, Position, Role, Square};
use ai_attacks::pawn_attacks;

use crate::{attacks::piece_attacks, slides::Portable};

/// Returns the pieces of the side to move, of one role, that may reach `to`: every one with such a
/// legal move, and perhaps others. A piece reaches the squares from which a piece like it reaches
/// its own.
pub(super) fn origins(position: &Position, role: Role, to: Square) -> Bitboard {
    let reaching = match role {
        Role::Pawn => Bitboard::file(to.file()) | pawn_attacks(!position.turn(), to),
        _ => piece_attacks(Portable, role, to, position.occupied()),
    };
    reaching & position.pieces(position.turn(), role)
}
