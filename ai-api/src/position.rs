//! Legal chess positions.

use crate::{Bitboard, Color, Move, Role, Square};

/// A side of the board on which a king may castle.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
pub enum CastlingSide {
    /// The rook nearer to the h-file. The king goes to the g-file and the rook to the f-file.
    King,
    /// The rook nearer to the a-file. The king goes to the c-file and the rook to the d-file.
    Queen,
}

impl CastlingSide {
    /// Both sides, the king's side first.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];
}

/// The rooks that may castle, by file, as required for Chess960.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
pub struct CastlingRights {
    rook_files: [[u8; 2]; 2],
}

impl CastlingRights {
    const NO_ROOK: u8 = 8;
    /// No castling rights.
    pub const NONE: Self = Self {
        rook_files: [[Self::NO_ROOK; 2]; 2],
    };

    /// Returns the file of the rook with which `color` may castle on `side`.
    #[inline]
    pub const fn rook_file(self, color: Color, side: CastlingSide) -> Option<u8> {
        match self.rook_files[color as usize][side as usize] {
            file @ 0..8 => Some(file),
            _ => None,
        }
    }

    /// Sets or clears `color`'s right to castle on `side` with the rook on `file`.
    #[inline]
    pub const fn set_rook_file(&mut self, color: Color, side: CastlingSide, file: Option<u8>) {
        self.rook_files[color as usize][side as usize] = match file {
            Some(file) => file & 7,
            None => Self::NO_ROOK,
        };
    }

    /// Clears both of `color`'s rights.
    #[inline]
    pub const fn clear(&mut self, color: Color) {
        self.rook_files[color as usize] = [Self::NO_ROOK; 2];
    }

    /// Returns whether neither side may castle.
    #[inline]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }
}

/// The parts of a [`Position`]; see [`Position::from_parts_unchecked`].
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
pub struct PositionParts {
    /// The squares of each role, by [`Role::index`]. No square is in two sets.
    pub roles: [Bitboard; 6],
    /// The squares of each side, by [`Color::index`]. Their union equals the union of `roles`.
    pub colors: [Bitboard; 2],
    /// The pieces that give check to the side to move.
    pub checkers: Bitboard,
    /// The pinned pieces of the side to move. Each is the only piece between its king and an enemy
    /// slider.
    pub pinned: Bitboard,
    /// The Zobrist hash of placement, turn, castling rights and *legal* en passant. Positions that
    /// repeat each other have the same hash.
    pub hash: u64,
    /// The castling rights.
    pub castling: CastlingRights,
    /// The file on which an en passant capture is legal now, 0 to 7, or 8 for none.
    pub en_passant_file: u8,
    /// Plies since the last capture or pawn move, 0 to 150.
    pub halfmove_clock: u8,
    /// The move number, from 1. Incremented after Black's move.
    pub fullmove_number: u16,
    /// The side to move.
    pub turn: Color,
    /// Whether castling is written as king takes rook, as in Chess960.
    pub chess960: bool,
    /// Always 0.
    pub reserved: [u8; 6],
}

/// A legal chess position: each side has one king, the side that has just moved is not in check,
/// and so on.
///
/// Only the host's rules create positions. An AI receives them with a request and from
/// [`Host::play`](crate::Host::play), and may build its own board from them.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
pub struct Position(PositionParts);

impl Position {
    /// Creates a position from these parts, for the host's rules.
    ///
    /// The caller ensures that they describe a legal position, that `hash`, `checkers` and `pinned`
    /// match it, and that `en_passant_file` names a legal capture. Otherwise memory stays safe, but
    /// results for the position are meaningless.
    #[inline]
    pub const fn from_parts_unchecked(parts: PositionParts) -> Self {
        Self(parts)
    }

    /// Returns the parts of the position.
    #[inline]
    pub const fn parts(&self) -> &PositionParts {
        &self.0
    }

    /// Returns the side to move.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.0.turn
    }

    /// Returns the squares of one side's pieces.
    #[inline]
    pub const fn color(&self, color: Color) -> Bitboard {
        self.0.colors[color as usize]
    }

    /// Returns the squares of both sides' pieces of a role.
    #[inline]
    pub const fn role(&self, role: Role) -> Bitboard {
        self.0.roles[role as usize]
    }

    /// Returns the squares of one side's pieces of a role.
    #[inline]
    pub const fn pieces(&self, color: Color, role: Role) -> Bitboard {
        Bitboard(self.color(color).0 & self.role(role).0)
    }

    /// Returns every square with a piece.
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.0.colors[0].0 | self.0.colors[1].0)
    }

    /// Returns the king's square.
    #[inline]
    pub const fn king(&self, color: Color) -> Square {
        Square::from_index(self.pieces(color, Role::King).0.trailing_zeros() as u8)
    }

    /// Returns the role of the piece on a square.
    #[inline]
    pub const fn role_at(&self, square: Square) -> Option<Role> {
        let mut index = 0;
        while index < 6 {
            if self.0.roles[index].contains(square) {
                return Some(Role::ALL[index]);
            }
            index += 1;
        }
        None
    }

    /// Returns the side of the piece on a square.
    #[inline]
    pub const fn color_at(&self, square: Square) -> Option<Color> {
        if self.0.colors[0].contains(square) {
            Some(Color::White)
        } else if self.0.colors[1].contains(square) {
            Some(Color::Black)
        } else {
            None
        }
    }

    /// Returns the pieces that give check to the side to move.
    #[inline]
    pub const fn checkers(&self) -> Bitboard {
        self.0.checkers
    }

    /// Returns the pinned pieces of the side to move. Each is the only piece between its king and
    /// an enemy slider, so it may move only on the line through both.
    #[inline]
    pub const fn pinned(&self) -> Bitboard {
        self.0.pinned
    }

    /// Returns whether the side to move is in check.
    #[inline]
    pub const fn in_check(&self) -> bool {
        !self.0.checkers.is_empty()
    }

    /// Returns a hash of placement, turn, castling rights and legal en passant. It is equal for
    /// positions that repeat each other.
    #[inline]
    pub const fn hash(&self) -> u64 {
        self.0.hash
    }

    /// Returns the castling rights.
    #[inline]
    pub const fn castling(&self) -> CastlingRights {
        self.0.castling
    }

    /// Returns the square on which a pawn may capture en passant, if such a capture is legal now.
    #[inline]
    pub const fn en_passant(&self) -> Option<Square> {
        match (self.0.en_passant_file, self.0.turn) {
            (file @ 0..8, Color::White) => Some(Square::new(file, 5)),
            (file @ 0..8, Color::Black) => Some(Square::new(file, 2)),
            _ => None,
        }
    }

    /// Returns the plies since the last capture or pawn move.
    #[inline]
    pub const fn halfmove_clock(&self) -> u8 {
        self.0.halfmove_clock
    }

    /// Returns the move number, from 1.
    #[inline]
    pub const fn fullmove_number(&self) -> u16 {
        self.0.fullmove_number
    }

    /// Returns whether castling is written as king takes rook.
    #[inline]
    pub const fn is_chess960(&self) -> bool {
        self.0.chess960
    }

    /// Returns whether `chosen`, a legal move, is castling: the king takes its own rook.
    #[inline]
    pub const fn is_castling(&self, chosen: Move) -> bool {
        self.pieces(self.0.turn, Role::King).contains(chosen.from())
            && self.color(self.0.turn).contains(chosen.to())
    }

    /// Returns whether `chosen`, a legal move, captures, including en passant.
    #[inline]
    pub fn is_capture(&self, chosen: Move) -> bool {
        self.color(!self.0.turn).contains(chosen.to())
            || self.role(Role::Pawn).contains(chosen.from())
                && self.en_passant() == Some(chosen.to())
    }
}
