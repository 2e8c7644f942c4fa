//! Boards as arrays of numbers.

use ai_api::{Color, Position, Role};

/// A board of 8 rows and 8 columns. Row 0 is rank 8, column 0 the a-file. 0 is an empty square, 1 a
/// pawn, 2 a knight, 3 a bishop, 4 a rook, 5 a queen, 6 a king. Black's pieces are negative.
pub type Board = [[i8; 8]; 8];

/// Returns the board of a position.
///
/// # Examples
/// ```
/// let board = rules::board_of(&rules::start_position());
/// assert_eq!(board[0], [-4, -2, -3, -5, -6, -3, -2, -4]);
/// assert_eq!(board[6], [1; 8]);
/// ```
pub fn board_of(position: &Position) -> Board {
    let mut board = [[0; 8]; 8];
    for role in Role::ALL {
        for square in position.role(role) {
            let sign = if position.color(Color::White).contains(square) {
                1
            } else {
                -1
            };
            board[7 - usize::from(square.rank())][usize::from(square.file())] =
                sign * (role as i8 + 1);
        }
    }
    board
}
