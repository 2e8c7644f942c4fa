//! Moves to SAN.

use ai_api::{Bitboard, CastlingSide, Move, Position, Role};

use crate::{has_legal_move, legal_moves, names::file_letter, play};

/// Formats a legal move in SAN: with as little of the origin as identifies it, and with `x`, `=Q`, `+` and `#`.
///
/// # Examples
/// ```
/// let position = rules::parse_fen("6k1/8/8/8/8/8/R6R/4K3 w - - 0 1").expect("a legal position");
/// let chosen = rules::parse_uci(&position, "a2e2").expect("a legal move");
/// assert_eq!(rules::format_san(&position, chosen), "Rae2");
/// ```
pub fn format_san(position: &Position, chosen: Move) -> String {
    let mut text = String::with_capacity(8);
    match position.role_at(chosen.from()) {
        Some(Role::King) if position.is_castling(chosen) => {
            text.push_str(match castling_side(chosen) {
                CastlingSide::King => "O-O",
                CastlingSide::Queen => "O-O-O",
            });
        }
        Some(Role::Pawn) | None => {
            if position.is_capture(chosen) {
                text.push(file_letter(chosen.from().file()));
                text.push('x');
            }
            text.push_str(&chosen.to().to_string());
            if let Some(role) = chosen.promotion() {
                text.push('=');
                text.push(role.letter().to_ascii_uppercase());
            }
        }
        Some(role) => {
            text.push(role.letter().to_ascii_uppercase());
            push_origin(&mut text, position, role, chosen);
            if position.is_capture(chosen) {
                text.push('x');
            }
            text.push_str(&chosen.to().to_string());
        }
    }
    let after = play(position, chosen);
    if after.in_check() {
        text.push(if has_legal_move(&after) { '+' } else { '#' });
    }
    text
}

/// The side of a castling move.
pub(super) fn castling_side(chosen: Move) -> CastlingSide {
    if chosen.to().file() > chosen.from().file() { CastlingSide::King } else { CastlingSide::Queen }
}

/// Appends as much of the origin as identifies the move: nothing, else the file, else the rank, else both.
fn push_origin(text: &mut String, position: &Position, role: Role, chosen: Move) {
    let from = chosen.from();
    let rivals: Bitboard = legal_moves(position)
        .iter()
        .filter(|rival| rival.to() == chosen.to() && rival.from() != from)
        .filter(|rival| position.role(role).contains(rival.from()) && !position.is_castling(**rival))
        .map(|rival| rival.from())
        .collect();
    if rivals.is_empty() {
        return;
    }
    let shares_file = !(rivals & Bitboard::file(from.file())).is_empty();
    let shares_rank = !(rivals & Bitboard::rank(from.rank())).is_empty();
    if !shares_file || shares_rank {
        text.push(file_letter(chosen.from().file()));
    }
    if shares_file {
        text.push(char::from(b'1' + from.rank()));
    }
}
