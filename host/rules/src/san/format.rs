//! Moves to SAN.

use std::{fmt, ops::Deref};

use ai_api::{Bitboard, CastlingSide, Move, Position, Role, Square};

use super::origins::origins;
use crate::{advance::castling_side, has_legal_move, is_legal, play};

/// A move in SAN: at most seven characters, without allocation. Dereferences to a string.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct San {
    length: u8,
    characters: [u8; 7],
}

impl San {
    const EMPTY: Self = Self { length: 0, characters: [0; 7] };

    fn push(&mut self, character: u8) {
        self.characters[usize::from(self.length)] = character;
        self.length += 1;
    }

    fn push_all(&mut self, characters: &[u8]) {
        for &character in characters {
            self.push(character);
        }
    }

    fn push_file(&mut self, square: Square) {
        self.push(b'a' + square.file());
    }

    fn push_rank(&mut self, square: Square) {
        self.push(b'1' + square.rank());
    }

    fn push_square(&mut self, square: Square) {
        self.push_file(square);
        self.push_rank(square);
    }

    fn push_role(&mut self, role: Role) {
        self.push(role.letter().to_ascii_uppercase() as u8);
    }
}

impl Deref for San {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(&self.characters[..usize::from(self.length)]).expect("SAN is ASCII")
    }
}

impl fmt::Display for San {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for San {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl From<San> for String {
    fn from(san: San) -> Self {
        (*san).into()
    }
}

impl PartialEq<&str> for San {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

/// Formats a legal move in SAN: with as little of the origin as identifies it, and with `x`, `=Q`, `+` and `#`.
///
/// # Examples
/// ```
/// let position = rules::parse_fen("6k1/8/8/8/8/8/R6R/4K3 w - - 0 1").expect("a legal position");
/// let chosen = rules::parse_uci(&position, "a2e2").expect("a legal move");
/// assert_eq!(rules::format_san(&position, chosen), "Rae2");
/// ```
pub fn format_san(position: &Position, chosen: Move) -> San {
    let mut text = San::EMPTY;
    match position.role_at(chosen.from()) {
        Some(Role::King) if position.is_castling(chosen) => {
            text.push_all(match castling_side(chosen.from(), chosen.to()) {
                CastlingSide::King => b"O-O",
                CastlingSide::Queen => b"O-O-O",
            });
        }
        Some(Role::Pawn) | None => {
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
        Some(role) => {
            text.push_role(role);
            push_origin(&mut text, position, role, chosen);
            if position.is_capture(chosen) {
                text.push(b'x');
            }
            text.push_square(chosen.to());
        }
    }
    let after = play(position, chosen);
    if after.in_check() {
        text.push(if has_legal_move(&after) { b'+' } else { b'#' });
    }
    text
}

/// Appends as much of the origin as identifies the move: nothing, else the file, else the rank, else both.
fn push_origin(text: &mut San, position: &Position, role: Role, chosen: Move) {
    let (from, to) = (chosen.from(), chosen.to());
    let others = origins(position, role, to) & !Bitboard::of(from);
    let rivals: Bitboard =
        others.into_iter().filter(|&rival| is_legal(position, Move::new(rival, to))).collect();
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
