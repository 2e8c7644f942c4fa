//! Facts about a position that several terms need.

use ai_api::{Bitboard, Color, Position, Role, Square};
use ai_attacks::{attacks_of_pawns, king_attacks};

/// A position with its attacks, indexed by [`Color::index`].
#[derive(Debug)]
pub(crate) struct View<'p> {
    pub(crate) position: &'p Position,
    pub(crate) occupied: Bitboard,
    pub(crate) pawns: [Bitboard; 2],
    pub(crate) kings: [Square; 2],
    /// The squares around each king, and the same squares one rank further ahead.
    pub(crate) king_zones: [Bitboard; 2],
    /// The squares attacked by each role.
    pub(crate) by_role: [[Bitboard; 6]; 2],
    pub(crate) attacked: [Bitboard; 2],
    pub(crate) attacked_twice: [Bitboard; 2],
}

impl<'p> View<'p> {
    /// Creates a view with the attacks of kings and pawns. [`add_attacks`](Self::add_attacks) adds
    /// the others.
    #[inline]
    pub(crate) fn new(position: &'p Position) -> Self {
        let mut view = Self {
            position,
            occupied: position.occupied(),
            pawns: Color::ALL.map(|color| position.pieces(color, Role::Pawn)),
            kings: Color::ALL.map(|color| position.king(color)),
            king_zones: [Bitboard::EMPTY; 2],
            by_role: [[Bitboard::EMPTY; 6]; 2],
            attacked: [Bitboard::EMPTY; 2],
            attacked_twice: [Bitboard::EMPTY; 2],
        };
        for color in Color::ALL {
            let index = color.index();
            let around = king_attacks(view.kings[index]);
            view.king_zones[index] =
                around | Bitboard::of(view.kings[index]) | forward(around, color);
            view.add_attacks(color, Role::King, around);
            view.add_attacks(
                color,
                Role::Pawn,
                attacks_of_pawns(color, view.pawns[index]),
            );
        }
        view
    }

    /// Adds the attacks of one piece.
    #[inline]
    pub(crate) fn add_attacks(&mut self, color: Color, role: Role, squares: Bitboard) {
        let index = color.index();
        self.by_role[index][role.index()] |= squares;
        self.attacked_twice[index] |= self.attacked[index] & squares;
        self.attacked[index] |= squares;
    }

    #[inline]
    pub(crate) fn pawn_attacks(&self, color: Color) -> Bitboard {
        self.by_role[color.index()][Role::Pawn.index()]
    }
}

/// Returns the squares one rank further ahead, as a side sees them.
#[inline]
pub(crate) const fn forward(squares: Bitboard, color: Color) -> Bitboard {
    Bitboard(match color {
        Color::White => squares.0 << 8,
        Color::Black => squares.0 >> 8,
    })
}

/// Returns all squares in front of the given ones, up to the last rank, as a side sees them.
#[inline]
pub(crate) const fn ahead(squares: Bitboard, color: Color) -> Bitboard {
    let mut set = forward(squares, color).0;
    match color {
        Color::White => {
            set |= set << 8;
            set |= set << 16;
            set |= set << 32;
        }
        Color::Black => {
            set |= set >> 8;
            set |= set >> 16;
            set |= set >> 32;
        }
    }
    Bitboard(set)
}

/// Returns the squares on the adjacent files.
#[inline]
pub(crate) const fn beside(squares: Bitboard) -> Bitboard {
    Bitboard((squares.0 & !Bitboard::file(0).0) >> 1 | (squares.0 & !Bitboard::file(7).0) << 1)
}

/// Returns the rank as a side sees it: 0 is the side's first rank.
#[inline]
pub(crate) const fn rank_of(square: Square, color: Color) -> usize {
    match color {
        Color::White => square.rank() as usize,
        Color::Black => 7 - square.rank() as usize,
    }
}

/// Returns the number of king moves between two squares.
#[inline]
pub(crate) fn distance(one: Square, other: Square) -> usize {
    let files = one.file().abs_diff(other.file());
    usize::from(files.max(one.rank().abs_diff(other.rank())))
}
