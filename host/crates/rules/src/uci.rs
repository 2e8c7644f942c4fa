//! Moves in UCI notation.

use ai_api::{CastlingSide, Move, Position, Role, Square};

use crate::{
    IllegalReason, MoveText,
    castling::castling_side,
    movegen::{any_move, castling_targets},
    outcome::Outcome,
    placement::back_rank,
    quote::quote,
    texts::errors,
    why_illegal,
};

errors! {
    /// The error for a string or move that can't be the next move.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub enum MoveError {
        /// The text is not a move.
        #[error(
            "{found} is not a move in UCI notation: expected two squares and, for a promotion, q, \
             r, b or n, such as e2e4 or e7e8q"
        )]
        Malformed {
            /// The text, truncated.
            found: String,
        },
        /// The move is against the rules.
        #[error("{text} is illegal: {reason}")]
        Illegal {
            /// The move as written.
            text: String,
            /// The reason.
            reason: IllegalReason,
        },
        /// The game is over.
        #[error("the game is over: {fault}")]
        GameOver(fault: Outcome),
    }
}

impl MoveError {
    pub(crate) fn malformed(text: &str) -> Self {
        Self::Malformed { found: quote(text) }
    }
}

/// Parses a legal move in UCI notation. Castling is written as king takes rook (`e1h1`) or, from
/// the orthodox squares, the king's two steps (`e1g1`).
///
/// # Errors
/// [`MoveError::Malformed`] if the text is not a move, [`MoveError::Illegal`] if the move is
/// illegal.
pub fn parse_uci(position: &Position, text: &str) -> Result<Move, MoveError> {
    let written = read_uci(text).ok_or_else(|| MoveError::malformed(text))?;
    let chosen = castling_as_king_takes_rook(position, written);
    match why_illegal(position, chosen) {
        None => Ok(chosen),
        Some(reason) => Err(MoveError::Illegal {
            text: text.to_owned(),
            reason,
        }),
    }
}

/// Reads a move in UCI notation, legal or not.
pub(crate) fn read_uci(text: &str) -> Option<Move> {
    let (squares, promotion) = text.as_bytes().split_first_chunk()?;
    let [
        from_file @ b'a'..=b'h',
        from_rank @ b'1'..=b'8',
        to_file @ b'a'..=b'h',
        to_rank @ b'1'..=b'8',
    ] = *squares
    else {
        return None;
    };
    let promotion = match *promotion {
        [] => None,
        [letter] => Some(
            Role::from_letter(char::from(letter)).filter(|role| Role::PROMOTIONS.contains(role))?,
        ),
        _ => return None,
    };
    let square = |file, rank| Square::new(file - b'a', rank - b'1');
    Some(any_move(
        square(from_file, from_rank),
        square(to_file, to_rank),
        promotion,
    ))
}

pub(crate) fn castling_as_king_takes_rook(position: &Position, written: Move) -> Move {
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
    if is_castling {
        Move::new(from, Square::new(rook_file, home))
    } else {
        written
    }
}

/// Returns the target of a legal move in UCI notation. For castling it is the king's target, or the
/// rook's square in Chess960.
pub fn uci_target(position: &Position, chosen: Move) -> Square {
    written_move(
        chosen,
        position.is_castling(chosen) && !position.is_chess960(),
    )
    .to()
}

/// Returns a move as it is written: castling as the king's two steps if `castles_by_steps`.
pub(crate) fn written_move(chosen: Move, castles_by_steps: bool) -> Move {
    if !castles_by_steps {
        return chosen;
    }
    let (from, to) = (chosen.from(), chosen.to());
    Move::new(from, castling_targets(from, castling_side(from, to)).0)
}

/// Formats a legal move in UCI notation. Castling is written as the king's two steps, or as king
/// takes rook in Chess960.
pub fn format_uci(position: &Position, chosen: Move) -> MoveText {
    MoveText::uci(
        chosen.from(),
        uci_target(position, chosen),
        chosen.promotion(),
    )
}
