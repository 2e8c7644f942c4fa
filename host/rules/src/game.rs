//! Games: a first position and the moves that were played from it.

use ai_api::{Move, Position};

use crate::{
    Board, board_of, has_legal_move, is_insufficient_material, is_legal,
    outcome::{Claim, DrawReason, Outcome, Status},
    play,
    uci::{MoveError, format_uci},
    why_illegal,
};

mod boards;
mod issue;
mod moves;

pub use boards::Assumed;
pub use issue::{GameIssue, Place};

/// A first position and the legal moves played from it, up to the end of the game at most.
///
/// # Examples
/// ```
/// let mate = rules::Game::from_moves(None, &["f2f3", "e7e5", "g2g4", "d8h4"]).expect("all of them are legal");
/// let outcome = mate.status().outcome.expect("the game is over");
/// assert_eq!((outcome.winner(), outcome.reason()), (Some(ai_api::Color::Black), "checkmate"));
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    start: Position,
    position: Position,
    moves: Vec<Move>,
    /// The hash before each of the moves.
    hashes: Vec<u64>,
    outcome: Option<Outcome>,
}

impl Game {
    /// A game that begins with this position. It may be over at once.
    pub fn new(start: Position) -> Self {
        let mut game = Self { start, position: start, moves: Vec::new(), hashes: Vec::new(), outcome: None };
        game.outcome = game.ending();
        game
    }

    /// Plays a move.
    ///
    /// # Errors
    /// [`MoveError::GameOver`] if the game has ended, [`MoveError::Illegal`] if the move may not be played. The game
    /// then stays as it is.
    pub fn play(&mut self, chosen: Move) -> Result<(), MoveError> {
        if let Some(outcome) = self.outcome {
            return Err(MoveError::GameOver(outcome));
        }
        if let Some(reason) = why_illegal(&self.position, chosen) {
            return Err(MoveError::Illegal { text: chosen.to_string(), reason });
        }
        self.advance(chosen, play(&self.position, chosen));
        Ok(())
    }

    /// The position that the game began with.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The position now.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The moves played, in order.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Every position of the game as a board, the first one's included.
    pub fn boards(&self) -> impl Iterator<Item = Board> {
        let mut position = self.start;
        let after = self.moves.iter().map(move |&chosen| {
            position = play(&position, chosen);
            board_of(&position)
        });
        std::iter::once(board_of(&self.start)).chain(after)
    }

    /// The moves played, as UCI writes them.
    pub fn uci_moves(&self) -> Vec<String> {
        let mut position = self.start;
        let text = |&chosen: &Move| {
            let text = format_uci(&position, chosen).to_string();
            position = play(&position, chosen);
            text
        };
        self.moves.iter().map(text).collect()
    }

    /// How the game stands.
    pub fn status(&self) -> Status {
        let mut claims = Vec::new();
        if self.outcome.is_none() {
            if self.occurrences() >= 3 {
                claims.push(Claim::ThreefoldRepetition);
            }
            if self.position.halfmove_clock() >= 100 {
                claims.push(Claim::FiftyMoves);
            }
        }
        let turn = self.position.turn();
        Status { outcome: self.outcome, claims, turn, check: self.position.in_check() }
    }

    /// The hashes of the earlier positions of this record that may come again: those since the last capture or pawn
    /// move, oldest first, without the position now.
    pub fn history(&self) -> Vec<u64> {
        self.repeatable().to_vec()
    }

    fn repeatable(&self) -> &[u64] {
        let clock = usize::from(self.position.halfmove_clock());
        &self.hashes[self.hashes.len().saturating_sub(clock)..]
    }

    /// How often the position has stood on the board, now included.
    fn occurrences(&self) -> usize {
        let hash = self.position.hash();
        1 + self.repeatable().iter().rev().skip(1).step_by(2).filter(|&&earlier| earlier == hash).count()
    }

    /// How the position ends the game, in the order in which the rules count: mate goes before all draws.
    fn ending(&self) -> Option<Outcome> {
        /// Fewer plies cannot bring a position back four times.
        const SHORTEST_FIVEFOLD: u8 = 16;
        let position = &self.position;
        if !has_legal_move(position) {
            Some(if position.in_check() {
                Outcome::Win { winner: !position.turn() }
            } else {
                Outcome::Draw(DrawReason::Stalemate)
            })
        } else if is_insufficient_material(position) {
            Some(Outcome::Draw(DrawReason::InsufficientMaterial))
        } else if position.halfmove_clock() >= crate::setup::MAX_HALFMOVE_CLOCK {
            Some(Outcome::Draw(DrawReason::SeventyFiveMoves))
        } else if position.halfmove_clock() >= SHORTEST_FIVEFOLD && self.occurrences() >= 5 {
            Some(Outcome::Draw(DrawReason::FivefoldRepetition))
        } else {
            None
        }
    }

    fn reserve(&mut self, plies: usize) {
        self.moves.reserve(plies);
        self.hashes.reserve(plies);
    }

    /// Takes over a legal move and the position after it.
    fn advance(&mut self, chosen: Move, after: Position) {
        debug_assert!(is_legal(&self.position, chosen), "{chosen}");
        self.hashes.push(self.position.hash());
        self.moves.push(chosen);
        self.position = after;
        self.outcome = self.ending();
    }

    /// Whether there is no legal move, so that nothing can be said about further ones.
    fn is_dead_end(&self) -> bool {
        matches!(self.outcome, Some(Outcome::Win { .. } | Outcome::Draw(DrawReason::Stalemate)))
    }
}
