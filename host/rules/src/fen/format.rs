//! Positions to FEN.

use std::fmt;

use ai_api::{CastlingSide, Color, Position, Role, Square};

use crate::{names::file_letter, placement::Placement};

/// Formats the FEN of a position, in six fields. The en passant square is given only if such a capture is legal. Castling
/// rights of a Chess960 position are the files of the rooks (Shredder-FEN).
///
/// # Examples
/// ```
/// let position = rules::Setup::standard().into_position().expect("the start is legal");
/// assert_eq!(rules::format_fen(&position), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
/// ```
pub fn format_fen(position: &Position) -> String {
    Fen { position, castling: Castling(position) }.to_string()
}

/// Formats the X-FEN of a position: as [`format_fen`], but with castling rights as `KQkq` if the rook is the outermost one on
/// its side.
///
/// # Examples
/// ```
/// let fen = "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w FCfc - 0 1";
/// let position = rules::parse_fen(fen).expect("the start of Chess960 is legal");
/// assert_eq!(rules::format_fen(&position), fen);
/// assert_eq!(rules::format_xfen(&position), fen.replace("FCfc", "KQkq"));
/// ```
pub fn format_xfen(position: &Position) -> String {
    Fen { position, castling: OutermostCastling(position) }.to_string()
}

struct Fen<'a, C> {
    position: &'a Position,
    castling: C,
}

impl<C: fmt::Display> fmt::Display for Fen<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.position;
        write!(f, "{}", Pieces(Placement::of(position)))?;
        f.write_str(if position.turn() == Color::White { " w " } else { " b " })?;
        write!(f, "{}", self.castling)?;
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
        let by_file = self.0.is_chess960();
        write_rights(f, self.0, |_, side, file| if by_file { file_letter(file) } else { side_letter(side) })
    }
}

/// The castling field of a position's X-FEN.
struct OutermostCastling<'a>(&'a Position);

impl fmt::Display for OutermostCastling<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_outermost = |color, side, file| {
            let rank = self.0.king(color).rank();
            let mut further_out = match side {
                CastlingSide::King => file + 1..8,
                CastlingSide::Queen => 0..file,
            };
            let rooks = self.0.pieces(color, Role::Rook);
            !further_out.any(|file| rooks.contains(Square::new(file, rank)))
        };
        write_rights(f, self.0, |color, side, file| {
            if is_outermost(color, side, file) { side_letter(side) } else { file_letter(file) }
        })
    }
}

/// Writes each castling right as the letter for its color, side and rook file.
fn write_rights(
    f: &mut fmt::Formatter<'_>,
    position: &Position,
    letter: impl Fn(Color, CastlingSide, u8) -> char,
) -> fmt::Result {
    let rights = position.castling();
    if rights.is_none() {
        return f.write_str("-");
    }
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if let Some(file) = rights.rook_file(color, side) {
                write!(f, "{}", in_case(color, letter(color, side, file)))?;
            }
        }
    }
    Ok(())
}

const fn side_letter(side: CastlingSide) -> char {
    match side {
        CastlingSide::King => 'k',
        CastlingSide::Queen => 'q',
    }
}

fn in_case(color: Color, letter: char) -> char {
    match color {
        Color::White => letter.to_ascii_uppercase(),
        Color::Black => letter,
    }
}
