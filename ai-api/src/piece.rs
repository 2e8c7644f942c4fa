//! Colors and roles.

use std::ops::Not;

use abi_stable::StableAbi;

/// A side.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, StableAbi)]
pub enum Color {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

impl Color {
    /// White and Black.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// 0 for White, 1 for Black.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// 1 for White, -1 for Black: the factor between a score for White and one for this side.
    #[inline]
    pub const fn sign(self) -> i32 {
        match self {
            Self::White => 1,
            Self::Black => -1,
        }
    }

    /// `white` or `black`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
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

/// A kind of piece of either color.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, StableAbi)]
pub enum Role {
    /// Moves ahead, captures aside.
    Pawn,
    /// Jumps.
    Knight,
    /// Moves along diagonals.
    Bishop,
    /// Moves along files and ranks.
    Rook,
    /// Moves as rook and bishop.
    Queen,
    /// Must not be lost.
    King,
}

impl Role {
    /// From pawn to king.
    pub const ALL: [Self; 6] = [Self::Pawn, Self::Knight, Self::Bishop, Self::Rook, Self::Queen, Self::King];
    /// The promotions of a pawn, strongest first.
    pub const PROMOTIONS: [Self; 4] = [Self::Queen, Self::Rook, Self::Bishop, Self::Knight];

    /// 0 for a pawn to 5 for a king.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `pawn` to `king`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pawn => "pawn",
            Self::Knight => "knight",
            Self::Bishop => "bishop",
            Self::Rook => "rook",
            Self::Queen => "queen",
            Self::King => "king",
        }
    }

    /// The English letter of FEN, UCI and SAN, in lower case: `p`, `n`, `b`, `r`, `q`, `k`.
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

    /// The role of a lower-case letter, if it is one.
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
    fn letters_of_roles_round_trip() {
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
