//! Generates legal moves.

#![expect(
    clippy::inline_always,
    reason = "each processor variant needs the entire generator inlined"
)]

mod generate;
mod legality;
mod pawns;
mod side;

use ai_api::{Bitboard, Color, Move, MoveList, Position, Role, Square};

use crate::{processor::variants, slides::Sliders};
pub(crate) use generate::{Among, MoveSink, generate};
pub use legality::is_legal;
pub(crate) use pawns::PawnMoves;
pub(crate) use side::{Side, castling_targets};

/// Returns every legal move, always in the same order for a position.
#[must_use]
pub fn legal_moves(position: &Position) -> MoveList {
    let mut list = MoveList::new();
    list_legal_moves(position, &mut list);
    list
}

/// Returns the legal moves of the piece on `from`; none if the side to move has no piece there.
#[must_use]
pub fn legal_moves_from(position: &Position, from: Square) -> MoveList {
    let mut list = legal_moves(position);
    list.retain(|chosen| chosen.from() == from);
    list
}

/// Returns the legal moves that capture, including en passant, or promote.
#[must_use]
pub fn legal_captures(position: &Position) -> MoveList {
    let mut list = MoveList::new();
    list_legal_captures(position, &mut list);
    list
}

/// Returns whether the side to move has a legal move; if not, it is mated or stalemated.
#[must_use]
#[inline]
pub fn has_legal_move(position: &Position) -> bool {
    has_free_pawn(position) || has_any_move(position)
}

/// Returns whether an unpinned pawn can step forward while the king is not in check. This quick
/// test is enough in nearly every position.
#[inline]
fn has_free_pawn(position: &Position) -> bool {
    let pawns = position.pieces(position.turn(), Role::Pawn) & !position.pinned();
    let ahead = match position.turn() {
        Color::White => pawns.0 << 8,
        Color::Black => pawns.0 >> 8,
    };
    !position.in_check() && ahead & !position.occupied().0 != 0
}

variants! {
    /// Returns whether the side to move has a legal move.
    fn has_any_move(position: &Position) -> bool = has_move;

    /// Counts the legal moves of `color`. For the side that is not to move, counts them as if it
    /// were its turn: without en passant, with castling where it would be legal, and without
    /// captures of the king.
    #[must_use]
    pub fn count_legal_moves(position: &Position, color: Color) -> u32 = count_moves;

    /// Replaces `list` with the legal moves.
    pub(crate) fn list_legal_moves(position: &Position, list: &mut MoveList) = list_moves;

    /// Replaces `list` with the legal moves that capture or promote.
    pub(crate) fn list_legal_captures(position: &Position, list: &mut MoveList) = list_captures;
}

#[inline(always)]
fn has_move<S: Sliders>(sliders: S, position: &Position) -> bool {
    let mut any = AnySink(false);
    generate(&Side::to_move(sliders, position), Among::All, &mut any);
    any.0
}

#[inline(always)]
pub(crate) fn count_moves<S: Sliders>(sliders: S, position: &Position, color: Color) -> u32 {
    let is_to_move = color == position.turn();
    let side = if is_to_move {
        Side::to_move(sliders, position)
    } else {
        Side::waiting(sliders, position)
    };
    let mut count = CountSink(0);
    generate(&side, Among::All, &mut count);
    count.0
}

#[inline(always)]
fn list_moves<S: Sliders>(sliders: S, position: &Position, list: &mut MoveList) {
    list.clear();
    generate(
        &Side::to_move(sliders, position),
        Among::All,
        &mut ListSink(list),
    );
}

#[inline(always)]
fn list_captures<S: Sliders>(sliders: S, position: &Position, list: &mut MoveList) {
    list.clear();
    generate(
        &Side::to_move(sliders, position),
        Among::CapturesAndPromotions,
        &mut ListSink(list),
    );
}

/// Creates a move with or without a promotion.
#[inline]
pub(crate) fn any_move(from: Square, to: Square, promotion: Option<Role>) -> Move {
    match promotion {
        Some(role) => Move::promoting(from, to, role),
        None => Move::new(from, to),
    }
}

struct ListSink<'a>(&'a mut MoveList);

impl MoveSink for ListSink<'_> {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.0.push(Move::new(from, to));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, moves: &PawnMoves) {
        moves.for_each(|chosen| self.0.push(chosen));
    }
}

struct CountSink(u32);

impl MoveSink for CountSink {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.0 += targets.count();
    }

    #[inline]
    fn pawns(&mut self, moves: &PawnMoves) {
        self.0 += moves.count();
    }
}

struct AnySink(bool);

impl MoveSink for AnySink {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse_fen, play, slides::Portable};

    /// Compares what this processor's variants and the portable ones return, in every position
    /// within `depth` plies.
    fn compare_variants(position: &Position, depth: u32) {
        let (moves, mut portable) = (legal_moves(position), MoveList::new());
        list_moves(Portable, position, &mut portable);
        assert_eq!(*moves, *portable, "{position:?}");
        list_captures(Portable, position, &mut portable);
        assert_eq!(*legal_captures(position), *portable, "{position:?}");
        assert_eq!(has_legal_move(position), has_move(Portable, position));
        assert_eq!(has_any_move(position), has_move(Portable, position));
        for color in Color::ALL {
            assert_eq!(
                count_legal_moves(position, color),
                count_moves(Portable, position, color)
            );
        }
        if depth > 0 {
            moves
                .iter()
                .for_each(|&chosen| compare_variants(&play(position, chosen), depth - 1));
        }
    }

    #[test]
    fn generates_the_same_moves_on_every_processor() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w FCfc - 0 1",
        ] {
            compare_variants(&parse_fen(fen).expect("a legal position"), 2);
        }
    }
}
