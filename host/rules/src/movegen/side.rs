//! One side of a position, seen as the one that is about to move.

use ai_api::{Bitboard, CastlingSide, Color, Position, PositionParts, Role, Square};

use crate::attacks::{
    between, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, pinned, rook_attacks,
};

/// A side with what decides about its moves.
pub(crate) struct Side<'a> {
    pub(crate) parts: &'a PositionParts,
    pub(crate) color: Color,
    pub(crate) own: Bitboard,
    pub(crate) enemy: Bitboard,
    pub(crate) occupied: Bitboard,
    pub(crate) king: Square,
    pub(crate) checkers: Bitboard,
    pub(crate) pinned: Bitboard,
    /// The square to capture on en passant, where that is legal.
    pub(crate) en_passant: Option<Square>,
}

impl<'a> Side<'a> {
    /// The side to move.
    #[inline]
    pub(crate) fn to_move(position: &'a Position) -> Self {
        let parts = position.parts();
        Self {
            parts,
            color: parts.turn,
            own: parts.colors[parts.turn.index()],
            enemy: parts.colors[(!parts.turn).index()],
            occupied: position.occupied(),
            king: position.king(parts.turn),
            checkers: parts.checkers,
            pinned: parts.pinned,
            en_passant: position.en_passant(),
        }
    }

    /// The side that does not move, as if it were its turn. It is not in check: it has just moved.
    #[inline]
    pub(crate) fn waiting(position: &'a Position) -> Self {
        let parts = position.parts();
        let color = !parts.turn;
        Self {
            parts,
            color,
            own: parts.colors[color.index()],
            enemy: parts.colors[parts.turn.index()],
            occupied: position.occupied(),
            king: position.king(color),
            checkers: Bitboard::EMPTY,
            pinned: pinned(parts, color),
            en_passant: None,
        }
    }

    /// This side's pieces of a role.
    #[inline]
    pub(crate) fn pieces(&self, role: Role) -> Bitboard {
        self.own & self.parts.roles[role.index()]
    }

    /// Where a piece other than the king may go, as far as checks and other pieces decide it. The enemy's king is
    /// never a target: a side that waits may attack it.
    #[inline]
    pub(crate) fn targets(&self) -> Bitboard {
        let free = !(self.own | self.parts.roles[Role::King.index()]);
        match self.checkers.first() {
            None => free,
            Some(_) if self.checkers.has_several() => Bitboard::EMPTY,
            Some(checker) => between(self.king, checker) | checker.into(),
        }
    }

    /// Whether the enemy attacks `square`, where only `occupied` squares stop or hold a piece.
    #[inline]
    pub(crate) fn is_attacked(&self, square: Square, occupied: Bitboard) -> bool {
        let roles = |role: Role| self.parts.roles[role.index()];
        let queens = roles(Role::Queen);
        let attackers = bishop_attacks(square, occupied) & (roles(Role::Bishop) | queens)
            | rook_attacks(square, occupied) & (roles(Role::Rook) | queens)
            | knight_attacks(square) & roles(Role::Knight)
            | pawn_attacks(self.color, square) & roles(Role::Pawn)
            | king_attacks(square) & roles(Role::King);
        !(attackers & self.enemy & occupied).is_empty()
    }

    /// Where the king may step; castling is not among it.
    #[inline]
    pub(crate) fn king_targets(&self) -> Bitboard {
        self.king_targets_among(!(self.own | self.parts.roles[Role::King.index()]))
    }

    /// Where among `wanted` squares, none of them with a piece of its own, the king may step.
    #[inline]
    pub(crate) fn king_targets_among(&self, wanted: Bitboard) -> Bitboard {
        let mut targets = king_attacks(self.king) & wanted;
        if targets.is_empty() {
            return targets;
        }
        let enemies = |role: Role| self.parts.roles[role.index()] & self.enemy;
        targets &= !self.attacked_by_pawns(enemies(Role::Pawn));
        targets &= !enemies(Role::King).first().map_or(Bitboard::EMPTY, king_attacks);
        for knight in enemies(Role::Knight) {
            targets &= !knight_attacks(knight);
        }
        // The king does not hide a square behind it from a slider: it steps away.
        let occupied = self.occupied & !Bitboard::of(self.king);
        let queens = enemies(Role::Queen);
        let diagonal = enemies(Role::Bishop) | queens;
        let orthogonal = enemies(Role::Rook) | queens;
        // A king in the open has more squares than the enemy has sliders: then look from the sliders.
        if has_more_than_two(targets) {
            for slider in diagonal {
                targets &= !bishop_attacks(slider, occupied);
            }
            for slider in orthogonal {
                targets &= !rook_attacks(slider, occupied);
            }
        } else {
            for target in targets {
                let attackers =
                    bishop_attacks(target, occupied) & diagonal | rook_attacks(target, occupied) & orthogonal;
                if !attackers.is_empty() {
                    targets ^= target.into();
                }
            }
        }
        targets
    }

    #[inline]
    fn attacked_by_pawns(&self, enemy_pawns: Bitboard) -> Bitboard {
        let pawns = enemy_pawns.0;
        let aside = (pawns & !Bitboard::file(7).0) << 1 | (pawns & !Bitboard::file(0).0) >> 1;
        Bitboard(match self.color {
            Color::White => aside >> 8,
            Color::Black => aside << 8,
        })
    }

    /// Whether the pawn on `from` may capture en passant on `target`: two pawns vanish from their squares at once.
    pub(crate) fn may_capture_en_passant(&self, from: Square, target: Square) -> bool {
        let captured = Bitboard(Bitboard::of(target).0.rotate_left(match self.color {
            Color::White => 56,
            Color::Black => 8,
        }));
        let after = self.occupied & !Bitboard::of(from) & !captured | target.into();
        !self.is_attacked(self.king, after)
    }

    /// The pawns that may capture en passant on `target`.
    #[inline]
    pub(crate) fn en_passant_captors(&self, target: Square) -> Bitboard {
        let near = pawn_attacks(!self.color, target) & self.pieces(Role::Pawn);
        near.into_iter().filter(|&from| self.may_capture_en_passant(from, target)).collect()
    }

    /// The rooks to castle with now.
    #[inline]
    pub(crate) fn castling_rooks(&self) -> Bitboard {
        let mut rooks = Bitboard::EMPTY;
        if !self.parts.castling.is_none() && self.checkers.is_empty() {
            for side in CastlingSide::ALL {
                if let Some(file) = self.parts.castling.rook_file(self.color, side) {
                    let rook = Square::new(file, self.king.rank());
                    // In every set-up the squares between the two are among those that must be free.
                    if (between(self.king, rook) & self.occupied).is_empty() && self.may_castle(rook, side) {
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
        // While the king crosses, its rook stands where it stood; a rook that shielded it shows in the end.
        (needed & others).is_empty()
            && !self.is_attacked(king_target, castled)
            && crossed.into_iter().all(|square| !self.is_attacked(square, others | rook.into()))
    }
}

#[inline]
fn has_more_than_two(set: Bitboard) -> bool {
    Bitboard(set.0 & set.0.wrapping_sub(1)).has_several()
}

/// Where the king and the rook arrive when a king on `king` castles.
#[inline]
pub(crate) fn castling_targets(king: Square, side: CastlingSide) -> (Square, Square) {
    match side {
        CastlingSide::King => (Square::new(6, king.rank()), Square::new(5, king.rank())),
        CastlingSide::Queen => (Square::new(2, king.rank()), Square::new(3, king.rank())),
    }
}
