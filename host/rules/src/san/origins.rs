//! The pieces that a move in SAN may be of.

use ai_api::{Bitboard, Position, Role, Square};

use crate::attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attacks, rook_attacks};

/// Returns the pieces of the side to move, of one role, that may reach `to`: every one with such a legal move, and perhaps others.
/// A piece reaches the squares from which a piece like it reaches its own.
pub(super) fn origins(position: &Position, role: Role, to: Square) -> Bitboard {
    let occupied = position.occupied();
    let reaching = match role {
        Role::Pawn => Bitboard::file(to.file()) | pawn_attacks(!position.turn(), to),
        Role::Knight => knight_attacks(to),
        Role::Bishop => bishop_attacks(to, occupied),
        Role::Rook => rook_attacks(to, occupied),
        Role::Queen => bishop_attacks(to, occupied) | rook_attacks(to, occupied),
        Role::King => king_attacks(to),
    };
    reaching & position.pieces(position.turn(), role)
}
