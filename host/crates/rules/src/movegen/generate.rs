//! Generates the moves of a side as sets of squares.

#![expect(
    clippy::inline_always,
    reason = "each sink gets its own generator; without it, perft is a quarter slower"
)]

use ai_api::{Bitboard, Role, Square};
use ai_attacks::{knight_attacks, line};

use super::{PawnMoves, Side};
use crate::{attacks::piece_attacks, slides::Sliders};

/// Receives the moves that [`generate`] finds.
pub(crate) trait MoveSink {
    /// Receives the moves of the piece on `from`, none of them promotions. If a king's target is a
    /// rook of its side, the move is castling.
    fn piece(&mut self, from: Square, targets: Bitboard);
    /// Receives the moves of all pawns except en passant captures.
    fn pawns(&mut self, moves: &PawnMoves);
    /// Returns whether the generator may stop.
    #[inline]
    fn is_satisfied(&self) -> bool {
        false
    }
}

/// The moves to generate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    /// Every legal move.
    All,
    /// The legal moves that capture or promote.
    CapturesAndPromotions,
}

/// Passes the legal moves of `side` to `sink`.
#[inline(always)]
pub(crate) fn generate<S: Sliders, M: MoveSink>(side: &Side<'_, S>, among: Among, sink: &mut M) {
    if !side.checkers.has_several() {
        let targets = side.targets();
        pawns(side, targets, among, sink);
        if sink.is_satisfied() {
            return;
        }
        let targets = match among {
            Among::All => targets,
            Among::CapturesAndPromotions => targets & side.enemy,
        };
        pieces(side, targets, sink);
        if sink.is_satisfied() {
            return;
        }
    }
    match among {
        Among::All => sink.piece(side.king, side.king_targets() | side.castling_rooks()),
        Among::CapturesAndPromotions => {
            sink.piece(side.king, side.king_targets_among(side.enemy));
        }
    }
}

#[inline(always)]
fn pieces<S: Sliders, M: MoveSink>(side: &Side<'_, S>, targets: Bitboard, sink: &mut M) {
    for from in side.pieces(Role::Knight) & !side.pinned {
        sink.piece(from, knight_attacks(from) & targets);
    }
    for from in side.pieces(Role::Bishop) & !side.pinned {
        sink.piece(from, side.sliders.bishop(from, side.occupied) & targets);
    }
    for from in side.pieces(Role::Rook) & !side.pinned {
        sink.piece(from, side.sliders.rook(from, side.occupied) & targets);
    }
    for from in side.pieces(Role::Queen) & !side.pinned {
        sink.piece(
            from,
            piece_attacks(side.sliders, Role::Queen, from, side.occupied) & targets,
        );
    }
    if !side.pinned.is_empty() {
        for role in [Role::Bishop, Role::Rook, Role::Queen] {
            for from in side.pieces(role) & side.pinned {
                let reached = piece_attacks(side.sliders, role, from, side.occupied);
                sink.piece(from, reached & targets & line(side.king, from));
            }
        }
    }
}

#[inline(always)]
fn pawns<S: Sliders, M: MoveSink>(
    side: &Side<'_, S>,
    targets: Bitboard,
    among: Among,
    sink: &mut M,
) {
    let moves = PawnMoves::of(side, side.pieces(Role::Pawn), targets);
    sink.pawns(&match among {
        Among::All => moves,
        Among::CapturesAndPromotions => moves.without_quiet(),
    });
    if let Some(target) = side.en_passant {
        for from in side.en_passant_captors(target) {
            sink.piece(from, target.into());
        }
    }
}
