//! Colors and roles.

use std::ops::Not;

use crate::named_enum::named_enum;

named_enum! {
    /// A side.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
    Color {
        /// Moves first.
        White = "white",
        /// Moves second.
        Black = "black",
    }
}

impl Color {
    /// Returns 0 for White, 1 for Black.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns 1 for White, -1 for Black: the factor that converts a score between White's point of
    /// view and this side's.
    #[inline]
    pub const fn sign(self) -> i32 {
        match self {
            Self::White => 1,
            Self::Black => -1,
        }
    }
}

impl Not for Color {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

named_enum! {
    /// A kind of piece of either color.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
    Role {
        /// Moves forward, but captures diagonally.
        Pawn = "pawn",
        /// Jumps.
        Knight = "knight",
        /// Moves along diagonals.
        Bishop = "bishop",
        /// Moves along files and ranks.
        Rook = "rook",
        /// Moves like a rook or a bishop.
        Queen = "queen",
        /// Must not be lost.
        King = "king",
    }
}

impl Role {
    /// The roles that a pawn can promote to, strongest first.
    pub const PROMOTIONS: [Self; 4] = [Self::Queen, Self::Rook, Self::Bishop, Self::Knight];

    /// Returns 0 for a pawn to 5 for a king.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the English letter in FEN, UCI and SAN, in lower case: `p`, `n`, `b`, `r`, `q`, `k`.
    pub const fn letter(self) -> char {
        match self {
            Self::Pawn => 'p',
            Self::Knight => 'n',
            Self::Bishop => 'b',
            Self::Rook => 'r',
            Self::Queen => 'q',
            Self::King => 'k',
        }
    }

    /// Returns the role for a lower-case letter, or `None` for any other character.
    pub const fn from_letter(letter: char) -> Option<Self> {
        Some(match letter {
            'p' => Self::Pawn,
            'n' => Self::Knight,
            'b' => Self::Bishop,
            'r' => Self::Rook,
            'q' => Self::Queen,
            'k' => Self::King,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_letters_round_trip() {
        for role in Role::ALL {
            assert_eq!(Role::from_letter(role.letter()), Some(role));
        }
        assert_eq!(Role::from_letter('P'), None);
    }

    #[test]
    fn negation_swaps_the_sides() {
        for color in Color::ALL {
            assert_eq!(!!color, color);
            assert_eq!(color.sign(), -(!color).sign());
        }
    }
}
