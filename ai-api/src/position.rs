//! A legal chess position, as host and AI share it.

use abi_stable::StableAbi;

use crate::{Bitboard, Color, Move, Role, Square};

/// The side of the king on which a rook stands that may castle.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, StableAbi)]
pub enum CastlingSide {
    /// The rook nearer to the h-file; the king goes to the g-file and the rook to the f-file.
    King,
    /// The rook nearer to the a-file; the king goes to the c-file and the rook to the d-file.
    Queen,
}

impl CastlingSide {
    /// King's side and queen's side.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];
}

/// Which rooks may still castle, each named by its file, so that Chess960 needs nothing more.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, StableAbi)]
pub struct CastlingRights {
    rook_files: [[u8; 2]; 2],
}

impl CastlingRights {
    const NO_ROOK: u8 = 8;
    /// Nobody may castle.
    pub const NONE: Self = Self { rook_files: [[Self::NO_ROOK; 2]; 2] };

    /// The file of the rook that `color` may castle with on `side`.
    #[inline]
    pub const fn rook_file(self, color: Color, side: CastlingSide) -> Option<u8> {
        match self.rook_files[color as usize][side as usize] {
            file @ 0..8 => Some(file),
            _ => None,
        }
    }

    /// Gives `color` the right to castle on `side` with the rook of `file`, or takes it.
    #[inline]
    pub const fn set_rook_file(&mut self, color: Color, side: CastlingSide, file: Option<u8>) {
        self.rook_files[color as usize][side as usize] = match file {
            Some(file) => file & 7,
            None => Self::NO_ROOK,
        };
    }

    /// Takes both rights of `color`.
    #[inline]
    pub const fn clear(&mut self, color: Color) {
        self.rook_files[color as usize] = [Self::NO_ROOK; 2];
    }

    /// Whether nobody may castle.
    #[inline]
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }
}

/// The parts of a [`Position`]; see [`Position::from_parts_unchecked`].
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, StableAbi)]
pub struct PositionParts {
    /// Where each role stands, by [`Role::index`]; no square is in two sets.
    pub roles: [Bitboard; 6],
    /// Where each side stands, by [`Color::index`]; together they are the union of `roles`.
    pub colors: [Bitboard; 2],
    /// The pieces that give check to the side to move.
    pub checkers: Bitboard,
    /// The pieces of the side to move that are pinned: each alone between its king and an enemy slider.
    pub pinned: Bitboard,
    /// Zobrist hash of placement, turn, castling rights and *legal* en passant: what repetition compares.
    pub hash: u64,
    /// Who may castle with which rook.
    pub castling: CastlingRights,
    /// The file on which an en passant capture is legal now, 0 to 7, or 8 for none.
    pub en_passant_file: u8,
    /// Plies since the last capture or pawn move, 0 to 150.
    pub halfmove_clock: u8,
    /// The number of the move, from 1; goes up after Black's.
    pub fullmove_number: u16,
    /// Who moves.
    pub turn: Color,
    /// Whether castling is written as king takes rook, as Chess960 does.
    pub chess960: bool,
    /// 0.
    pub reserved: [u8; 6],
}

/// A legal chess position: one king each, the side that has just moved not in check, and so on.
///
/// Only the host's rules make positions. An AI gets them with a question and from
/// [`Host::play`](crate::Host::play), reads them here, and may build its own board from them.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, StableAbi)]
pub struct Position(PositionParts);

impl Position {
    /// A position of these parts, for the host's rules.
    ///
    /// The caller has made sure that they describe a legal position, that `hash`, `checkers` and `pinned` belong to it and
    /// that `en_passant_file` names a legal capture. Nothing breaks memory otherwise, but what the host then says about
    /// the position means nothing.
    #[inline]
    pub const fn from_parts_unchecked(parts: PositionParts) -> Self {
        Self(parts)
    }

    /// Everything the position holds.
    #[inline]
    pub const fn parts(&self) -> &PositionParts {
        &self.0
    }

    /// Who moves.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.0.turn
    }

    /// The squares of one side's pieces.
    #[inline]
    pub const fn color(&self, color: Color) -> Bitboard {
        self.0.colors[color as usize]
    }

    /// The squares of one kind of piece of both sides.
    #[inline]
    pub const fn role(&self, role: Role) -> Bitboard {
        self.0.roles[role as usize]
    }

    /// The squares of one kind of piece of one side.
    #[inline]
    pub const fn pieces(&self, color: Color, role: Role) -> Bitboard {
        Bitboard(self.color(color).0 & self.role(role).0)
    }

    /// Every square with a piece.
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.0.colors[0].0 | self.0.colors[1].0)
    }

    /// The king's square.
    #[inline]
    pub const fn king(&self, color: Color) -> Square {
        Square::from_index(self.pieces(color, Role::King).0.trailing_zeros() as u8)
    }

    /// The role of the piece on a square.
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

    /// Whose piece stands on a square.
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

    /// The pieces that give check to the side to move.
    #[inline]
    pub const fn checkers(&self) -> Bitboard {
        self.0.checkers
    }

    /// The pieces of the side to move that are pinned: each alone between its king and an enemy slider, so that it
    /// may move only on the line that joins them.
    #[inline]
    pub const fn pinned(&self) -> Bitboard {
        self.0.pinned
    }

    /// Whether the side to move is in check.
    #[inline]
    pub const fn in_check(&self) -> bool {
        !self.0.checkers.is_empty()
    }

    /// The same for positions that chess treats as the same: placement, turn, castling rights, legal en passant.
    #[inline]
    pub const fn hash(&self) -> u64 {
        self.0.hash
    }

    /// Who may castle with which rook.
    #[inline]
    pub const fn castling(&self) -> CastlingRights {
        self.0.castling
    }

    /// The square that a pawn may capture on en passant, if such a capture is legal now.
    #[inline]
    pub const fn en_passant(&self) -> Option<Square> {
        match (self.0.en_passant_file, self.0.turn) {
            (file @ 0..8, Color::White) => Some(Square::new(file, 5)),
            (file @ 0..8, Color::Black) => Some(Square::new(file, 2)),
            _ => None,
        }
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub const fn halfmove_clock(&self) -> u8 {
        self.0.halfmove_clock
    }

    /// The number of the move, from 1.
    #[inline]
    pub const fn fullmove_number(&self) -> u16 {
        self.0.fullmove_number
    }

    /// Whether castling is written as king takes rook.
    #[inline]
    pub const fn is_chess960(&self) -> bool {
        self.0.chess960
    }

    /// Whether `chosen`, a legal move, is castling: the king takes a rook of its own.
    #[inline]
    pub const fn is_castling(&self, chosen: Move) -> bool {
        self.pieces(self.0.turn, Role::King).contains(chosen.from())
            && self.color(self.0.turn).contains(chosen.to())
    }

    /// Whether `chosen`, a legal move, captures; en passant included.
    #[inline]
    pub fn is_capture(&self, chosen: Move) -> bool {
        self.color(!self.0.turn).contains(chosen.to())
            || self.role(Role::Pawn).contains(chosen.from()) && self.en_passant() == Some(chosen.to())
    }
}
