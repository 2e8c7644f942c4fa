//! Checks whether a last move could have led to a position.

use ai_api::{Bitboard, CastlingRights, CastlingSide, Color, Role, Square};
use ai_attacks::pawn_attacks;

use super::material;
use crate::{
    attacks::piece_attacks,
    names::title,
    placement::{Placement, back_rank},
    slides::Portable,
    texts::errors,
};

errors! {
    /// A fault in an en passant square.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum EnPassantFault {
        /// The square is not on the rank that a pawn of the other side passes.
        #[error("with {} to move, it must be on rank {expected}", title(*turn))]
        WrongRank {
            /// The side to move.
            turn: Color,
            /// The expected rank, 1 to 8.
            expected: u8,
        },
        /// No pawn has passed the square.
        #[error("found no {} pawn on {square} that has just passed it", color.name())]
        NoPawn {
            /// The side of the pawn.
            color: Color,
            /// The square where the pawn would be.
            square: Square,
        },
        /// The pawn's path is not empty.
        #[error("{square} is not empty, so the pawn cannot have just passed it")]
        Occupied {
            /// The occupied square: the en passant square or the pawn's origin.
            square: Square,
        },
        /// Before the pawn moved, the wrong side was in check.
        #[error(
            "before the pawn moved, the {} king was in check from {by}, but it was the other \
             side's turn",
            color.name()
        )]
        CheckBefore {
            /// The side whose king was in check.
            color: Color,
            /// One piece that gave check.
            by: Square,
        },
    }
}

/// The squares of a pawn's double push.
#[derive(Clone, Copy)]
pub(super) struct DoublePush {
    pub(super) origin: Square,
    pub(super) passed: Square,
    /// The square of the pawn after the push.
    pub(super) pawn: Square,
}

impl DoublePush {
    /// The double push of `mover` on a file, 0 to 7.
    pub(super) fn of(mover: Color, file: u8) -> Self {
        let [origin, passed, pawn] = match mover {
            Color::White => [1, 2, 3],
            Color::Black => [6, 5, 4],
        };
        Self {
            origin: Square::new(file, origin),
            passed: Square::new(file, passed),
            pawn: Square::new(file, pawn),
        }
    }
}

/// Returns every fault of `passed` as the square that the other side's pawn has just passed. A
/// half-move clock above 0 is not a fault: many programs write one.
pub(super) fn en_passant_faults(
    placement: &Placement,
    turn: Color,
    passed: Square,
) -> Vec<EnPassantFault> {
    let push = DoublePush::of(!turn, passed.file());
    if push.passed != passed {
        return vec![EnPassantFault::WrongRank {
            turn,
            expected: push.passed.rank() + 1,
        }];
    }
    let mut faults = Vec::new();
    if placement.at(push.pawn) != Some((!turn, Role::Pawn)) {
        faults.push(EnPassantFault::NoPawn {
            color: !turn,
            square: push.pawn,
        });
    }
    for square in [push.passed, push.origin] {
        if placement.occupied().contains(square) {
            faults.push(EnPassantFault::Occupied { square });
        }
    }
    if let (true, Some(king)) = (faults.is_empty(), placement.king(turn)) {
        let mut before = *placement;
        before.take(push.pawn);
        before.put(push.origin, !turn, Role::Pawn);
        faults.extend(
            before
                .attackers(king, !turn)
                .first()
                .map(|by| EnPassantFault::CheckBefore { color: turn, by }),
        );
    }
    faults
}

/// Returns whether some last move of the other side explains a double check on `turn`'s king.
pub(super) fn explains_double_check(
    placement: &Placement,
    turn: Color,
    checkers: Bitboard,
    rights: CastlingRights,
) -> bool {
    let Some(king) = placement.king(turn) else {
        return true;
    };
    let past = Past {
        placement,
        mover: !turn,
        king,
    };
    checkers
        .into_iter()
        .any(|checker| past.explained_by_move_of(checker, rights))
        || past.explained_by_en_passant()
}

/// A search for a last move before which `king` was not under attack.
struct Past<'a> {
    placement: &'a Placement,
    mover: Color,
    king: Square,
}

impl Past<'_> {
    fn explained_by_move_of(&self, checker: Square, rights: CastlingRights) -> bool {
        let Some((_, role)) = self.placement.at(checker) else {
            return false;
        };
        if role == Role::Rook && self.may_castle_with(checker, rights) {
            return false;
        }
        let occupied = self.placement.occupied();
        let origins = piece_attacks(Portable, role, checker, occupied) & !occupied;
        let by_piece = origins.into_iter().any(|origin| {
            self.was_quiet(checker, origin, role) || self.was_capture(checker, origin, role)
        });
        let last_rank = back_rank(!self.mover);
        let promotes = checker.rank() == last_rank && Role::PROMOTIONS.contains(&role);
        by_piece || (role == Role::Pawn || promotes) && self.explained_by_pawn(checker)
    }

    fn may_castle_with(&self, rook: Square, rights: CastlingRights) -> bool {
        rook.rank() == back_rank(self.mover)
            && CastlingSide::ALL
                .into_iter()
                .any(|side| rights.rook_file(self.mover, side) == Some(rook.file()))
    }

    /// Returns whether the last move could have been a pawn's single step or capture to `square`,
    /// with or without a promotion. A double step is not considered: a pawn that gives check
    /// after one doesn't uncover any other piece.
    fn explained_by_pawn(&self, square: Square) -> bool {
        const PAWN_RANKS: Bitboard = Bitboard(0x00ff_ffff_ffff_ff00);
        let free = PAWN_RANKS & !self.placement.occupied();
        let behind = Bitboard(match self.mover {
            Color::White => Bitboard::of(square).0 >> 8,
            Color::Black => Bitboard::of(square).0 << 8,
        });
        let aside = pawn_attacks(!self.mover, square);
        (behind & free)
            .into_iter()
            .any(|origin| self.was_quiet(square, origin, Role::Pawn))
            || (aside & free)
                .into_iter()
                .any(|origin| self.was_capture(square, origin, Role::Pawn))
    }

    fn was_quiet(&self, now: Square, before: Square, role: Role) -> bool {
        let mut past = *self.placement;
        past.take(now);
        past.put(before, self.mover, role);
        self.is_quiet_past(&past)
    }

    /// Captured pawns need no separate case: if a pawn may be missing, so may the queen that it
    /// would have become.
    fn was_capture(&self, now: Square, before: Square, role: Role) -> bool {
        let mut past = *self.placement;
        past.put(before, self.mover, role);
        Role::PROMOTIONS.into_iter().any(|captured| {
            past.put(now, !self.mover, captured);
            material::is_possible(&past, !self.mover) && self.is_quiet_past(&past)
        })
    }

    fn explained_by_en_passant(&self) -> bool {
        let occupied = self.placement.occupied();
        (0..8).any(|file| {
            let push = DoublePush::of(!self.mover, file);
            let path = Bitboard::of(push.pawn) | Bitboard::of(push.origin);
            let origins = pawn_attacks(!self.mover, push.passed) & !occupied;
            self.placement.at(push.passed) == Some((self.mover, Role::Pawn))
                && (path & occupied).is_empty()
                && origins.into_iter().any(|origin| {
                    let mut past = *self.placement;
                    past.take(push.passed);
                    past.put(origin, self.mover, Role::Pawn);
                    past.put(push.pawn, !self.mover, Role::Pawn);
                    material::is_possible(&past, !self.mover) && self.is_quiet_past(&past)
                })
        })
    }

    fn is_quiet_past(&self, past: &Placement) -> bool {
        past.attackers(self.king, self.mover).is_empty() && material::is_possible(past, self.mover)
    }
}
