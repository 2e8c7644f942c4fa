//! A line of moves, as seen by the side that moves first in it.

use ai_api::{Bitboard, Color, Move, Position, Square};
use rules::{legal_captures, play};

use crate::claim::{Claim, LineVerb, Motif, PlacedPiece};

/// The maximum number of moves that a claim shows from a line.
const MAX_LINE: usize = 12;

/// A line with all its positions. Position 0 is the start, and position *n* follows *n* moves.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) verb: LineVerb,
    /// The side that moves first.
    pub(crate) actor: Color,
    /// The position before the judged move.
    pub(crate) before: Position,
    pub(crate) moves: Vec<Move>,
    pub(crate) positions: Vec<Position>,
}

impl Line {
    /// Plays a line of legal moves.
    pub(crate) fn new(verb: LineVerb, before: Position, start: Position, moves: &[Move]) -> Self {
        let mut positions = vec![start];
        for &chosen in moves {
            let last = positions.last().unwrap_or(&start);
            positions.push(play(last, chosen));
        }
        Self {
            verb,
            actor: start.turn(),
            before,
            moves: moves.to_vec(),
            positions,
        }
    }

    /// Returns a claim about this line.
    pub(crate) fn claim(&self, motif: Motif) -> Claim {
        Claim {
            start: self.verb.start(),
            line: self.moves.iter().copied().take(MAX_LINE).collect(),
            ..Claim::new(motif.kind(self.verb))
        }
    }

    pub(crate) fn victim(&self) -> Color {
        !self.actor
    }

    /// Returns squares rank by rank from the actor's side, so that the same claim is found first
    /// for both colors.
    pub(crate) fn by_rank(&self, squares: Bitboard) -> impl Iterator<Item = Square> + use<> {
        let mut squares: Vec<_> = squares.into_iter().collect();
        if self.actor == Color::Black {
            squares.sort_by_key(|square| 7 - square.rank());
        }
        squares.into_iter()
    }

    pub(crate) fn last(&self) -> &Position {
        self.positions.last().unwrap_or(&self.before)
    }

    /// Returns the number of moves that claims look at.
    pub(crate) fn len(&self) -> usize {
        self.moves.len().min(MAX_LINE)
    }

    /// Returns the move that leads to position `n`.
    pub(crate) fn move_to(&self, n: usize) -> Move {
        self.moves[n - 1]
    }

    pub(crate) fn is_capture(&self, n: usize) -> bool {
        self.positions[n - 1].is_capture(self.move_to(n))
    }

    fn is_forced(&self, n: usize) -> bool {
        self.is_capture(n) || self.move_to(n).promotion().is_some()
    }

    /// Returns whether no exchange is in progress in position `n`.
    pub(crate) fn is_quiet(&self, n: usize) -> bool {
        if n < self.len() {
            return !self.is_forced(n + 1);
        }
        self.is_quiet_end(n)
    }

    /// Returns whether position `n` would be quiet if the line ended there.
    pub(crate) fn is_quiet_end(&self, n: usize) -> bool {
        n == 0 || !self.is_forced(n) || !can_capture(&self.positions[n], self.move_to(n).to())
    }

    /// Returns the square of the piece that the move to position `n` captures.
    pub(crate) fn captured(&self, n: usize) -> Option<Square> {
        if !self.is_capture(n) {
            return None;
        }
        let (before, to) = (&self.positions[n - 1], self.move_to(n).to());
        Some(if before.color_at(to).is_some() {
            to
        } else {
            Square::new(to.file(), self.move_to(n).from().rank())
        })
    }

    /// Returns whether no move after position `from` and up to position `to` begins or ends on a
    /// square.
    pub(crate) fn is_undisturbed(&self, square: Square, from: usize, to: usize) -> bool {
        self.moves[from..to]
            .iter()
            .all(|chosen| chosen.from() != square && chosen.to() != square)
    }

    /// Returns the positions after the actor's moves, from `first` to `last`.
    pub(crate) fn after_actor(
        &self,
        first: usize,
        last: usize,
    ) -> impl Iterator<Item = usize> + Clone + use<> {
        (first..=last.min(self.len())).filter(|n| n % 2 == 1)
    }

    pub(crate) fn placed(&self, n: usize, square: Square) -> Option<PlacedPiece> {
        let role = self.positions[n].role_at(square)?;
        Some(PlacedPiece { role, square })
    }
}

/// Returns whether the side to move has a legal capture on a square.
pub(crate) fn can_capture(position: &Position, square: Square) -> bool {
    legal_captures(position)
        .iter()
        .any(|capture| capture.to() == square && position.is_capture(*capture))
}
