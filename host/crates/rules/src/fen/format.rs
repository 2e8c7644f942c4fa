//! Formats positions as FEN.

use std::fmt::Write as _;

use ai_api::{CastlingSide, Color, Position, Role, Square};

use crate::{Setup, names::file_letter};

/// Formats any arrangement of pieces as FEN.
pub fn format_setup(setup: &Setup) -> String {
    format_fen(&setup.unchecked())
}

/// Formats the FEN of a position, in six fields. Names the en passant square only if a capture
/// there is legal. Writes the castling rights of a Chess960 position as rook files (Shredder-FEN).
///
/// # Examples
/// ```
/// let fen = rules::format_fen(&rules::start_position());
/// assert_eq!(fen, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
/// ```
pub fn format_fen(position: &Position) -> String {
    let by_file = position.is_chess960();
    format(position, |_, side, file| {
        if by_file {
            file_letter(file)
        } else {
            side_letter(side)
        }
    })
}

/// Formats the X-FEN of a position: like [`format_fen`], but writes a castling right as `K`, `Q`,
/// `k` or `q` if its rook is the outermost on that side.
///
/// # Examples
/// ```
/// let fen = "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w FCfc - 0 1";
/// let position = rules::parse_fen(fen).expect("the start of Chess960 is legal");
/// assert_eq!(rules::format_fen(&position), fen);
/// assert_eq!(rules::format_xfen(&position), fen.replace("FCfc", "KQkq"));
/// ```
pub fn format_xfen(position: &Position) -> String {
    let is_outermost = |color, side, file| {
        let rank = position.king(color).rank();
        let mut further_out = match side {
            CastlingSide::King => file + 1..8,
            CastlingSide::Queen => 0..file,
        };
        let rooks = position.pieces(color, Role::Rook);
        !further_out.any(|outer_file| rooks.contains(Square::new(outer_file, rank)))
    };
    format(position, |color, side, file| {
        if is_outermost(color, side, file) {
            side_letter(side)
        } else {
            file_letter(file)
        }
    })
}

/// Formats a FEN whose castling rights are the lower-case letters that `letter` returns for the
/// rook's color, side and file.
fn format(position: &Position, letter: impl Fn(Color, CastlingSide, u8) -> char) -> String {
    /// Enough for nearly every FEN.
    const CAPACITY: usize = 80;
    let mut fen = String::with_capacity(CAPACITY);
    push_pieces(&mut fen, position);
    fen.push_str(if position.turn() == Color::White {
        " w "
    } else {
        " b "
    });
    if position.castling().is_none() {
        fen.push('-');
    }
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            if let Some(file) = position.castling().rook_file(color, side) {
                fen.push(in_case(color, letter(color, side, file)));
            }
        }
    }
    fen.push(' ');
    match position.en_passant() {
        Some(square) => fen.extend([file_letter(square.file()), char::from(b'1' + square.rank())]),
        None => fen.push('-'),
    }
    write!(
        fen,
        " {} {}",
        position.halfmove_clock(),
        position.fullmove_number()
    )
    .expect("writing to a string never fails");
    fen
}

fn push_pieces(fen: &mut String, position: &Position) {
    let mut letters = [None; 64];
    for color in Color::ALL {
        for role in Role::ALL {
            let letter = Some(in_case(color, role.letter()));
            position
                .pieces(color, role)
                .into_iter()
                .for_each(|square| letters[square.index()] = letter);
        }
    }
    for (number, rank) in letters.chunks(8).rev().enumerate() {
        if number > 0 {
            fen.push('/');
        }
        for run in rank.chunk_by(|a, b| a.is_none() && b.is_none()) {
            fen.push(run[0].unwrap_or_else(|| char::from(b'0' + run.len() as u8)));
        }
    }
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
