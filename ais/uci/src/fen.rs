//! Formats FEN.

use std::fmt::Write;

use ai_api::{CastlingSide, Color, Position, Square};

/// The FEN of the standard start position. In Chess960 its castling rights differ.
pub(crate) const STANDARD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Formats a position as FEN. In Chess960, castling rights are files (Shredder-FEN).
pub(crate) fn fen(position: &Position) -> String {
    let mut fen = String::with_capacity(90);
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            let square = Square::new(file, rank);
            match (position.role_at(square), position.color_at(square)) {
                (Some(role), Some(color)) => {
                    if empty > 0 {
                        let _ = write!(fen, "{empty}");
                        empty = 0;
                    }
                    fen.push(letter(color, role.letter()));
                }
                _ => empty += 1,
            }
        }
        if empty > 0 {
            let _ = write!(fen, "{empty}");
        }
        fen.push(if rank == 0 { ' ' } else { '/' });
    }
    fen.push(if position.turn() == Color::White {
        'w'
    } else {
        'b'
    });
    fen.push(' ');
    fen.push_str(&castling(position));
    match position.en_passant() {
        Some(square) => _ = write!(fen, " {square}"),
        None => fen.push_str(" -"),
    }
    let _ = write!(
        fen,
        " {} {}",
        position.halfmove_clock(),
        position.fullmove_number()
    );
    fen
}

fn castling(position: &Position) -> String {
    let mut rights = String::new();
    for color in Color::ALL {
        for side in CastlingSide::ALL {
            let Some(file) = position.castling().rook_file(color, side) else {
                continue;
            };
            let right = match (position.is_chess960(), side) {
                (true, _) => char::from(b'a' + file),
                (false, CastlingSide::King) => 'k',
                (false, CastlingSide::Queen) => 'q',
            };
            rights.push(letter(color, right));
        }
    }
    if rights.is_empty() {
        "-".into()
    } else {
        rights
    }
}

/// Returns a letter for a side: upper case for White.
fn letter(color: Color, letter: char) -> char {
    if color == Color::White {
        letter.to_ascii_uppercase()
    } else {
        letter
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn fen_round_trips(
            chess960: bool,
            choices in prop::collection::vec(any::<prop::sample::Index>(), 0..120),
        ) {
            let starts = [
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1",
            ];
            let start = rules::parse_fen(starts[usize::from(chess960)]).unwrap();
            let mut game = rules::Game::new(start);
            for choice in choices {
                let position = *game.position();
                let mut read = *rules::parse_fen(&fen(&position)).unwrap().parts();
                // Without castling rights a FEN does not show Chess960.
                read.chess960 |= chess960 && position.castling().is_none();
                prop_assert_eq!(&read, position.parts(), "{}", fen(&position));
                let moves = rules::legal_moves(&position);
                if moves.is_empty() || game.play(*choice.get(&moves)).is_err() {
                    break;
                }
            }
        }
    }
}
