//! Games: a first position and the moves played from it.

use std::fmt;

use ai_api::{Move, Position, Square};

use crate::{
    Board, board_of, has_legal_move, is_insufficient_material, is_legal,
    outcome::{DrawClaim, DrawReason, Outcome, Status},
    passed_square, play, play_into,
    uci::{MoveError, written_move},
    why_illegal,
};

mod boards;
mod issue;
mod moves;
mod occurrences;

pub use boards::Assumed;
pub use issue::{GameIssue, Place};
use occurrences::MostOccurrences;

/// A first position and the legal moves played from it. No move follows checkmate or stalemate.
///
/// [`play`](Self::play) doesn't add moves to a finished game. A game that was read may continue
/// after a draw without a claim, because older rules and most programs do not end a game there.
/// [`drawn_at`](Self::drawn_at) returns the place of the draw.
///
/// # Examples
/// ```
/// let moves = ["f2f3", "e7e5", "g2g4", "d8h4"];
/// let mate = rules::Game::from_moves(None, &moves).expect("all of them are legal");
/// let outcome = mate.status().outcome.expect("the game is over");
/// assert_eq!((outcome.winner(), outcome.reason()), (Some(ai_api::Color::Black), "checkmate"));
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    start: Position,
    /// The square that a pawn passed with a double push just before the start.
    passed_before: Option<Square>,
    /// After an even number of moves, the first element is the current position; after an odd
    /// number, the second. The other element is the previous position, which the next move
    /// overwrites.
    positions: [Position; 2],
    moves: Vec<Move>,
    /// The hash of the position before each move.
    hashes: Vec<u64>,
    /// Counts positions since the last capture or pawn move, once there are enough for a fivefold
    /// repetition.
    most_occurrences: MostOccurrences,
    outcome: Option<Outcome>,
    drawn_at: Option<DrawnAt>,
}

/// Where a game that continued was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawnAt {
    /// The half-move that led to the draw, counted from 1; 0 if the first position is drawn.
    pub ply: usize,
    /// The rule that draws the game.
    pub reason: DrawReason,
}

impl fmt::Display for DrawnAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = Outcome::Draw(self.reason);
        match self.ply {
            0 => write!(f, "{outcome} in its first position"),
            ply => write!(f, "{outcome} after ply {ply}"),
        }
    }
}

impl Game {
    /// Starts a game from a position, even a final one.
    pub fn new(start: Position) -> Self {
        Self {
            start,
            passed_before: start.en_passant(),
            positions: [start; 2],
            moves: Vec::new(),
            hashes: Vec::new(),
            most_occurrences: MostOccurrences::default(),
            outcome: find_outcome(&start, false),
            drawn_at: None,
        }
    }

    /// Plays a move.
    ///
    /// # Errors
    /// [`MoveError::GameOver`] if the game has ended, [`MoveError::Illegal`] if the move is
    /// illegal. The game is unchanged in both cases.
    pub fn play(&mut self, chosen: Move) -> Result<(), MoveError> {
        match self.outcome {
            Some(outcome) => Err(MoveError::GameOver(outcome)),
            None => self.play_on(chosen),
        }
    }

    /// Plays a move, even after a draw by material, repetition or the 75-move rule.
    ///
    /// # Errors
    /// The same as for [`play`](Self::play), except that stalemate is the only draw that ends the
    /// game.
    pub fn play_on(&mut self, chosen: Move) -> Result<(), MoveError> {
        if let Some(outcome) = self.end() {
            return Err(MoveError::GameOver(outcome));
        }
        if let Some(reason) = why_illegal(self.position(), chosen) {
            return Err(MoveError::Illegal {
                text: chosen.to_string(),
                reason,
            });
        }
        self.play_legal(chosen);
        Ok(())
    }

    /// Returns the game as it was after this number of moves, or the complete game if it has fewer.
    #[must_use]
    pub fn until(&self, moves: usize) -> Self {
        let mut earlier = Self {
            passed_before: self.passed_before,
            ..Self::new(self.start)
        };
        for &played in self.moves.iter().take(moves) {
            earlier.play_legal(played);
        }
        earlier
    }

    /// Returns the first position.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Returns the current position.
    pub fn position(&self) -> &Position {
        &self.positions[self.moves.len() % 2]
    }

    /// Returns the moves played, in order.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Returns the square that a pawn has just passed with a double push, whether or not it can be
    /// captured there. At the first position, it is the FEN's square. [`Position::en_passant`]
    /// returns only squares of legal captures.
    ///
    /// # Examples
    /// ```
    /// let game = rules::Game::from_moves(None, &["e2e4"]).expect("a legal move");
    /// assert_eq!((game.passed(), game.position().en_passant()), ("e3".parse().ok(), None));
    /// ```
    pub fn passed(&self) -> Option<Square> {
        self.moves.last().map_or(self.passed_before, |&last| {
            passed_square(self.position(), last)
        })
    }

    /// Returns the square that a pawn passed with a double push just before the first position.
    pub fn passed_before(&self) -> Option<Square> {
        self.passed_before
    }

    /// Returns every position of the game as a board, including the first.
    pub fn boards(&self) -> impl Iterator<Item = Board> {
        let mut position = self.start;
        let after = self.moves.iter().map(move |&chosen| {
            position = play(&position, chosen);
            board_of(&position)
        });
        std::iter::once(board_of(&self.start)).chain(after)
    }

    /// Returns the moves played, in UCI notation.
    pub fn uci_moves(&self) -> Vec<String> {
        self.written_moves()
            .map(|written| written.to_string())
            .collect()
    }

    /// Returns the moves played, as [`format_uci`](crate::format_uci) writes them, but without
    /// allocation.
    pub fn written_moves(&self) -> impl Iterator<Item = Move> {
        let chess960 = self.start.is_chess960();
        let mut position = self.start;
        self.moves.iter().map(move |&chosen| {
            let is_castling = position.color(position.turn()).contains(chosen.to());
            position = play(&position, chosen);
            written_move(chosen, is_castling && !chess960)
        })
    }

    /// Returns the outcome if the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Returns where the game was first drawn, if it continued.
    pub fn drawn_at(&self) -> Option<DrawnAt> {
        self.drawn_at
    }

    /// Returns the status of the last position. A game that continued after a draw may be in
    /// progress.
    pub fn status(&self) -> Status {
        let mut claims = Vec::new();
        if self.outcome.is_none() {
            if self.occurrences() >= 3 {
                claims.push(DrawClaim::ThreefoldRepetition);
            }
            if self.position().halfmove_clock() >= 100 {
                claims.push(DrawClaim::FiftyMoves);
            }
        }
        let turn = self.position().turn();
        Status {
            outcome: self.outcome,
            claims,
            turn,
            check: self.position().in_check(),
        }
    }

    /// Returns the hashes of the earlier positions that can repeat: the positions since the last
    /// capture or pawn move, oldest first, without the current position.
    pub fn history(&self) -> Vec<u64> {
        self.repeatable().to_vec()
    }

    /// Returns the hash of every position of the game, including the first.
    pub fn hashes(&self) -> impl DoubleEndedIterator<Item = u64> {
        self.hashes.iter().copied().chain([self.position().hash()])
    }

    fn repeatable(&self) -> &[u64] {
        let clock = usize::from(self.position().halfmove_clock());
        &self.hashes[self.hashes.len().saturating_sub(clock)..]
    }

    /// How often the current position has occurred.
    fn occurrences(&self) -> usize {
        let hash = self.position().hash();
        1 + self
            .repeatable()
            .iter()
            .filter(|&&earlier| earlier == hash)
            .count()
    }

    /// Counts the current position. Returns whether it has occurred five times.
    fn is_fivefold(&mut self) -> bool {
        /// With fewer plies, no position can occur four more times.
        const SHORTEST_FIVEFOLD: usize = 16;
        let earlier = self.repeatable();
        if earlier.len() < SHORTEST_FIVEFOLD {
            return false;
        }
        if earlier.len() == SHORTEST_FIVEFOLD {
            self.most_occurrences = MostOccurrences::of(earlier);
        }
        self.most_occurrences.count(self.position().hash()) >= 5 && self.occurrences() >= 5
    }

    fn reserve(&mut self, plies: usize) {
        self.moves.reserve(plies);
        self.hashes.reserve(plies);
    }

    /// Plays a legal move.
    fn play_legal(&mut self, chosen: Move) {
        let [before, after] = self.current_and_next();
        debug_assert!(is_legal(before, chosen), "{chosen}");
        play_into(before, chosen, after);
        let hash = before.hash();
        self.record(chosen, hash);
    }

    /// Returns the current position and the place for the next one. Copying a position that was
    /// just written would take longer.
    fn current_and_next(&mut self) -> [&mut Position; 2] {
        let is_odd = self.moves.len() % 2 == 1;
        let [even, odd] = &mut self.positions;
        if is_odd { [odd, even] } else { [even, odd] }
    }

    /// Appends a legal move and the position after it.
    pub(crate) fn advance(&mut self, chosen: Move, after: Position) {
        let [before, next] = self.current_and_next();
        debug_assert!(is_legal(before, chosen), "{chosen}");
        let hash = before.hash();
        *next = after;
        self.record(chosen, hash);
    }

    /// Appends the move that led to the current position, and the hash before it.
    fn record(&mut self, chosen: Move, hash: u64) {
        if self.outcome.is_some() {
            self.note_draw();
        }
        self.hashes.push(hash);
        self.moves.push(chosen);
        let is_fivefold = self.is_fivefold();
        self.outcome = find_outcome(self.position(), is_fivefold);
    }

    /// Records the draw after which the game continues, if it is the first one.
    #[cold]
    fn note_draw(&mut self) {
        if let (Some(Outcome::Draw(reason)), None) = (self.outcome, self.drawn_at) {
            self.drawn_at = Some(DrawnAt {
                ply: self.moves.len(),
                reason,
            });
        }
    }

    /// The outcome, if it leaves no legal move.
    #[inline]
    pub(crate) fn end(&self) -> Option<Outcome> {
        self.outcome.filter(|outcome| {
            matches!(
                outcome,
                Outcome::Win { .. } | Outcome::Draw(DrawReason::Stalemate)
            )
        })
    }
}

/// The number of half-moves without a capture or pawn move after which a game is drawn.
const SEVENTY_FIVE_MOVES: u8 = 150;

/// Returns the outcome in a position, if the game ends there. Mate takes precedence over all draws.
fn find_outcome(position: &Position, is_fivefold: bool) -> Option<Outcome> {
    if !has_legal_move(position) {
        Some(if position.in_check() {
            Outcome::Win {
                winner: !position.turn(),
            }
        } else {
            Outcome::Draw(DrawReason::Stalemate)
        })
    } else if is_insufficient_material(position) {
        Some(Outcome::Draw(DrawReason::InsufficientMaterial))
    } else if position.halfmove_clock() >= SEVENTY_FIVE_MOVES {
        Some(Outcome::Draw(DrawReason::SeventyFiveMoves))
    } else if is_fivefold {
        Some(Outcome::Draw(DrawReason::FivefoldRepetition))
    } else {
        None
    }
}
