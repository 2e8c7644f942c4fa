//! The legality of one move.

use ai_api::{Bitboard, Move, Position, Role, Square};
use ai_attacks::{attacks_on_empty_board, between, line, pawn_attacks, pawn_pushes};

use super::Side;
use crate::{placement::role_on, slides::Portable};

/// Returns whether a move is legal without generating the others.
#[must_use]
pub fn is_legal(position: &Position, chosen: Move) -> bool {
    let (from, to) = (chosen.from(), chosen.to());
    let own = position.color(position.turn());
    // Most illegal moves are rejected here, because every piece moves like a queen or a knight.
    let reached_by_some =
        attacks_on_empty_board(Role::Queen, from) | attacks_on_empty_board(Role::Knight, from);
    if !own.contains(from) || !reached_by_some.contains(to) {
        return false;
    }
    let role = role_on(&position.parts().roles, from);
    let promotes = role == Role::Pawn && matches!(to.rank(), 0 | 7);
    // In a move's bits, 0 means no promotion, and 1 to 4 are the roles.
    let promotion = chosen.to_bits() >> 12;
    let is_reached = if own.contains(to) {
        role == Role::King
    } else {
        reaches(position, role, from, to)
    };
    is_reached
        && (if promotes {
            matches!(promotion, 1..=4)
        } else {
            promotion == 0
        })
        && is_safe(position, role, from, to)
}

/// Returns whether a piece of the side to move reaches a square that its side does not occupy, even
/// if the piece is pinned or its king is in check.
#[inline]
fn reaches(position: &Position, role: Role, from: Square, to: Square) -> bool {
    let turn = position.turn();
    let is_step = match role {
        Role::Pawn if pawn_attacks(turn, from).contains(to) => {
            return position.color(!turn).contains(to) || position.en_passant() == Some(to);
        }
        Role::Pawn => pawn_pushes(turn, from).contains(to) && !position.occupied().contains(to),
        _ => attacks_on_empty_board(role, from).contains(to),
    };
    is_step && (between(from, to) & position.occupied()).is_empty()
}

/// Returns whether a move to a reachable square, or a king's move onto a piece of its own side,
/// leaves the king safe.
#[inline(never)]
fn is_safe(position: &Position, role: Role, from: Square, to: Square) -> bool {
    if role == Role::King || role == Role::Pawn && position.en_passant() == Some(to) {
        return is_special_safe(position, role, from, to);
    }
    let side = Side::to_move(Portable, position);
    side.targets().contains(to)
        && (!side.pinned.contains(from) || line(side.king, from).contains(to))
}

/// Like [`is_safe`], for king moves and en passant captures. Checkers and pins do not determine
/// whether these moves are safe.
#[inline(never)]
fn is_special_safe(position: &Position, role: Role, from: Square, to: Square) -> bool {
    let side = Side::to_move(Portable, position);
    match role {
        Role::King if side.own.contains(to) => side.castling_rooks().contains(to),
        Role::King => !side.king_targets_among(Bitboard::of(to)).is_empty(),
        _ => side.en_passant_captors(to).contains(from),
    }
}
