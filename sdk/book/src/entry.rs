//! Book entries, 16 bytes each.

use std::io::{self, Write};

use ai_api::{CastlingSide, Move, Position, Square};

/// A move in a position, as a book stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The [`key`](crate::key()) of the position.
    pub key: u64,
    /// The move as written, legal or not. The format writes castling the way this contract does, as
    /// the king taking its own rook. Many books instead write a king move of two squares; see
    /// [`move_among`](Self::move_among).
    pub chosen: Move,
    /// The weight, relative to the position's other moves. A move with weight 0 is not played.
    pub weight: u16,
    /// Data that an engine has learned about the move, in a format of its own. 0 in most books.
    pub learn: u32,
}

impl Entry {
    /// The size of an entry, which consists of key, move, weight and learned value, all big-endian.
    pub(crate) const BYTES: usize = 16;

    pub(crate) fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        let number = u128::from_be_bytes(bytes);
        let chosen = swapped(Move::from_bits((number >> 48) as u16));
        Self {
            key: (number >> 64) as u64,
            chosen,
            weight: (number >> 32) as u16,
            learn: number as u32,
        }
    }

    /// Returns the move of the entry, or `None` if it is not among `legal`.
    pub fn move_among(&self, position: &Position, legal: &[Move]) -> Option<Move> {
        let is_legal = |chosen: &Move| legal.contains(chosen);
        Some(self.chosen)
            .filter(is_legal)
            .or_else(|| castling_by_steps(position, self.chosen).filter(is_legal))
    }

    fn to_bytes(self) -> [u8; Self::BYTES] {
        let chosen = swapped(self.chosen).to_bits();
        let number = u128::from(self.key) << 64
            | u128::from(chosen) << 48
            | u128::from(self.weight) << 32
            | u128::from(self.learn);
        number.to_be_bytes()
    }
}

/// Swaps origin and target, because the format keeps the target in the lower bits.
fn swapped(chosen: Move) -> Move {
    Move::from_bits(Move::new(chosen.to(), chosen.from()).to_bits() | chosen.to_bits() & 0xf000)
}

/// Returns the castling move that is written as a king move of two squares, if king and rook are on
/// their squares in orthodox chess.
fn castling_by_steps(position: &Position, written: Move) -> Option<Move> {
    let (king, turn) = (written.from(), position.turn());
    let (side, rook_file) = match (king.file(), written.to().file()) {
        (4, 6) => (CastlingSide::King, 7),
        (4, 2) => (CastlingSide::Queen, 0),
        _ => return None,
    };
    let rook = Square::new(rook_file, king.rank());
    let is_castling = king == position.king(turn)
        && written == Move::new(king, Square::new(written.to().file(), king.rank()))
        && position.castling().rook_file(turn, side) == Some(rook_file);
    is_castling.then(|| Move::new(king, rook))
}

/// Sorts the entries by key, the heaviest move of each position first, and writes them as a book.
///
/// # Errors
/// The writer fails.
pub fn write(entries: &mut [Entry], mut out: impl Write) -> io::Result<()> {
    entries.sort_by_key(|entry| (entry.key, u16::MAX - entry.weight, entry.chosen));
    for entry in entries {
        out.write_all(&entry.to_bytes())?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use ai_api::{Role, Square};

    use super::*;

    #[test]
    fn bytes_follow_the_format() {
        let square = |name: &str| name.parse::<Square>().unwrap();
        let entry = |chosen| Entry {
            key: 0x0102_0304_0506_0708,
            chosen,
            weight: 0x090a,
            learn: 0x0b0c_0d0e,
        };
        for (chosen, bits) in [
            // In octal: the promotion, such as 4 for a queen, then two digits each for origin and
            // target.
            (Move::new(square("e2"), square("e4")), 0o14_34),
            (Move::new(square("e1"), square("h1")), 0o04_07),
            (
                Move::promoting(square("a7"), square("b8"), Role::Queen),
                0o4_60_71,
            ),
            (
                Move::promoting(square("a7"), square("a8"), Role::Knight),
                0o1_60_70,
            ),
        ] {
            let [high, low] = u16::to_be_bytes(bits);
            let bytes = [1, 2, 3, 4, 5, 6, 7, 8, high, low, 9, 10, 11, 12, 13, 14];
            assert_eq!(entry(chosen).to_bytes(), bytes, "{chosen}");
            assert_eq!(Entry::from_bytes(bytes), entry(chosen), "{chosen}");
        }
    }
}
