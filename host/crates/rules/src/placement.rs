//! The placement of pieces on a board.

use ai_api::{Bitboard, Color, Position, Role, Square};

use crate::attacks::attackers;

/// The piece on each square, in any arrangement, legal or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Placement {
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
}

impl Placement {
    /// The pieces of a position.
    pub(crate) fn of(position: &Position) -> Self {
        Self {
            roles: position.parts().roles,
            colors: position.parts().colors,
        }
    }

    pub(crate) fn roles(&self) -> [Bitboard; 6] {
        self.roles
    }

    pub(crate) fn colors(&self) -> [Bitboard; 2] {
        self.colors
    }

    pub(crate) fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    pub(crate) fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    pub(crate) fn role(&self, role: Role) -> Bitboard {
        self.roles[role.index()]
    }

    pub(crate) fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.color(color) & self.role(role)
    }

    /// The king, if the side has exactly one.
    pub(crate) fn king(&self, color: Color) -> Option<Square> {
        let kings = self.pieces(color, Role::King);
        if kings.has_several() {
            None
        } else {
            kings.first()
        }
    }

    pub(crate) fn at(&self, square: Square) -> Option<(Color, Role)> {
        let color = Color::ALL
            .into_iter()
            .find(|&color| self.color(color).contains(square))?;
        let role = Role::ALL
            .into_iter()
            .find(|&role| self.role(role).contains(square))?;
        Some((color, role))
    }

    /// Puts a piece on a square, replacing any piece there.
    pub(crate) fn put(&mut self, square: Square, color: Color, role: Role) {
        self.take(square);
        self.put_on_empty(square, color, role);
    }

    /// Puts a piece on an empty square.
    pub(crate) fn put_on_empty(&mut self, square: Square, color: Color, role: Role) {
        self.colors[color.index()] |= Bitboard::of(square);
        self.roles[role.index()] |= Bitboard::of(square);
    }

    /// Removes the piece from a square and returns it.
    pub(crate) fn take(&mut self, square: Square) -> Option<(Color, Role)> {
        let (color, role) = self.at(square)?;
        self.colors[color.index()] &= !Bitboard::of(square);
        self.roles[role.index()] &= !Bitboard::of(square);
        Some((color, role))
    }

    /// The pieces of `by` that attack `target`.
    pub(crate) fn attackers(&self, target: Square, by: Color) -> Bitboard {
        attackers(&self.roles, &self.colors, target, by)
    }
}

/// The role of the piece on an occupied square.
#[inline]
pub(crate) fn role_on(roles: &[Bitboard; 6], square: Square) -> Role {
    Role::ALL[role_index_on(roles, square).min(5)]
}

/// The index of the role of the piece on an occupied square, assembled from bits without a branch;
/// 0 on an empty square.
#[inline]
pub(crate) fn role_index_on(roles: &[Bitboard; 6], square: Square) -> usize {
    let [_, knights, bishops, rooks, queens, kings] = *roles;
    let bit = |set: Bitboard| (set.0 >> square.index() & 1) as usize;
    bit(knights | rooks | kings) + 2 * bit(bishops | rooks) + 4 * bit(queens | kings)
}

/// The rank, 0 to 7, on which a side's king and rooks start.
pub(crate) const fn back_rank(color: Color) -> u8 {
    match color {
        Color::White => 0,
        Color::Black => 7,
    }
}
