//! Values of known results.

use ai_api::{Bound, Position, TableResult};

use super::{king_pawn, tables::Tables};

/// The value of a tablebase win at the root: above every evaluation, below every mate.
const WIN: i32 = 20_000;

/// What is known about the value of a position for its side to move. A win may be a mate, so it is
/// a lower bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) value: i32,
    pub(crate) bound: Bound,
}

impl Known {
    /// Returns the value of a tablebase result `ply` plies after the root. An early win is better
    /// than a late one.
    pub(crate) fn of(result: TableResult, ply: usize) -> Self {
        let win = WIN - ply as i32;
        match result {
            TableResult::Win => Self {
                value: win,
                bound: Bound::Lower,
            },
            TableResult::Loss => Self {
                value: -win,
                bound: Bound::Upper,
            },
            TableResult::CursedWin | TableResult::Draw | TableResult::BlessedLoss => Self::DRAW,
        }
    }

    const DRAW: Self = Self {
        value: 0,
        bound: Bound::Exact,
    };

    /// Looks up a position of the search `ply` plies after the root, but only after a capture or a
    /// pawn move: tables do not count the half-moves since then.
    #[inline]
    pub(crate) fn lookup(tables: Tables<'_>, position: &Position, ply: usize) -> Option<Self> {
        if position.halfmove_clock() != 0 {
            return None;
        }
        match tables.probe_wdl(position) {
            Some(result) => Some(Self::of(result, ply)),
            // The search has to find out how to win.
            None => king_pawn::is_win(position)
                .filter(|is_win| !is_win)
                .map(|_| Self::DRAW),
        }
    }

    /// Returns whether the value decides a search in the window from `alpha` to `beta`.
    pub(crate) const fn cuts(self, alpha: i32, beta: i32) -> bool {
        match self.bound {
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value <= alpha,
            Bound::Exact => true,
        }
    }

    /// Returns whether `value` contradicts what is known.
    pub(crate) const fn excludes(self, value: i32) -> bool {
        match self.bound {
            Bound::Lower => value < self.value,
            Bound::Upper => value > self.value,
            Bound::Exact => value != self.value,
        }
    }
}
