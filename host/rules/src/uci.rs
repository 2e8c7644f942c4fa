//! Moves as UCI writes them.

use std::fmt;

use ai_api::{CastlingSide, Move, Position, Role, Square};
use thiserror::Error;

use crate::{
    IllegalReason, is_legal, movegen::castling_targets, outcome::Outcome, placement::back_rank, quote::quote,
    why_illegal,
};

/// Why a text or a move is not accepted as the next move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    /// The text is no move at all.
    #[error(
        "{found} is no move in UCI notation: expected two squares and for a promotion q, r, b or n, such as e2e4 or e7e8q"
    )]
    Malformed {
        /// The text, cut short.
        found: String,
    },
    /// The move is against the rules.
    #[error("{text} is illegal: {reason}")]
    Illegal {
        /// The move as it was written.
        text: String,
        /// What makes it illegal.
        reason: IllegalReason,
    },
    /// There is no next move.
    #[error("the game is over: {0}")]
    GameOver(Outcome),
}

impl MoveError {
    pub(crate) fn malformed(text: &str) -> Self {
        Self::Malformed { found: quote(text) }
    }
}

/// The legal move of a UCI text. Castling may be written as the king's two steps (`e1g1`) where king and rook stand as
/// in orthodox chess, and as king takes rook (`e1h1`) everywhere.
///
/// # Errors
/// [`MoveError::Malformed`] if the text is no move, [`MoveError::Illegal`] if it is one that may not be played.
pub fn parse_uci(position: &Position, text: &str) -> Result<Move, MoveError> {
    let written = read_uci(text).ok_or_else(|| MoveError::malformed(text))?;
    let chosen = castling_as_king_takes_rook(position, written);
    if is_legal(position, chosen) {
        return Ok(chosen);
    }
    let reason = why_illegal(position, chosen).unwrap_or(IllegalReason::NoPiece { from: chosen.from() });
    Err(MoveError::Illegal { text: text.to_owned(), reason })
}

/// What a UCI text says, whether it is legal or not.
pub(crate) fn read_uci(text: &str) -> Option<Move> {
    let square = |file: u8, rank: u8| {
        ((b'a'..=b'h').contains(&file) && (b'1'..=b'8').contains(&rank))
            .then(|| Square::new(file - b'a', rank - b'1'))
    };
    match *text.as_bytes() {
        [file, rank, to_file, to_rank] => Some(Move::new(square(file, rank)?, square(to_file, to_rank)?)),
        [file, rank, to_file, to_rank, letter] => {
            let promotion =
                Role::from_letter(char::from(letter)).filter(|role| Role::PROMOTIONS.contains(role))?;
            Some(Move::promoting(square(file, rank)?, square(to_file, to_rank)?, promotion))
        }
        _ => None,
    }
}

fn castling_as_king_takes_rook(position: &Position, written: Move) -> Move {
    let (from, to, turn) = (written.from(), written.to(), position.turn());
    let (side, rook_file) = match (from.file(), to.file()) {
        (4, 6) => (CastlingSide::King, 7),
        (4, 2) => (CastlingSide::Queen, 0),
        _ => return written,
    };
    let home = back_rank(turn);
    let is_castling = from.rank() == home
        && to.rank() == home
        && written.promotion().is_none()
        && position.king(turn) == from
        && position.castling().rook_file(turn, side) == Some(rook_file);
    if is_castling { Move::new(from, Square::new(rook_file, home)) } else { written }
}

/// A legal move as UCI writes it: castling as the king's two steps, or as king takes rook where the position is one of
/// Chess960.
pub fn format_uci(position: &Position, chosen: Move) -> impl fmt::Display + use<> {
    if position.is_castling(chosen) && !position.is_chess960() {
        let (from, to) = (chosen.from(), chosen.to());
        let side = if to.file() > from.file() { CastlingSide::King } else { CastlingSide::Queen };
        Move::new(from, castling_targets(from, side).0)
    } else {
        chosen
    }
}
