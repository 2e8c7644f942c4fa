//! The board as one side sees it.

use ai_api::{Color, Role, Square};

/// The inputs of a view: own and enemy pieces, six roles, 64 squares.
pub const INPUTS: usize = 2 * 6 * 64;

/// How one side sees the board: its own side at the bottom, mirrored so that its king is on files a
/// to d.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    side: Color,
    /// The value to XOR with the index of a square.
    mirror: usize,
}

impl View {
    /// Creates the view of `side`, whose king is on a square.
    #[inline]
    pub fn new(side: Color, king: Square) -> Self {
        let ranks = if side == Color::White { 0 } else { 0b11_1000 };
        let files = if king.file() < 4 { 0 } else { 0b00_0111 };
        Self {
            side,
            mirror: ranks | files,
        }
    }

    /// Returns the index of a piece's input, below [`INPUTS`].
    #[inline]
    pub fn input(self, color: Color, role: Role, square: Square) -> usize {
        let owner = usize::from(color != self.side);
        (owner * 6 + role.index()) * 64 + (square.index() ^ self.mirror)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(side: Color, king: &str, color: Color, role: Role, square: &str) -> usize {
        View::new(side, king.parse().unwrap()).input(color, role, square.parse().unwrap())
    }

    #[test]
    fn both_sides_see_their_own_pieces_alike() {
        let white = input(Color::White, "e1", Color::White, Role::Rook, "h2");
        let black = input(Color::Black, "e8", Color::Black, Role::Rook, "h7");
        assert_eq!(white, black);
        let enemy = input(Color::White, "e1", Color::Black, Role::Rook, "h2");
        assert_eq!(enemy, white + INPUTS / 2);
    }

    #[test]
    fn a_king_on_the_right_half_mirrors_the_files() {
        let left = input(Color::White, "d1", Color::White, Role::Pawn, "a2");
        let right = input(Color::White, "e1", Color::White, Role::Pawn, "h2");
        assert_eq!(left, right);
        assert_eq!(left, 8);
    }

    #[test]
    fn each_piece_and_square_has_a_separate_input() {
        let mut seen = vec![false; INPUTS];
        let view = View::new(Color::Black, "g8".parse().unwrap());
        for color in Color::ALL {
            for role in Role::ALL {
                for square in Square::all() {
                    assert!(!std::mem::replace(
                        &mut seen[view.input(color, role, square)],
                        true
                    ));
                }
            }
        }
        assert!(seen.into_iter().all(|input| input));
    }
}
