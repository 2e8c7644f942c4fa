//! Formats moves as SAN.

use ai_api::{Bitboard, CastlingSide, Move, Position, Role};

use super::origins::origins;
use crate::{
    MoveText, castling::castling_side, gives_check, has_legal_move, is_legal, placement::role_on,
    play,
};

/// Formats a legal move in SAN, with the shortest origin that identifies it, and with `x`, `=Q`,
/// `+` and `#`.
///
/// # Examples
/// ```
/// let position = rules::parse_fen("6k1/8/8/8/8/8/R6R/4K3 w - - 0 1").expect("a legal position");
/// let chosen = rules::parse_uci(&position, "a2e2").expect("a legal move");
/// assert_eq!(rules::format_san(&position, chosen), "Rae2");
/// ```
pub fn format_san(position: &Position, chosen: Move) -> MoveText {
    let mut text = MoveText::EMPTY;
    match role_on(&position.parts().roles, chosen.from()) {
        Role::King if position.is_castling(chosen) => {
            text.push_all(match castling_side(chosen.from(), chosen.to()) {
                CastlingSide::King => b"O-O",
                CastlingSide::Queen => b"O-O-O",
            });
        }
        Role::Pawn => {
            if position.is_capture(chosen) {
                text.push_file(chosen.from());
                text.push(b'x');
            }
            text.push_square(chosen.to());
            if let Some(role) = chosen.promotion() {
                text.push(b'=');
                text.push_role(role);
            }
        }
        role => {
            text.push_role(role);
            push_origin(&mut text, position, role, chosen);
            if position.is_capture(chosen) {
                text.push(b'x');
            }
            text.push_square(chosen.to());
        }
    }
    if gives_check(position, chosen) {
        text.push(if has_legal_move(&play(position, chosen)) {
            b'+'
        } else {
            b'#'
        });
    }
    text
}

/// Appends the shortest origin that identifies the move: nothing, the file, the rank, or both.
fn push_origin(text: &mut MoveText, position: &Position, role: Role, chosen: Move) {
    let (from, to) = (chosen.from(), chosen.to());
    let others = origins(position, role, to) & !Bitboard::of(from);
    let rivals: Bitboard = others
        .into_iter()
        .filter(|&rival| is_legal(position, Move::new(rival, to)))
        .collect();
    if rivals.is_empty() {
        return;
    }
    let shares_file = !(rivals & Bitboard::file(from.file())).is_empty();
    let shares_rank = !(rivals & Bitboard::rank(from.rank())).is_empty();
    if !shares_file || shares_rank {
        text.push_file(from);
    }
    if shares_file {
        text.push_rank(from);
    }
}
