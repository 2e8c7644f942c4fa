//! Looking one move back: can the last move have led here?

use ai_api::{Bitboard, CastlingRights, CastlingSide, Color, Role, Square};
use thiserror::Error;

use super::material;
use crate::{
    attacks::{bishop_attacks, king_attacks, knight_attacks, rook_attacks},
    names::title,
    placement::{Placement, back_rank},
};

/// What speaks against an en passant square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EnPassantFault {
    /// The square lies on a rank that no pawn of the other side has just passed.
    #[error("with {} to move it lies on rank {expected}", title(*.turn))]
    WrongRank {
        /// Who moves.
        turn: Color,
        /// The rank where it would have to lie, 1 to 8.
        expected: u8,
    },
    /// No pawn has passed the square.
    #[error("there is no {} pawn on {square} that has just passed it", .color.name())]
    NoPawn {
        /// Whose pawn would have passed.
        color: Color,
        /// Where it would stand now.
        square: Square,
    },
    /// The pawn cannot have come that way.
    #[error("{square} is not empty, so the pawn has not just come over it")]
    Occupied {
        /// The square in the pawn's way: the en passant square or the one where the pawn began.
        square: Square,
    },
    /// The last move was no pawn move.
    #[error("the half-move clock is {0}; right after a pawn's move it is 0")]
    ClockRunning(u8),
    /// Before the pawn moved, the wrong side was in check.
    #[error("before the pawn moved, the {} king was in check from {by}, and it was not its turn", .color.name())]
    CheckBefore {
        /// Whose king.
        color: Color,
        /// One piece that gave check.
        by: Square,
    },
}

/// The squares that a pawn of `mover` and an en passant square between them have to do with.
#[derive(Clone, Copy)]
pub(super) struct DoublePush {
    /// Where the pawn began.
    pub(super) origin: Square,
    /// The square it passed.
    pub(super) passed: Square,
    /// Where it stands now.
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

/// What speaks against `passed` as the square that the other side's pawn has just passed.
pub(super) fn en_passant_faults(
    placement: &Placement,
    turn: Color,
    passed: Square,
    halfmove_clock: u8,
) -> Vec<EnPassantFault> {
    let push = DoublePush::of(!turn, passed.file());
    if push.passed != passed {
        return vec![EnPassantFault::WrongRank { turn, expected: push.passed.rank() + 1 }];
    }
    let mut faults = Vec::new();
    if placement.at(push.pawn) != Some((!turn, Role::Pawn)) {
        faults.push(EnPassantFault::NoPawn { color: !turn, square: push.pawn });
    }
    for square in [push.passed, push.origin] {
        if placement.occupied().contains(square) {
            faults.push(EnPassantFault::Occupied { square });
        }
    }
    if halfmove_clock != 0 {
        faults.push(EnPassantFault::ClockRunning(halfmove_clock));
    }
    if let (true, Some(king)) = (faults.is_empty(), placement.king(turn)) {
        let mut before = *placement;
        before.take(push.pawn);
        before.put(push.origin, !turn, Role::Pawn);
        faults.extend(
            before.attackers(king, !turn).first().map(|by| EnPassantFault::CheckBefore { color: turn, by }),
        );
    }
    faults
}

/// Whether some last move of the other side explains a double check of `turn`'s king.
pub(super) fn explains_double_check(
    placement: &Placement,
    turn: Color,
    checkers: Bitboard,
    rights: CastlingRights,
) -> bool {
    let Some(king) = placement.king(turn) else { return true };
    let past = Past { placement, mover: !turn, king };
    checkers.into_iter().any(|checker| past.explained_by_move_of(checker, rights))
        || past.explained_by_en_passant()
}

/// A position whose last move is looked for, so that before it `king` was not attacked.
struct Past<'a> {
    placement: &'a Placement,
    mover: Color,
    king: Square,
}

impl Past<'_> {
    fn explained_by_move_of(&self, checker: Square, rights: CastlingRights) -> bool {
        let Some((_, role)) = self.placement.at(checker) else { return false };
        if role == Role::Rook && self.may_castle_with(checker, rights) {
            return false;
        }
        let empty = !self.placement.occupied();
        let origins = match role {
            Role::Knight => knight_attacks(checker),
            Role::Bishop => bishop_attacks(checker, !empty),
            Role::Rook => rook_attacks(checker, !empty),
            Role::Queen => bishop_attacks(checker, !empty) | rook_attacks(checker, !empty),
            Role::King => king_attacks(checker),
            Role::Pawn => Bitboard::EMPTY,
        };
        let by_piece = (origins & empty)
            .into_iter()
            .any(|origin| self.was_quiet(checker, origin, role) || self.was_capture(checker, origin, role));
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

    /// Whether the piece on `square` was a pawn before the last move, one step behind it. Pawns that give check after
    /// two steps uncover no other piece.
    fn explained_by_pawn(&self, square: Square) -> bool {
        let rank = match self.mover {
            Color::White => square.rank().wrapping_sub(1),
            Color::Black => square.rank() + 1,
        };
        let behind = |file: u8| {
            (file < 8 && (1..7).contains(&rank))
                .then(|| Square::new(file, rank))
                .filter(|&origin| !self.placement.occupied().contains(origin))
        };
        let file = square.file();
        behind(file).is_some_and(|origin| self.was_quiet(square, origin, Role::Pawn))
            || [file.wrapping_sub(1), file + 1]
                .into_iter()
                .filter_map(behind)
                .any(|origin| self.was_capture(square, origin, Role::Pawn))
    }

    fn was_quiet(&self, now: Square, before: Square, role: Role) -> bool {
        let mut past = *self.placement;
        past.take(now);
        past.put(before, self.mover, role);
        self.is_quiet_past(&past)
    }

    /// A pawn is no case of its own: where one may be missing, a queen that it became may be too.
    fn was_capture(&self, now: Square, before: Square, role: Role) -> bool {
        let mut past = *self.placement;
        past.put(before, self.mover, role);
        Role::PROMOTIONS.into_iter().any(|captured| {
            past.put(now, !self.mover, captured);
            material::is_possible(&past, !self.mover) && self.is_quiet_past(&past)
        })
    }

    fn explained_by_en_passant(&self) -> bool {
        (0..8).any(|file| {
            let push = DoublePush::of(!self.mover, file);
            let path = Bitboard::of(push.pawn) | Bitboard::of(push.origin);
            self.placement.at(push.passed) == Some((self.mover, Role::Pawn))
                && (path & self.placement.occupied()).is_empty()
                && [file.wrapping_sub(1), file + 1].into_iter().filter(|file| *file < 8).any(|from| {
                    let from = Square::new(from, push.pawn.rank());
                    let mut past = *self.placement;
                    past.take(push.passed);
                    past.put(from, self.mover, Role::Pawn);
                    past.put(push.pawn, !self.mover, Role::Pawn);
                    !self.placement.occupied().contains(from)
                        && material::is_possible(&past, !self.mover)
                        && self.is_quiet_past(&past)
                })
        })
    }

    fn is_quiet_past(&self, past: &Placement) -> bool {
        past.attackers(self.king, self.mover).is_empty() && material::is_possible(past, self.mover)
    }
}
