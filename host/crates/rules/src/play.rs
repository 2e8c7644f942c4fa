//! Plays moves.

use ai_api::{Bitboard, Color, Move, Position, PositionParts, Role, Square};
use ai_attacks::{attacks_on_empty_board, between, knight_attacks, line, pawn_attacks};

use crate::{
    advance::{NO_EN_PASSANT, captured_square, castle, castling_after},
    attacks::{checkers_and_pinned, set_checkers_and_pinned},
    movegen::Side,
    placement::role_on,
    slides::Portable,
    zobrist,
};

/// Returns the position after a legal move; after any other move a meaningless one. [`LeanPosition::play`](crate::LeanPosition::play)
/// takes half the time, without hash and clocks.
#[must_use]
pub fn play(position: &Position, chosen: Move) -> Position {
    let role = role_on(&position.parts().roles, chosen.from());
    let before = position.parts();
    let (us, them) = (before.turn, !before.turn);
    let (from, to) = (chosen.from(), chosen.to());
    if role == Role::King && position.color(us).contains(to) {
        return castled(before, from, to);
    }
    let mut after = *before;
    after.hash ^= zobrist::turn() ^ zobrist::en_passant(before.en_passant_file);
    let captured = captured_square(&before.roles, position.color(them), position.en_passant(), from, to);
    if let Some(square) = captured.first() {
        let victim = role_on(&before.roles, square);
        after.roles[victim.index()] ^= captured;
        after.hash ^= zobrist::piece(them, victim, square);
    }
    let placed = chosen.promotion().unwrap_or(role);
    after.roles[role.index()] ^= from.into();
    after.roles[placed.index()] ^= to.into();
    after.hash ^= zobrist::piece(us, role, from) ^ zobrist::piece(us, placed, to);
    after.castling = castling_after(&before.roles, before.castling, us, captured, from, to);
    if after.castling != before.castling {
        after.hash ^= zobrist::castling(before.castling) ^ zobrist::castling(after.castling);
    }
    let own = position.color(us) ^ from.into() ^ to.into();
    let enemy = position.color(them) ^ captured;
    after.colors[us.index()] = own;
    after.colors[them.index()] = enemy;
    (after.checkers, after.pinned) = checkers_and_pinned(&after.roles, enemy, own, them);
    after.en_passant_file = NO_EN_PASSANT;
    if role == Role::Pawn && from.index() ^ to.index() == 16 {
        let target = Square::new(to.file(), from.rank().midpoint(to.rank()));
        let near = pawn_attacks(us, target) & enemy & after.roles[Role::Pawn.index()];
        if !near.is_empty() && is_en_passant_legal(&after.roles, enemy, own, them, target) {
            after.en_passant_file = to.file();
            after.hash ^= zobrist::en_passant(to.file());
        }
    }
    after.halfmove_clock =
        if !captured.is_empty() || role == Role::Pawn { 0 } else { before.halfmove_clock.saturating_add(1) };
    after.fullmove_number = before.fullmove_number.saturating_add(us.index() as u16);
    after.turn = them;
    Position::from_parts_unchecked(after)
}

/// Returns whether a legal move gives check, in a fraction of the time of [`play`].
///
/// # Examples
/// ```
/// let position = rules::parse_fen("4k3/8/8/8/8/8/4B3/4RK2 w - - 0 1").expect("a legal position");
/// let discovered = rules::parse_uci(&position, "e2h5").expect("a legal move");
/// assert!(rules::gives_check(&position, discovered));
/// ```
#[must_use]
pub fn gives_check(position: &Position, chosen: Move) -> bool {
    let parts = position.parts();
    let (us, from, to) = (parts.turn, chosen.from(), chosen.to());
    let of_both = |role: Role| parts.roles[role.index()];
    let Some(king) = (of_both(Role::King) & position.color(!us)).first() else { return false };
    let role = role_on(&parts.roles, from);
    let is_castling = position.color(us).contains(to);
    if is_castling || role == Role::Pawn && position.en_passant() == Some(to) {
        return play(position, chosen).in_check();
    }
    let occupied = (position.occupied() & !Bitboard::of(from)) | to.into();
    let sees_king = |square: Square| (between(square, king) & occupied).is_empty();
    let [diagonals, orthogonals] = [Role::Bishop, Role::Rook].map(|role| attacks_on_empty_board(role, king));
    let is_direct = match chosen.promotion().unwrap_or(role) {
        Role::Pawn => pawn_attacks(us, to).contains(king),
        Role::Knight => knight_attacks(to).contains(king),
        Role::Bishop => diagonals.contains(to) && sees_king(to),
        Role::Rook => orthogonals.contains(to) && sees_king(to),
        Role::Queen => (diagonals | orthogonals).contains(to) && sees_king(to),
        Role::King => false,
    };
    if is_direct || !(diagonals | orthogonals).contains(from) {
        return is_direct;
    }
    let queens = of_both(Role::Queen);
    let snipers = diagonals & (of_both(Role::Bishop) | queens) | orthogonals & (of_both(Role::Rook) | queens);
    let behind = snipers & position.color(us) & line(king, from) & !Bitboard::of(from);
    behind.into_iter().any(sees_king)
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
    set_checkers_and_pinned(&mut after);
    Some(Position::from_parts_unchecked(after))
}

/// Returns the position after castling.
#[cold]
fn castled(before: &PositionParts, king: Square, rook: Square) -> Position {
    let mut after = PositionParts {
        en_passant_file: NO_EN_PASSANT,
        halfmove_clock: before.halfmove_clock.saturating_add(1),
        fullmove_number: before.fullmove_number.saturating_add(before.turn.index() as u16),
        turn: !before.turn,
        ..*before
    };
    castle(
        &mut after.roles,
        &mut after.colors[before.turn.index()],
        &mut after.castling,
        before.turn,
        king,
        rook,
    );
    after.hash = zobrist::hash(&after);
    set_checkers_and_pinned(&mut after);
    Position::from_parts_unchecked(after)
}

/// Returns whether `turn` has a legal en passant capture on `target`.
#[cold]
pub(crate) fn is_en_passant_legal(
    roles: &[Bitboard; 6],
    own: Bitboard,
    enemy: Bitboard,
    turn: Color,
    target: Square,
) -> bool {
    !Side::new(Portable, roles, own, enemy, turn).en_passant_captors(target).is_empty()
}
