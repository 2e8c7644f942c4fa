//! Names of colors, sides, files and squares in messages.

use std::fmt;

use ai_api::{Bitboard, CastlingSide, Color};

/// `White` or `Black`.
pub(crate) const fn title(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

pub(crate) const fn side_name(side: CastlingSide) -> &'static str {
    match side {
        CastlingSide::King => "king's side",
        CastlingSide::Queen => "queen's side",
    }
}

pub(crate) fn file_letter(file: u8) -> char {
    char::from(b'a' + (file & 7))
}

/// Squares in a sentence: `e4`, `e4 and g5`, `e4, f3 and g5`.
pub(crate) struct SquareList(pub(crate) Bitboard);

impl fmt::Display for SquareList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.into_iter().len();
        for (index, square) in self.0.into_iter().enumerate() {
            let before = match index {
                0 => "",
                _ if index + 1 == count => " and ",
                _ => ", ",
            };
            write!(f, "{before}{square}")?;
        }
        Ok(())
    }
}
