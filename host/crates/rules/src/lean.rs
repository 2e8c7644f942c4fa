//! Positions for searches that read neither hash nor clocks.

#![expect(
    clippy::inline_always,
    reason = "a variant for a processor compiles the whole generator"
)]

use ai_api::{Bitboard, CastlingRights, Color, Move, MoveList, Position, Role, Square};

use crate::{
    advance::{NO_EN_PASSANT, advance, castle},
    attacks::checkers_and_pinned,
    movegen::{Among, Count, List, Side, generate},
    processor::variants,
    slides::{Portable, Sliders},
};

/// A position without hash, clocks, checks and pins, which makes its moves twice as fast to play as
/// those of a [`Position`].
///
/// For code that plays far more positions than it looks at: perft, quiescence, proofs. Code that
/// compares positions or counts moves without progress needs a [`Position`].
///
/// # Examples
/// ```
/// use rules::LeanPosition;
///
/// let start = LeanPosition::from(&rules::start_position());
/// let replies: usize = start.legal_moves().iter().map(|&chosen| start.play(chosen).legal_moves().len()).sum();
/// assert_eq!(replies, 400);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeanPosition {
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
    castling: CastlingRights,
    /// The file of the last double step, or 8; whether a capture is legal shows when moves are
    /// generated.
    en_passant_file: u8,
    turn: Color,
}

impl From<&Position> for LeanPosition {
    fn from(position: &Position) -> Self {
        let parts = position.parts();
        Self {
            roles: parts.roles,
            colors: parts.colors,
            castling: parts.castling,
            en_passant_file: parts.en_passant_file,
            turn: parts.turn,
        }
    }
}

impl LeanPosition {
    /// The side to move.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.turn
    }

    /// The squares of one side's pieces of a role.
    #[inline]
    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.colors[color.index()] & self.roles[role.index()]
    }

    /// Returns whether `chosen`, a legal move, castles.
    pub(crate) fn is_castling(&self, chosen: Move) -> bool {
        self.colors[self.turn.index()].contains(chosen.to())
    }

    /// Returns whether the side to move is in check.
    pub fn in_check(&self) -> bool {
        !self.side(Portable).checkers.is_empty()
    }

    /// Returns every legal move, in the order of [`legal_moves`](crate::legal_moves).
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        list_moves(self, &mut list);
        list
    }

    /// Returns the number of legal moves.
    #[must_use]
    pub fn count_legal_moves(&self) -> u32 {
        count_moves(self)
    }

    /// Returns the position after a legal move; after any other move a meaningless one.
    #[must_use]
    #[inline]
    pub fn play(&self, chosen: Move) -> Self {
        let (from, to) = (chosen.from(), chosen.to());
        if self.is_castling(chosen) {
            return self.castle(from, to);
        }
        let advanced = advance(
            &self.roles,
            &self.colors,
            self.turn,
            self.castling,
            self.en_passant(),
            chosen,
        );
        let is_double_step =
            from.index() ^ to.index() == 16 && self.roles[Role::Pawn.index()].contains(from);
        Self {
            roles: advanced.roles,
            colors: advanced.colors(self.turn),
            castling: advanced.castling,
            en_passant_file: if is_double_step {
                to.file()
            } else {
                NO_EN_PASSANT
            },
            turn: !self.turn,
        }
    }

    #[cold]
    fn castle(&self, king: Square, rook: Square) -> Self {
        let mut after = Self {
            en_passant_file: NO_EN_PASSANT,
            turn: !self.turn,
            ..*self
        };
        let own = &mut after.colors[self.turn.index()];
        castle(
            &mut after.roles,
            own,
            &mut after.castling,
            self.turn,
            king,
            rook,
        );
        after
    }

    /// The square behind the pawn that has just made a double step.
    #[inline]
    fn en_passant(&self) -> Option<Square> {
        let rank = match self.turn {
            Color::White => 5,
            Color::Black => 2,
        };
        (self.en_passant_file < NO_EN_PASSANT).then(|| Square::new(self.en_passant_file, rank))
    }

    #[inline]
    pub(crate) fn side<S: Sliders>(&self, sliders: S) -> Side<'_, S> {
        let (own, enemy) = (
            self.colors[self.turn.index()],
            self.colors[(!self.turn).index()],
        );
        let (checkers, pinned) = checkers_and_pinned(&self.roles, own, enemy, self.turn);
        Side {
            castling: self.castling,
            checkers,
            pinned,
            en_passant: self.en_passant(),
            ..Side::new(sliders, &self.roles, own, enemy, self.turn)
        }
    }
}

variants! {
    fn list_moves(position: &LeanPosition, list: &mut MoveList) = list_legal_moves;
    fn count_moves(position: &LeanPosition) -> u32 = count_legal_moves;
}

#[inline(always)]
fn list_legal_moves<S: Sliders>(sliders: S, position: &LeanPosition, list: &mut MoveList) {
    generate(&position.side(sliders), Among::All, &mut List(list));
}

#[inline(always)]
pub(crate) fn count_legal_moves<S: Sliders>(sliders: S, position: &LeanPosition) -> u32 {
    let mut count = Count(0);
    generate(&position.side(sliders), Among::All, &mut count);
    count.0
}
