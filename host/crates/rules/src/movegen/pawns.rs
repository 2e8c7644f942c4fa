//! The moves of all pawns of a side.

use ai_api::{Bitboard, Color, Move, Role, Square};
use ai_attacks::{antidiagonal, diagonal};

use super::Side;

/// The targets of pawns. No square is in both `one` and `two`, or in either of them and a capture
/// set.
pub(crate) struct PawnMoves {
    color: Color,
    /// One step ahead.
    one: Bitboard,
    /// Two steps ahead.
    two: Bitboard,
    /// Captures towards the a-file.
    towards_a: Bitboard,
    /// Captures towards the h-file.
    towards_h: Bitboard,
}

impl PawnMoves {
    const LAST_RANKS: Bitboard = Bitboard(0xff00_0000_0000_00ff);

    /// The moves of `pawns`, a subset of the side's pawns, restricted to `targets`.
    #[inline]
    pub(crate) fn of<S>(side: &Side<'_, S>, pawns: Bitboard, targets: Bitboard) -> Self {
        let steps = PawnSteps::of(side.color);
        let (third_rank, diagonal_up, diagonal_down) = match side.color {
            Color::White => (
                Bitboard::rank(2),
                diagonal(side.king),
                antidiagonal(side.king),
            ),
            Color::Black => (
                Bitboard::rank(5),
                antidiagonal(side.king),
                diagonal(side.king),
            ),
        };
        let free = !side.pinned;
        let empty = !side.occupied;
        let one = Bitboard(
            (pawns & (free | Bitboard::file(side.king.file())))
                .0
                .rotate_left(steps.ahead),
        ) & empty;
        let two = Bitboard((one & third_rank).0.rotate_left(steps.ahead)) & empty;
        let victims = side.enemy & targets;
        let towards_a = pawns & (free | diagonal_down) & !Bitboard::file(0);
        let towards_h = pawns & (free | diagonal_up) & !Bitboard::file(7);
        Self {
            color: side.color,
            one: one & targets,
            two: two & targets,
            towards_a: Bitboard(towards_a.0.rotate_left(steps.towards_a)) & victims,
            towards_h: Bitboard(towards_h.0.rotate_left(steps.towards_h)) & victims,
        }
    }

    /// The moves that capture or promote.
    #[inline]
    pub(crate) fn without_quiet(self) -> Self {
        Self {
            one: self.one & Self::LAST_RANKS,
            two: Bitboard::EMPTY,
            ..self
        }
    }

    /// Every target.
    #[inline]
    pub(crate) fn targets(&self) -> Bitboard {
        self.one | self.two | self.towards_a | self.towards_h
    }

    /// The number of moves.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        let disjoint = self.one | self.two | self.towards_a;
        let mut count = disjoint.count() + self.towards_h.count();
        let promotions = (disjoint | self.towards_h) & Self::LAST_RANKS;
        if !promotions.is_empty() {
            count += 3 * ((disjoint & promotions).count() + (self.towards_h & promotions).count());
        }
        count
    }

    /// Calls `follow` with each move.
    #[expect(
        clippy::inline_always,
        reason = "`follow` is most of perft, and is faster where the pawn is a constant"
    )]
    #[inline(always)]
    pub(crate) fn for_each(&self, mut follow: impl FnMut(Move)) {
        let steps = PawnSteps::of(self.color);
        let sets = [
            (self.one, steps.ahead),
            (self.two, 2 * steps.ahead),
            (self.towards_a, steps.towards_a),
            (self.towards_h, steps.towards_h),
        ];
        for (targets, step) in sets {
            for to in targets & !Self::LAST_RANKS {
                follow(Move::new(origin(to, step), to));
            }
        }
        for (targets, step) in sets {
            for to in targets & Self::LAST_RANKS {
                for role in Role::PROMOTIONS {
                    follow(Move::promoting(origin(to, step), to, role));
                }
            }
        }
    }
}

/// The origin of a pawn that reached `to`, given the rotation of its step.
#[inline]
fn origin(to: Square, step: u32) -> Square {
    Square::from_index((to.index() as u32).wrapping_sub(step) as u8)
}

/// Left rotations of a bitboard that shift its squares the way pawns move.
struct PawnSteps {
    ahead: u32,
    towards_a: u32,
    towards_h: u32,
}

impl PawnSteps {
    #[inline]
    fn of(color: Color) -> Self {
        match color {
            Color::White => Self {
                ahead: 8,
                towards_a: 7,
                towards_h: 9,
            },
            Color::Black => Self {
                ahead: 56,
                towards_a: 55,
                towards_h: 57,
            },
        }
    }
}
