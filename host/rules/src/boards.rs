//! Boards as arrays of numbers.

use ai_api::{Color, Position, Role, Square};

use crate::placement::Placement;

/// A board of 8 rows and 8 columns; row 0 is rank 8, column 0 the a-file. 0 is an empty square, 1 a pawn, 2 a knight,
/// 3 a bishop, 4 a rook, 5 a queen, 6 a king; Black's are negative.
pub type Board = [[i8; 8]; 8];

/// The board of a position.
///
/// # Examples
/// ```
/// let start = rules::Setup::standard().into_position().expect("the start is legal");
/// let board = rules::board_of(&start);
/// assert_eq!(board[0], [-4, -2, -3, -5, -6, -3, -2, -4]);
/// assert_eq!(board[6], [1; 8]);
/// ```
pub fn board_of(position: &Position) -> Board {
    let mut board = [[0; 8]; 8];
    for role in Role::ALL {
        for square in position.role(role) {
            let sign = if position.color(Color::White).contains(square) { 1 } else { -1 };
            board[7 - usize::from(square.rank())][usize::from(square.file())] = sign * (role as i8 + 1);
        }
    }
    board
}

/// A fault in the shape of a board or in one of its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoardFault {
    Rows { count: usize },
    Columns { row: usize, count: usize },
    Piece { row: usize, column: usize, code: i64 },
}

/// Reads the pieces of a board.
///
/// # Errors
/// Every fault.
pub(crate) fn read_board(rows: &[Vec<i64>]) -> Result<Placement, Vec<BoardFault>> {
    let mut placement = Placement::default();
    let mut faults = Vec::new();
    if rows.len() != 8 {
        faults.push(BoardFault::Rows { count: rows.len() });
    }
    for (row, numbers) in rows.iter().enumerate().take(8) {
        if numbers.len() != 8 {
            faults.push(BoardFault::Columns { row, count: numbers.len() });
        }
        for (column, &code) in numbers.iter().enumerate().take(8) {
            let square = Square::new(column as u8, 7 - row as u8);
            match (code, usize::try_from(code.unsigned_abs())) {
                (0, _) => {}
                (-6..=6, Ok(size)) => {
                    let color = if code > 0 { Color::White } else { Color::Black };
                    placement.put_on_empty(square, color, Role::ALL[size - 1]);
                }
                _ => faults.push(BoardFault::Piece { row, column, code }),
            }
        }
    }
    if faults.is_empty() { Ok(placement) } else { Err(faults) }
}
