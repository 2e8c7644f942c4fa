//! A side of a position, with everything that determines its moves.

use ai_api::{Bitboard, CastlingRights, CastlingSide, Color, Position, Role, Square};
use ai_attacks::{attacks_of_pawns, between, king_attacks, knight_attacks, pawn_attacks};

use crate::{
    attacks::{attackers_among, checkers_and_pinned},
    slides::Sliders,
};

/// A side with everything that determines its moves.
pub(crate) struct Side<'a, S> {
    pub(crate) sliders: S,
    pub(crate) roles: &'a [Bitboard; 6],
    pub(crate) castling: CastlingRights,
    pub(crate) color: Color,
    pub(crate) own: Bitboard,
    pub(crate) enemy: Bitboard,
    pub(crate) occupied: Bitboard,
    pub(crate) king: Square,
    pub(crate) checkers: Bitboard,
    pub(crate) pinned: Bitboard,
    /// The square of a legal en passant capture.
    pub(crate) en_passant: Option<Square>,
}

impl<'a, S: Sliders> Side<'a, S> {
    /// The side to move.
    #[inline]
    pub(crate) fn to_move(sliders: S, position: &'a Position) -> Self {
        let parts = position.parts();
        let (own, enemy) = (
            parts.colors[parts.turn.index()],
            parts.colors[(!parts.turn).index()],
        );
        Self {
            castling: parts.castling,
            checkers: parts.checkers,
            pinned: parts.pinned,
            en_passant: position.en_passant(),
            ..Self::new(sliders, &parts.roles, own, enemy, parts.turn)
        }
    }

    /// The side that is not to move, as if it were its turn. It has just moved, so it is not in
    /// check.
    #[inline]
    pub(crate) fn waiting(sliders: S, position: &'a Position) -> Self {
        let parts = position.parts();
        let color = !parts.turn;
        let (own, enemy) = (
            parts.colors[color.index()],
            parts.colors[parts.turn.index()],
        );
        Self {
            castling: parts.castling,
            pinned: checkers_and_pinned(&parts.roles, own, enemy, color).1,
            ..Self::new(sliders, &parts.roles, own, enemy, color)
        }
    }

    /// A side without castling rights, en passant, checkers or pinned pieces.
    #[inline]
    pub(crate) fn new(
        sliders: S,
        roles: &'a [Bitboard; 6],
        own: Bitboard,
        enemy: Bitboard,
        color: Color,
    ) -> Self {
        Self {
            sliders,
            roles,
            castling: CastlingRights::NONE,
            color,
            own,
            enemy,
            occupied: own | enemy,
            king: Square::from_index((own & roles[Role::King.index()]).0.trailing_zeros() as u8),
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            en_passant: None,
        }
    }

    /// This side's pieces of the given role.
    #[inline]
    pub(crate) fn pieces(&self, role: Role) -> Bitboard {
        self.own & self.roles[role.index()]
    }

    /// The squares to which a piece other than the king may move, given checks and other pieces.
    /// Excludes the enemy king, which a side that is not to move may attack.
    #[inline]
    pub(crate) fn targets(&self) -> Bitboard {
        let free = !(self.own | self.roles[Role::King.index()]);
        match self.checkers.first() {
            None => free,
            Some(_) if self.checkers.has_several() => Bitboard::EMPTY,
            Some(checker) => between(self.king, checker) | checker.into(),
        }
    }

    /// Returns whether the enemy attacks `square` if only `occupied` squares hold pieces.
    #[inline]
    pub(crate) fn is_attacked(&self, square: Square, occupied: Bitboard) -> bool {
        let enemy = self.enemy & occupied;
        !attackers_among(
            self.sliders,
            self.roles,
            enemy,
            self.color,
            square,
            occupied,
        )
        .is_empty()
    }

    /// The squares that the king may step to, without castling.
    #[inline]
    pub(crate) fn king_targets(&self) -> Bitboard {
        self.king_targets_among(!(self.own | self.roles[Role::King.index()]))
    }

    /// The `wanted` squares that the king may step to. None of them may hold a piece of this side.
    #[inline(always)]
    pub(crate) fn king_targets_among(&self, wanted: Bitboard) -> Bitboard {
        let mut targets = king_attacks(self.king) & wanted;
        if targets.is_empty() {
            return targets;
        }
        let enemies = |role: Role| self.roles[role.index()] & self.enemy;
        targets &= !attacks_of_pawns(!self.color, enemies(Role::Pawn));
        targets &= !enemies(Role::King)
            .first()
            .map_or(Bitboard::EMPTY, king_attacks);
        for knight in enemies(Role::Knight) {
            targets &= !knight_attacks(knight);
        }
        // The king leaves its square, so it doesn't shield the squares behind it.
        let occupied = self.occupied & !Bitboard::of(self.king);
        let queens = enemies(Role::Queen);
        let diagonal = enemies(Role::Bishop) | queens;
        let orthogonal = enemies(Role::Rook) | queens;
        // There are usually fewer sliders than targets, so compute the attacks of the sliders.
        if has_more_than_two(targets) {
            for slider in diagonal {
                targets &= !self.sliders.bishop(slider, occupied);
            }
            for slider in orthogonal {
                targets &= !self.sliders.rook(slider, occupied);
            }
        } else {
            for target in targets {
                let attackers = self.sliders.bishop(target, occupied) & diagonal
                    | self.sliders.rook(target, occupied) & orthogonal;
                if !attackers.is_empty() {
                    targets ^= target.into();
                }
            }
        }
        targets
    }

    /// Returns whether the pawn on `from` may capture en passant on `target`, which removes two
    /// pawns from their squares at once.
    fn may_capture_en_passant(&self, from: Square, target: Square) -> bool {
        let captured = Square::new(target.file(), from.rank());
        let after = self.occupied & !Bitboard::of(from) & !Bitboard::of(captured) | target.into();
        !self.is_attacked(self.king, after)
    }

    /// The pawns that may capture en passant on `target`.
    #[inline]
    pub(crate) fn en_passant_captors(&self, target: Square) -> Bitboard {
        let near = pawn_attacks(!self.color, target) & self.pieces(Role::Pawn);
        near.into_iter()
            .filter(|&from| self.may_capture_en_passant(from, target))
            .collect()
    }

    /// The rooks with which castling is legal now.
    #[inline]
    pub(crate) fn castling_rooks(&self) -> Bitboard {
        let mut rooks = Bitboard::EMPTY;
        if !self.castling.is_none() && self.checkers.is_empty() {
            for side in CastlingSide::ALL {
                if let Some(file) = self.castling.rook_file(self.color, side) {
                    let rook = Square::new(file, self.king.rank());
                    // The squares between king and rook must be free in every set-up.
                    if (between(self.king, rook) & self.occupied).is_empty()
                        && self.may_castle(rook, side)
                    {
                        rooks |= rook.into();
                    }
                }
            }
        }
        rooks
    }

    fn may_castle(&self, rook: Square, side: CastlingSide) -> bool {
        let (king_target, rook_target) = castling_targets(self.king, side);
        let others = self.occupied & !Bitboard::of(self.king) & !Bitboard::of(rook);
        let crossed = between(self.king, king_target);
        let needed = crossed | between(rook, rook_target) | king_target.into() | rook_target.into();
        let castled = others | king_target.into() | rook_target.into();
        // The rook stays on its square while the king crosses. The final position shows whether it
        // shielded the king.
        (needed & others).is_empty()
            && !self.is_attacked(king_target, castled)
            && crossed
                .into_iter()
                .all(|square| !self.is_attacked(square, others | rook.into()))
    }
}

#[inline]
fn has_more_than_two(set: Bitboard) -> bool {
    Bitboard(set.0 & set.0.wrapping_sub(1)).has_several()
}

/// The targets of king and rook when a king on `king` castles.
#[inline]
pub(crate) fn castling_targets(king: Square, side: CastlingSide) -> (Square, Square) {
    match side {
        CastlingSide::King => (Square::new(6, king.rank()), Square::new(5, king.rank())),
        CastlingSide::Queen => (Square::new(2, king.rank()), Square::new(3, king.rank())),
    }
}
