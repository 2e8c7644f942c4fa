//! Castling and castling rights.

use ai_api::{Bitboard, CastlingRights, CastlingSide, Color, Role, Square};

use crate::{movegen::castling_targets, placement::back_rank, zobrist};

/// Clears the castling rights that are lost by a legal move other than castling. Returns the change
/// in the hash. `roles` are the pieces before the move.
#[inline]
pub(crate) fn lose_castling(
    roles: &[Bitboard; 6],
    castling: &mut CastlingRights,
    us: Color,
    captured: Bitboard,
    from: Square,
    to: Square,
) -> u64 {
    let (rooks, kings) = (roles[Role::Rook.index()], roles[Role::King.index()]);
    if castling.is_none() || ((kings | rooks) & (captured | from.into())).is_empty() {
        return 0;
    }
    lose_rights(castling, us, kings.contains(from), from, to)
}

/// Moves the king and the rook, and clears the side's castling rights. Returns the new squares of
/// the king and the rook.
pub(crate) fn castle(
    roles: &mut [Bitboard; 6],
    own: &mut Bitboard,
    castling: &mut CastlingRights,
    us: Color,
    king: Square,
    rook: Square,
) -> (Square, Square) {
    let (king_target, rook_target) = castling_targets(king, castling_side(king, rook));
    castling.clear(us);
    // A square that one piece leaves and the other enters is toggled twice.
    let king_squares = Bitboard::of(king) ^ king_target.into();
    let rook_squares = Bitboard::of(rook) ^ rook_target.into();
    roles[Role::King.index()] ^= king_squares;
    roles[Role::Rook.index()] ^= rook_squares;
    *own ^= king_squares ^ rook_squares;
    (king_target, rook_target)
}

/// The side on which a king castles with a rook.
pub(crate) fn castling_side(king: Square, rook: Square) -> CastlingSide {
    if rook.file() > king.file() {
        CastlingSide::King
    } else {
        CastlingSide::Queen
    }
}

/// Clears the castling rights that are lost when a king or rook moves or a rook is captured.
/// Returns the change in the hash. Not inlined: it would take up the registers that hold the
/// bitboards.
#[inline(never)]
fn lose_rights(
    rights: &mut CastlingRights,
    us: Color,
    is_king: bool,
    from: Square,
    to: Square,
) -> u64 {
    let mut change = 0;
    for (color, corner, loses_both) in [(us, from, is_king), (!us, to, false)] {
        if corner.rank() == back_rank(color) {
            for side in CastlingSide::ALL {
                if let Some(file) = rights.rook_file(color, side)
                    && (loses_both || file == corner.file())
                {
                    rights.set_rook_file(color, side, None);
                    change ^= zobrist::castling_rook(color, file);
                }
            }
        }
    }
    change
}
