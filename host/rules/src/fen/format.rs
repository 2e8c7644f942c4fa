//! Positions to FEN.

use std::fmt;

use ai_api::{CastlingSide, Color, Position, Square};

use crate::placement::Placement;

/// The FEN of a position, in six fields. The en passant square is given only where such a capture is legal, castling
/// by the files of the rooks (Shredder-FEN) where the position is one of Chess960.
///
/// # Examples
/// ```
/// let position = rules::Setup::standard().into_position().expect("the start is legal");
/// assert_eq!(rules::format_fen(&position), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
/// ```
pub fn format_fen(position: &Position) -> String {
    Fen(position).to_string()
}

struct Fen<'a>(&'a Position);

impl fmt::Display for Fen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.0;
        write!(f, "{}", Pieces(Placement::of(position)))?;
        f.write_str(if position.turn() == Color::White { " w " } else { " b " })?;
        write!(f, "{}", Castling(position))?;
        match position.en_passant() {
            Some(square) => write!(f, " {square}")?,
            None => f.write_str(" -")?,
        }
        write!(f, " {} {}", position.halfmove_clock(), position.fullmove_number())
    }
}

struct Pieces(Placement);

impl fmt::Display for Pieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                let Some((color, role)) = self.0.at(Square::new(file, rank)) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    write!(f, "{empty}")?;
                    empty = 0;
                }
                write!(f, "{}", in_case(color, role.letter()))?;
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            if rank > 0 {
                f.write_str("/")?;
            }
        }
        Ok(())
    }
}

/// The castling field of a position's FEN.
pub(crate) struct Castling<'a>(pub(crate) &'a Position);

impl fmt::Display for Castling<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rights = self.0.castling();
        if rights.is_none() {
            return f.write_str("-");
        }
        for color in Color::ALL {
            for side in CastlingSide::ALL {
                let letter = match (rights.rook_file(color, side), side) {
                    (None, _) => continue,
                    (Some(file), _) if self.0.is_chess960() => char::from(b'a' + file),
                    (Some(_), CastlingSide::King) => 'k',
                    (Some(_), CastlingSide::Queen) => 'q',
                };
                write!(f, "{}", in_case(color, letter))?;
            }
        }
        Ok(())
    }
}

fn in_case(color: Color, letter: char) -> char {
    match color {
        Color::White => letter.to_ascii_uppercase(),
        Color::Black => letter,
    }
}
