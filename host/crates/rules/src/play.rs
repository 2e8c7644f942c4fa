//! Plays moves.

use ai_api::{Bitboard, Color, Move, Position, Role, Square};
use ai_attacks::{attacks_on_empty_board, between, knight_attacks, line, pawn_attacks};

use crate::{
    attacks::{checkers_and_pinned, set_checkers_and_pinned},
    castling::{castle, lose_castling},
    in_place::parts_mut,
    movegen::Side,
    placement::{role_index_on, role_on},
    slides::Portable,
    zobrist,
};

/// The en passant file of a position without a legal en passant capture.
pub(crate) const NO_EN_PASSANT: u8 = 8;

/// Returns the position after a legal move. After any other move, the result is meaningless.
/// [`play_into`] is faster.
#[must_use]
pub fn play(position: &Position, chosen: Move) -> Position {
    let mut next = *position;
    play_into(position, chosen, &mut next);
    next
}

/// Writes the position after a legal move to `next`. After any other move, the result is
/// meaningless.
///
/// Searches depend on this function's speed. [`play`] takes a third longer because it returns a
/// position that has just been written: wide loads wait for the preceding narrow stores.
///
/// # Examples
/// ```
/// let start = rules::start_position();
/// let chosen = rules::parse_uci(&start, "e2e4").expect("a legal move");
/// let mut next = start;
/// rules::play_into(&start, chosen, &mut next);
/// assert_eq!(next, rules::play(&start, chosen));
/// ```
pub fn play_into(position: &Position, chosen: Move, next: &mut Position) {
    let before = position.parts();
    let (us, them) = (before.turn, !before.turn);
    let (from, to) = (chosen.from(), chosen.to());
    let own = position.color(us);
    if own.contains(to) {
        return castle_into(position, from, to, next);
    }
    let role = role_index_on(&before.roles, from);
    let is_pawn = role == Role::Pawn.index();
    let moved = Bitboard::of(from) ^ to.into();
    let mut hash = before.hash
        ^ zobrist::turn()
        ^ zobrist::piece_by_index(us, role, from)
        ^ zobrist::piece_by_index(us, role, to);
    let after = parts_mut(next);
    after.roles = before.roles;
    toggle(&mut after.roles, role, moved);
    let mut captured = position.color(them) & to.into();
    if !captured.is_empty() {
        let victim = role_index_on(&before.roles, to);
        toggle(&mut after.roles, victim, captured);
        hash ^= zobrist::piece_by_index(them, victim, to);
    }
    if before.en_passant_file < NO_EN_PASSANT {
        hash ^= zobrist::en_passant(before.en_passant_file);
        if is_pawn && position.en_passant() == Some(to) {
            let victim = Square::new(to.file(), from.rank());
            captured = victim.into();
            after.roles[Role::Pawn.index()] ^= captured;
            hash ^= zobrist::piece(them, Role::Pawn, victim);
        }
    }
    if let Some(promotion) = chosen.promotion() {
        after.roles[Role::Pawn.index()] ^= to.into();
        after.roles[promotion.index()] ^= to.into();
        hash ^= zobrist::piece(us, Role::Pawn, to) ^ zobrist::piece(us, promotion, to);
    }
    after.castling = before.castling;
    hash ^= lose_castling(&before.roles, &mut after.castling, us, captured, from, to);
    let own = own ^ moved;
    let enemy = position.color(them) ^ captured;
    after.colors[us.index()] = own;
    after.colors[them.index()] = enemy;
    (after.checkers, after.pinned) = checkers_and_pinned(&after.roles, enemy, own, them);
    after.en_passant_file = NO_EN_PASSANT;
    if is_pawn && from.index() ^ to.index() == 16 {
        let target = Square::new(to.file(), from.rank().midpoint(to.rank()));
        let near = pawn_attacks(us, target) & enemy & after.roles[Role::Pawn.index()];
        if !near.is_empty() && is_en_passant_legal(&after.roles, enemy, own, them, target) {
            after.en_passant_file = to.file();
            hash ^= zobrist::en_passant(to.file());
        }
    }
    after.hash = hash;
    let resets = is_pawn || !captured.is_empty();
    // Branchless, because whether a move captures can't be predicted.
    after.halfmove_clock =
        before.halfmove_clock.saturating_add(1) & u8::from(resets).wrapping_sub(1);
    after.fullmove_number = before.fullmove_number.saturating_add(us.index() as u16);
    after.turn = them;
    after.chess960 = before.chess960;
    after.reserved = before.reserved;
}

/// Returns the square that a pawn passed over if the last move was a double push.
#[must_use]
pub fn passed_square(after: &Position, last: Move) -> Option<Square> {
    let (from, to) = (last.from(), last.to());
    let is_double_push = from.index() ^ to.index() == 16 && after.role(Role::Pawn).contains(to);
    is_double_push.then(|| Square::new(to.file(), from.rank().midpoint(to.rank())))
}

/// Toggles squares of a role by its index.
#[inline]
fn toggle(roles: &mut [Bitboard; 6], role: usize, squares: Bitboard) {
    if let Some(set) = roles.get_mut(role) {
        *set ^= squares;
    }
}

/// Returns whether a legal move gives check. Takes a fraction of the time that [`play`] takes.
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
    let Some(king) = (of_both(Role::King) & position.color(!us)).first() else {
        return false;
    };
    let is_castling = position.color(us).contains(to);
    let lines = attacks_on_empty_board(Role::Queen, king);
    // Covers most moves, which neither leave a line to the king nor end on one or a knight's move
    // away from the king.
    if !lines.contains(from)
        && !(lines | knight_attacks(king)).contains(to)
        && !is_castling
        && position.en_passant() != Some(to)
    {
        return false;
    }
    let role = role_on(&parts.roles, from);
    if is_castling || role == Role::Pawn && position.en_passant() == Some(to) {
        return play(position, chosen).in_check();
    }
    let occupied = (position.occupied() & !Bitboard::of(from)) | to.into();
    let sees_king = |square: Square| (between(square, king) & occupied).is_empty();
    let [diagonals, orthogonals] =
        [Role::Bishop, Role::Rook].map(|slider| attacks_on_empty_board(slider, king));
    let is_direct = match chosen.promotion().unwrap_or(role) {
        Role::Pawn => pawn_attacks(us, to).contains(king),
        Role::Knight => knight_attacks(to).contains(king),
        Role::Bishop => diagonals.contains(to) && sees_king(to),
        Role::Rook => orthogonals.contains(to) && sees_king(to),
        Role::Queen => lines.contains(to) && sees_king(to),
        Role::King => false,
    };
    if is_direct || !lines.contains(from) {
        return is_direct;
    }
    let queens = of_both(Role::Queen);
    let snipers =
        diagonals & (of_both(Role::Bishop) | queens) | orthogonals & (of_both(Role::Rook) | queens);
    let behind = snipers & position.color(us) & line(king, from) & !Bitboard::of(from);
    behind.into_iter().any(sees_king)
}

/// Returns the position after a null move, which passes the turn; `None` if the side to move is in
/// check.
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
    after.fullmove_number = before
        .fullmove_number
        .saturating_add(before.turn.index() as u16);
    set_checkers_and_pinned(&mut after);
    Some(Position::from_parts_unchecked(after))
}

/// Writes the position after castling.
#[cold]
fn castle_into(position: &Position, king: Square, rook: Square, next: &mut Position) {
    *next = *position;
    let after = parts_mut(next);
    let us = after.turn;
    after.hash ^= zobrist::turn()
        ^ zobrist::en_passant(after.en_passant_file)
        ^ zobrist::castling(after.castling)
        ^ zobrist::piece(us, Role::King, king)
        ^ zobrist::piece(us, Role::Rook, rook);
    let own = &mut after.colors[us.index()];
    let (king, rook) = castle(&mut after.roles, own, &mut after.castling, us, king, rook);
    after.hash ^= zobrist::castling(after.castling)
        ^ zobrist::piece(us, Role::King, king)
        ^ zobrist::piece(us, Role::Rook, rook);
    after.en_passant_file = NO_EN_PASSANT;
    after.halfmove_clock = after.halfmove_clock.saturating_add(1);
    after.fullmove_number = after.fullmove_number.saturating_add(us.index() as u16);
    after.turn = !us;
    set_checkers_and_pinned(after);
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
    !Side::new(Portable, roles, own, enemy, turn)
        .en_passant_captors(target)
        .is_empty()
}
