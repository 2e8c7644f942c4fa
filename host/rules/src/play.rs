//! Plays moves.

use ai_api::{Bitboard, CastlingRights, CastlingSide, Color, Move, Position, PositionParts, Role, Square};

use crate::{
    attacks::{checkers_and_pinned, pawn_attacks},
    movegen::{Side, castling_targets},
    zobrist,
};

const NO_EN_PASSANT: u8 = 8;

/// Returns the position after a legal move; after any other move a meaningless one.
#[must_use]
pub fn play(position: &Position, chosen: Move) -> Position {
    match position.role_at(chosen.from()) {
        Some(role) => play_role(position, role, chosen),
        None => *position,
    }
}

/// Returns the position after a null move, which passes the turn; none if the side to move is in check.
#[must_use]
pub fn pass(position: &Position) -> Option<Position> {
    if position.in_check() {
        return None;
    }
    let before = position.parts();
    let mut after = *before;
    after.turn = !before.turn;
    after.hash ^= zobrist::turn() ^ zobrist::en_passant(before.en_passant_file);
    after.en_passant_file = NO_EN_PASSANT;
    after.halfmove_clock = before.halfmove_clock.saturating_add(1);
    after.fullmove_number = before.fullmove_number.saturating_add(before.turn.index() as u16);
    (after.checkers, after.pinned) = checkers_and_pinned(&after, after.turn);
    Some(Position::from_parts_unchecked(after))
}

/// Returns the position after a legal move of a piece of this role.
#[expect(clippy::inline_always, reason = "much faster where the role is a constant")]
#[inline(always)]
pub(crate) fn play_role(position: &Position, role: Role, chosen: Move) -> Position {
    let before = position.parts();
    let (us, them) = (before.turn, !before.turn);
    let (from, to) = (chosen.from(), chosen.to());
    let mut after = *before;
    after.turn = them;
    after.hash ^= zobrist::turn() ^ zobrist::en_passant(before.en_passant_file);
    after.en_passant_file = NO_EN_PASSANT;
    after.halfmove_clock = before.halfmove_clock.saturating_add(1);
    after.fullmove_number = before.fullmove_number.saturating_add(us.index() as u16);
    if role == Role::King && position.color(us).contains(to) {
        castle(&mut after, from, to);
    } else {
        if position.color(them).contains(to) {
            toggle(&mut after, them, role_on(before, to), to);
            after.halfmove_clock = 0;
        }
        let both = Bitboard::of(from) | to.into();
        after.colors[us.index()] ^= both;
        after.roles[role.index()] ^= both;
        after.hash ^= zobrist::piece(us, role, from) ^ zobrist::piece(us, role, to);
        if role == Role::Pawn {
            after.halfmove_clock = 0;
            if let Some(promotion) = chosen.promotion() {
                after.roles[Role::Pawn.index()] ^= to.into();
                after.roles[promotion.index()] ^= to.into();
                after.hash ^= zobrist::piece(us, Role::Pawn, to) ^ zobrist::piece(us, promotion, to);
            } else if position.en_passant() == Some(to) {
                toggle(&mut after, them, Role::Pawn, Square::new(to.file(), from.rank()));
            }
        }
    }
    if !before.castling.is_none() {
        drop_rights(&mut after.castling, us, role, from);
        drop_rights(&mut after.castling, them, Role::Rook, to);
        if after.castling != before.castling {
            after.hash ^= zobrist::castling(before.castling) ^ zobrist::castling(after.castling);
        }
    }
    (after.checkers, after.pinned) = checkers_and_pinned(&after, them);
    if role == Role::Pawn && from.index() ^ to.index() == 16 {
        offer_en_passant(&mut after, Square::new(to.file(), from.rank().midpoint(to.rank())));
    }
    Position::from_parts_unchecked(after)
}

/// The role of the piece on an occupied square. Assembles its index from bits, without a branch.
#[inline]
fn role_on(parts: &PositionParts, square: Square) -> Role {
    let [_, knights, bishops, rooks, queens, kings] = parts.roles;
    let bit = |set: Bitboard, value: u64| (set.0 >> square.index() & 1) * value;
    let index = bit(knights | rooks | kings, 1) | bit(bishops | rooks, 2) | bit(queens | kings, 4);
    Role::ALL[(index as usize).min(5)]
}

/// Adds or removes a piece.
#[inline]
fn toggle(parts: &mut PositionParts, color: Color, role: Role, square: Square) {
    let square_set = Bitboard::of(square);
    parts.roles[role.index()] ^= square_set;
    parts.colors[color.index()] ^= square_set;
    parts.hash ^= zobrist::piece(color, role, square);
}

fn castle(parts: &mut PositionParts, king: Square, rook: Square) {
    let us = !parts.turn;
    let side = if rook.file() > king.file() { CastlingSide::King } else { CastlingSide::Queen };
    let (king_target, rook_target) = castling_targets(king, side);
    toggle(parts, us, Role::King, king);
    toggle(parts, us, Role::Rook, rook);
    toggle(parts, us, Role::King, king_target);
    toggle(parts, us, Role::Rook, rook_target);
}

/// Removes the castling rights that end when a king or rook of `color` leaves `square`.
#[inline]
fn drop_rights(rights: &mut CastlingRights, color: Color, role: Role, square: Square) {
    if role == Role::King {
        rights.clear(color);
    } else if role == Role::Rook && square.rank() == color.index() as u8 * 7 {
        for side in CastlingSide::ALL {
            if rights.rook_file(color, side) == Some(square.file()) {
                rights.set_rook_file(color, side, None);
            }
        }
    }
}

/// Sets the en passant file after a double step over `target`, if a capture there is legal.
#[inline]
fn offer_en_passant(parts: &mut PositionParts, target: Square) {
    let near = pawn_attacks(!parts.turn, target)
        & parts.colors[parts.turn.index()]
        & parts.roles[Role::Pawn.index()];
    if near.is_empty() {
        return;
    }
    let position = Position::from_parts_unchecked(*parts);
    if !Side::to_move(&position).en_passant_captors(target).is_empty() {
        parts.en_passant_file = target.file();
        parts.hash ^= zobrist::en_passant(target.file());
    }
}
