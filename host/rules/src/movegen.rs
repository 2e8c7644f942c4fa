//! Generates legal moves.

mod generate;
mod pawns;
mod side;

use ai_api::{Bitboard, Color, Move, MoveList, Position, Role, Square};

use generate::targets_of;
pub(crate) use generate::{Among, MoveSink, generate};
pub(crate) use pawns::PawnMoves;
pub(crate) use side::{Side, castling_targets};

/// Returns every legal move, in an order that never changes for a position.
#[must_use]
pub fn legal_moves(position: &Position) -> MoveList {
    let mut list = MoveList::new();
    list_legal_moves(position, &mut list);
    list
}

/// Returns the legal moves of the piece on `from`; none without a piece of the side to move.
#[must_use]
pub fn legal_moves_from(position: &Position, from: Square) -> MoveList {
    let mut list = MoveList::new();
    let side = Side::to_move(position);
    let promotes = is_pawn_before_last_rank(position, from);
    for to in targets_of(&side, from) {
        if promotes {
            for role in Role::PROMOTIONS {
                list.push(Move::promoting(from, to, role));
            }
        } else {
            list.push(Move::new(from, to));
        }
    }
    list
}

/// Returns the legal moves that capture, en passant included, or promote.
#[must_use]
pub fn legal_captures(position: &Position) -> MoveList {
    let mut list = MoveList::new();
    list_legal_captures(position, &mut list);
    list
}

/// Returns whether the side to move has a legal move; if not, it is mated or stalemated.
#[must_use]
pub fn has_legal_move(position: &Position) -> bool {
    let mut any = Any(false);
    generate(&Side::to_move(position), Among::All, &mut any);
    any.0
}

/// Counts the legal moves of `color`. The moves of the side that is not to move are counted as if it were its turn: without en
/// passant, with castling if it would be legal, and without captures of the king.
#[must_use]
pub fn count_legal_moves(position: &Position, color: Color) -> u32 {
    let mut count = Count(0);
    if color == position.turn() {
        generate(&Side::to_move(position), Among::All, &mut count);
    } else {
        generate(&Side::waiting(position), Among::All, &mut count);
    }
    count.0
}

/// Returns whether a move is legal, without generating the others.
#[must_use]
pub fn is_legal(position: &Position, chosen: Move) -> bool {
    let (from, to) = (chosen.from(), chosen.to());
    let canonical = match chosen.promotion() {
        Some(role) => Move::promoting(from, to, role),
        None => Move::new(from, to),
    };
    chosen == canonical
        && chosen.promotion().is_some() == is_pawn_before_last_rank(position, from)
        && targets_of(&Side::to_move(position), from).contains(to)
}

fn is_pawn_before_last_rank(position: &Position, from: Square) -> bool {
    let rank = match position.turn() {
        Color::White => 6,
        Color::Black => 1,
    };
    from.rank() == rank && position.pieces(position.turn(), Role::Pawn).contains(from)
}

/// Replaces `list` by the legal moves.
#[inline]
pub(crate) fn list_legal_moves(position: &Position, list: &mut MoveList) {
    list.clear();
    generate(&Side::to_move(position), Among::All, &mut List(list));
}

/// Replaces `list` by the legal moves that capture or promote.
#[inline]
pub(crate) fn list_legal_captures(position: &Position, list: &mut MoveList) {
    list.clear();
    generate(&Side::to_move(position), Among::CapturesAndPromotions, &mut List(list));
}

struct List<'a>(&'a mut MoveList);

impl MoveSink for List<'_> {
    #[inline]
    fn piece(&mut self, _: Role, from: Square, targets: Bitboard) {
        for to in targets {
            self.0.push(Move::new(from, to));
        }
    }

    #[inline]
    fn pawns(&mut self, moves: &PawnMoves) {
        moves.for_each(|chosen| self.0.push(chosen));
    }
}

struct Count(u32);

impl MoveSink for Count {
    #[inline]
    fn piece(&mut self, _: Role, _: Square, targets: Bitboard) {
        self.0 += targets.count();
    }

    #[inline]
    fn pawns(&mut self, moves: &PawnMoves) {
        self.0 += moves.count();
    }
}

struct Any(bool);

impl MoveSink for Any {
    #[inline]
    fn piece(&mut self, _: Role, _: Square, targets: Bitboard) {
        self.0 |= !targets.is_empty();
    }

    #[inline]
    fn pawns(&mut self, moves: &PawnMoves) {
        self.0 |= !moves.targets().is_empty();
    }

    #[inline]
    fn is_satisfied(&self) -> bool {
        self.0
    }
}
