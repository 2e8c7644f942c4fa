//! Piece attacks, and the lines between squares. All tables are computed at compile time.
//!
//! # Examples
//! ```
//! use ai_attacks::attackers;
//! use ai_api::Color;
//!
//! let fen = "4k3/8/4p3/3p4/8/8/8/3RK3 w - - 0 1";
//! let position = rules::parse_fen(fen).expect("a legal position");
//! let attackers = attackers(&position, "d5".parse()?, position.occupied());
//! assert_eq!((attackers & position.color(Color::White)).first(), Some("d1".parse()?));
//! assert_eq!((attackers & position.color(Color::Black)).first(), Some("e6".parse()?));
//! # Ok::<(), ai_api::ParseSquareError>(())
//! ```
#![forbid(unsafe_code)]

use ai_api::{Bitboard, Color, Position, Role, Square};

/// A step, in files and ranks.
type Step = (i8, i8);
type Squares = [Bitboard; 64];

const KNIGHT_STEPS: [Step; 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];
const BISHOP_STEPS: [Step; 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];
const ROOK_STEPS: [Step; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const KING_STEPS: [Step; 8] = [
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
];

static PAWN: [Squares; 2] = [rays(&[(-1, 1), (1, 1)], 1), rays(&[(-1, -1), (1, -1)], 1)];
static PUSHES: [Squares; 2] = [pushes((0, 1), 1), pushes((0, -1), 6)];
/// Each role's attacks on an empty board, or none for pawns.
static ON_EMPTY_BOARD: [Squares; 6] = [
    [Bitboard::EMPTY; 64],
    rays(&KNIGHT_STEPS, 1),
    rays(&BISHOP_STEPS, 7),
    rays(&ROOK_STEPS, 7),
    rays(&KING_STEPS, 7),
    rays(&KING_STEPS, 1),
];
static DIAGONAL: Squares = rays(&[(1, 1), (-1, -1)], 7);
static ANTIDIAGONAL: Squares = rays(&[(1, -1), (-1, 1)], 7);
/// The file, the rank and the two diagonals of each square.
static HALVES: [[Halves; 4]; 64] = halves();
static LINES: Lines = lines();

/// The squares of a line below and above a square.
#[derive(Clone, Copy)]
struct Halves {
    below: u64,
    above: u64,
}

/// For each pair of squares on a rank, file or diagonal, the squares between them and the complete
/// line through both.
struct Lines {
    between: [Squares; 64],
    whole: [Squares; 64],
}

impl Halves {
    /// Returns the squares in both directions up to and including the first occupied one: the
    /// difference of the nearest blockers above and below
    /// (<https://www.chessprogramming.org/Obstruction_Difference>).
    #[inline]
    const fn attacks(self, occupied: u64) -> u64 {
        let below = self.below & occupied | 1;
        let above = self.above & occupied;
        let nearest_above = above & above.wrapping_neg();
        let from_nearest_below = !0 << below.ilog2();
        (self.below | self.above) & (nearest_above << 1).wrapping_add(from_nearest_below)
    }
}

/// Returns the square one step away, if it is on the board.
const fn step(square: u8, (file, rank): Step) -> Option<u8> {
    let file = (square % 8) as i8 + file;
    let rank = (square / 8) as i8 + rank;
    if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
        Some((rank * 8 + file) as u8)
    } else {
        None
    }
}

/// Returns the squares within `most_steps` steps in one direction.
const fn ray(square: u8, direction: Step, most_steps: u8) -> u64 {
    let mut set = 0;
    let mut current = square;
    let mut steps = 0;
    while steps < most_steps
        && let Some(next) = step(current, direction)
    {
        set |= 1 << next;
        current = next;
        steps += 1;
    }
    set
}

/// Returns, for each square, the squares within `most_steps` steps in these directions.
const fn rays(directions: &[Step], most_steps: u8) -> Squares {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut index = 0;
        while index < directions.len() {
            table[square as usize].0 |= ray(square, directions[index], most_steps);
            index += 1;
        }
        square += 1;
    }
    table
}

/// Returns a pawn's steps from each square, including the double step from its home rank.
const fn pushes(ahead: Step, home: usize) -> Squares {
    let (mut pushes, two) = (rays(&[ahead], 1), rays(&[ahead], 2));
    let mut file = 0;
    while file < 8 {
        pushes[home * 8 + file] = two[home * 8 + file];
        file += 1;
    }
    pushes
}

const fn halves() -> [[Halves; 4]; 64] {
    const UPWARDS: [Step; 4] = [(0, 1), (1, 0), (1, 1), (-1, 1)];
    let mut halves = [[Halves { below: 0, above: 0 }; 4]; 64];
    let mut square = 0;
    while square < 64 {
        let mut index = 0;
        while index < 4 {
            let (file, rank) = UPWARDS[index];
            halves[square as usize][index] = Halves {
                below: ray(square, (-file, -rank), 7),
                above: ray(square, (file, rank), 7),
            };
            index += 1;
        }
        square += 1;
    }
    halves
}

#[expect(clippy::large_stack_arrays, reason = "runs at compile time only")]
const fn lines() -> Lines {
    let none = [[Bitboard::EMPTY; 64]; 64];
    let mut lines = Lines {
        between: none,
        whole: none,
    };
    let mut from = 0;
    while from < 64 {
        let mut index = 0;
        while index < KING_STEPS.len() {
            let (file, rank) = KING_STEPS[index];
            let whole = ray(from, (file, rank), 7) | ray(from, (-file, -rank), 7) | 1 << from;
            let mut passed = 0;
            let mut current = from;
            while let Some(next) = step(current, (file, rank)) {
                lines.between[from as usize][next as usize] = Bitboard(passed);
                lines.whole[from as usize][next as usize] = Bitboard(whole);
                passed |= 1 << next;
                current = next;
            }
            index += 1;
        }
        from += 1;
    }
    lines
}

/// Returns the squares that a pawn of `color` on `square` attacks.
#[inline]
pub const fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// Returns the squares that a set of pawns of `color` attacks.
#[inline]
pub const fn attacks_of_pawns(color: Color, pawns: Bitboard) -> Bitboard {
    let towards_a = pawns.0 & !Bitboard::file(0).0;
    let towards_h = pawns.0 & !Bitboard::file(7).0;
    Bitboard(match color {
        Color::White => towards_a << 7 | towards_h << 9,
        Color::Black => towards_a >> 9 | towards_h >> 7,
    })
}

/// Returns the squares to which a pawn of `color` on `square` may step on an empty board.
#[inline]
pub const fn pawn_pushes(color: Color, square: Square) -> Bitboard {
    PUSHES[color.index()][square.index()]
}

/// Returns the squares that a piece on `square` attacks on an empty board, or none if it is a pawn.
#[inline]
pub const fn attacks_on_empty_board(role: Role, square: Square) -> Bitboard {
    ON_EMPTY_BOARD[role.index()][square.index()]
}

/// Returns the squares that a knight on `square` attacks.
#[inline]
pub const fn knight_attacks(square: Square) -> Bitboard {
    attacks_on_empty_board(Role::Knight, square)
}

/// Returns the squares that a bishop on `square` attacks, up to and including the first occupied
/// one in each direction.
#[inline]
pub const fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    let lines = &HALVES[square.index()];
    Bitboard(lines[2].attacks(occupied.0) | lines[3].attacks(occupied.0))
}

/// Returns the squares that a rook on `square` attacks, up to and including the first occupied one
/// in each direction.
#[inline]
pub const fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    let lines = &HALVES[square.index()];
    Bitboard(lines[0].attacks(occupied.0) | lines[1].attacks(occupied.0))
}

/// Returns the squares that a king on `square` attacks.
#[inline]
pub const fn king_attacks(square: Square) -> Bitboard {
    attacks_on_empty_board(Role::King, square)
}

/// Returns the other squares of the diagonal that goes up to the right.
#[inline]
pub const fn diagonal(square: Square) -> Bitboard {
    DIAGONAL[square.index()]
}

/// Returns the other squares of the diagonal that goes down to the right.
#[inline]
pub const fn antidiagonal(square: Square) -> Bitboard {
    ANTIDIAGONAL[square.index()]
}

/// Returns the squares strictly between two squares on the same rank, file or diagonal, or none for
/// other pairs.
#[inline]
pub const fn between(a: Square, b: Square) -> Bitboard {
    LINES.between[a.index()][b.index()]
}

/// Returns the complete rank, file or diagonal through two different squares, from edge to edge, or
/// none for other pairs.
#[inline]
pub const fn line(a: Square, b: Square) -> Bitboard {
    LINES.whole[a.index()][b.index()]
}

/// Returns the pieces of both sides that attack `target`, as if only the squares in `occupied` held
/// pieces.
#[inline]
pub fn attackers(position: &Position, target: Square, occupied: Bitboard) -> Bitboard {
    let queens = position.role(Role::Queen);
    let attackers = pawn_attacks(Color::Black, target) & position.pieces(Color::White, Role::Pawn)
        | pawn_attacks(Color::White, target) & position.pieces(Color::Black, Role::Pawn)
        | knight_attacks(target) & position.role(Role::Knight)
        | king_attacks(target) & position.role(Role::King)
        | bishop_attacks(target, occupied) & (position.role(Role::Bishop) | queens)
        | rook_attacks(target, occupied) & (position.role(Role::Rook) | queens);
    attackers & occupied
}

/// Returns whether the piece of the side to move on `from` would be in danger on `to`: a less
/// valuable piece attacks the square, or it has more attackers than defenders. A king attacks only
/// undefended pieces. Ignores pins and batteries.
pub fn is_dangerous(
    position: &Position,
    from: Square,
    to: Square,
    worth: impl Fn(Role) -> i32,
) -> bool {
    let Some(role) = position.role_at(from) else {
        return false;
    };
    let side = position.turn();
    let occupied = position.occupied() & !Bitboard::of(from) | Bitboard::of(to);
    let all = attackers(position, to, occupied);
    let [enemies, defenders] = [!side, side].map(|color| all & position.color(color));
    let king = Bitboard::of(position.king(!side));
    let attackers = if defenders.is_empty() {
        enemies
    } else {
        enemies & !king
    };
    let least = attackers
        .into_iter()
        .filter_map(|square| position.role_at(square))
        .map(&worth)
        .min();
    least.is_some_and(|least| least < worth(role) || attackers.count() > defenders.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a slider's attacks by walking square by square.
    fn walk(square: Square, occupied: Bitboard, directions: [Step; 4]) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for direction in directions {
            let mut current = square.index() as u8;
            while let Some(next) = step(current, direction) {
                set |= Square::from_index(next).into();
                if occupied.contains(Square::from_index(next)) {
                    break;
                }
                current = next;
            }
        }
        set
    }

    #[test]
    fn sliders_stop_at_the_first_piece() {
        let mut state = 0x5eed_u64;
        for square in Square::all() {
            for _ in 0..2_000 {
                state = state
                    .wrapping_mul(0x5851_f42d_4c95_7f2d)
                    .wrapping_add(0x1405_7b7e_f767_814f);
                let occupied = Bitboard(state ^ state << 17 & state >> 23);
                let [bishop, rook] =
                    [BISHOP_STEPS, ROOK_STEPS].map(|steps| walk(square, occupied, steps));
                assert_eq!(
                    bishop_attacks(square, occupied),
                    bishop,
                    "{square} among\n{occupied:?}"
                );
                assert_eq!(
                    rook_attacks(square, occupied),
                    rook,
                    "{square} among\n{occupied:?}"
                );
            }
        }
    }

    fn square(name: &str) -> Square {
        name.parse().unwrap()
    }

    fn set(names: &[&str]) -> Bitboard {
        names.iter().map(|name| square(name)).collect()
    }

    #[test]
    fn leapers_stay_on_the_board() {
        assert_eq!(knight_attacks(square("h1")), set(&["f2", "g3"]));
        assert_eq!(king_attacks(square("a8")), set(&["a7", "b7", "b8"]));
        assert_eq!(pawn_attacks(Color::White, square("a2")), set(&["b3"]));
        assert_eq!(pawn_attacks(Color::Black, square("h7")), set(&["g6"]));
        assert_eq!(pawn_attacks(Color::Black, square("e5")), set(&["d4", "f4"]));
        for color in Color::ALL {
            for square in Square::all() {
                assert_eq!(
                    attacks_of_pawns(color, square.into()),
                    pawn_attacks(color, square),
                    "{square}"
                );
            }
        }
    }

    #[test]
    fn lines_run_from_edge_to_edge() {
        assert_eq!(between(square("a1"), square("d4")), set(&["b2", "c3"]));
        assert_eq!(between(square("e8"), square("e7")), Bitboard::EMPTY);
        assert_eq!(between(square("a1"), square("b3")), Bitboard::EMPTY);
        assert_eq!(line(square("b2"), square("c3")).count(), 8);
        assert_eq!(line(square("h5"), square("g5")), Bitboard::rank(4));
        assert_eq!(line(square("a1"), square("b3")), Bitboard::EMPTY);
        let long = between(square("a1"), square("h8")) | square("h8").into();
        assert_eq!(attacks_on_empty_board(Role::Bishop, square("a1")), long);
        assert_eq!(attacks_on_empty_board(Role::Rook, square("d4")).count(), 14);
    }
}
