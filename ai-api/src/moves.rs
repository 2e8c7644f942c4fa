//! Moves and move lists.

use std::{fmt, ops::Deref};

use crate::{Role, Square};

/// A move: origin, target and promotion. Castling is written as the king taking its own rook
/// (e1h1), which is also unambiguous in Chess960; see
/// [`Position::is_castling`](crate::Position::is_castling).
///
/// In memory: origin in bits 0 to 5, target in bits 6 to 11, promotion in bits 12 to 14 (0 for
/// none, otherwise the role's index).
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct Move(u16);

impl Move {
    /// Creates a move without promotion.
    #[inline]
    pub const fn new(from: Square, to: Square) -> Self {
        Self(from.index() as u16 | (to.index() as u16) << 6)
    }

    /// Creates a pawn move to the last rank.
    #[inline]
    pub const fn promoting(from: Square, to: Square, promotion: Role) -> Self {
        Self(Self::new(from, to).0 | (promotion as u16) << 12)
    }

    /// Returns the origin. For castling, this is the king's square.
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_index((self.0 & 63) as u8)
    }

    /// Returns the target. For castling, this is the *rook's* square.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index((self.0 >> 6 & 63) as u8)
    }

    /// Returns the promotion: a knight, bishop, rook or queen.
    #[inline]
    pub const fn promotion(self) -> Option<Role> {
        match self.0 >> 12 & 7 {
            1 => Some(Role::Knight),
            2 => Some(Role::Bishop),
            3 => Some(Role::Rook),
            4 => Some(Role::Queen),
            _ => None,
        }
    }

    /// Returns the move as the 16 bits described above.
    #[inline]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// Returns the move with these 16 bits, legal or not.
    #[inline]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }
}

impl fmt::Display for Move {
    /// Writes origin, target and promotion, such as `e7e8q`, and castling as king takes rook.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0; 5];
        for (square, pair) in [self.from(), self.to()]
            .into_iter()
            .zip(text.chunks_exact_mut(2))
        {
            pair.copy_from_slice(&[b'a' + square.file(), b'1' + square.rank()]);
        }
        let length = self.promotion().map_or(4, |role| {
            text[4] = role.letter() as u8;
            5
        });
        f.write_str(str::from_utf8(&text[..length]).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The capacity of a [`MoveList`]. No legal position has more than 218 moves.
pub const MAX_MOVES: usize = 256;

/// A list of moves that needs no allocation and dereferences to a slice.
#[repr(C)]
#[derive(Clone)]
#[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
pub struct MoveList {
    pub(crate) count: u32,
    pub(crate) moves: [Move; MAX_MOVES],
}

impl MoveList {
    /// Creates an empty list.
    #[inline]
    pub const fn new() -> Self {
        Self {
            count: 0,
            moves: [Move(0); MAX_MOVES],
        }
    }

    /// Appends a move, unless the list is full.
    #[inline]
    pub const fn push(&mut self, chosen: Move) {
        if (self.count as usize) < MAX_MOVES {
            self.moves[self.count as usize] = chosen;
            self.count += 1;
        }
    }

    /// Empties the list.
    #[inline]
    pub const fn clear(&mut self) {
        self.count = 0;
    }

    /// Keeps the moves for which `keep` returns true, in order.
    pub fn retain(&mut self, mut keep: impl FnMut(Move) -> bool) {
        let mut kept = 0;
        for index in 0..self.len() {
            let candidate = self.moves[index];
            if keep(candidate) {
                self.moves[kept] = candidate;
                kept += 1;
            }
        }
        self.count = kept as u32;
    }

    /// Returns the moves for reordering in place.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [Move] {
        &mut self.moves[..(self.count as usize).min(MAX_MOVES)]
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        &self.moves[..(self.count as usize).min(MAX_MOVES)]
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_origin_target_and_promotion() {
        for from in Square::all() {
            for to in Square::all() {
                assert_eq!(
                    (Move::new(from, to).from(), Move::new(from, to).to()),
                    (from, to)
                );
                assert_eq!(Move::new(from, to).promotion(), None);
                for role in Role::PROMOTIONS {
                    let promotion = Move::promoting(from, to, role);
                    assert_eq!(
                        (promotion.from(), promotion.to(), promotion.promotion()),
                        (from, to, Some(role))
                    );
                    assert_eq!(Move::from_bits(promotion.to_bits()), promotion);
                }
            }
        }
    }

    #[test]
    fn push_ignores_moves_beyond_the_capacity() {
        let mut list = MoveList::new();
        for bits in 0..300 {
            list.push(Move::from_bits(bits));
        }
        assert_eq!(list.len(), MAX_MOVES);
        assert_eq!(list[MAX_MOVES - 1], Move::from_bits(255));
        list.retain(|chosen| chosen.to_bits() % 2 == 1);
        assert_eq!(list.len(), MAX_MOVES / 2);
        assert_eq!(list[0], Move::from_bits(1));
    }
}
