//! Attacks of pieces, and the lines between squares.

use ai_api::{Bitboard, Color, PositionParts, Role, Square};

#[cfg(target_arch = "x86_64")]
use crate::processor::Modern;

/// Maps the blockers of a slider to an index into [`SLIDES`], and its mask to one into [`SLIDES_IN_ORDER`]; see `build.rs`.
struct Magic {
    mask: u64,
    factor: u64,
    offset: u32,
    shift: u32,
}

include!(concat!(env!("OUT_DIR"), "/magics.rs"));

/// A way to look up the attacks of sliders.
pub(crate) trait Sliders: Copy {
    /// The squares that a bishop on `square` attacks, the first occupied one of each diagonal included.
    fn bishop(self, square: Square, occupied: Bitboard) -> Bitboard;
    /// The squares that a rook on `square` attacks, the first occupied one in each direction included.
    fn rook(self, square: Square, occupied: Bitboard) -> Bitboard;
}

/// The lookup of every processor.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Magic {
    #[inline]
    fn attacks(&self, occupied: Bitboard) -> Bitboard {
        let index = (occupied.0 & self.mask).wrapping_mul(self.factor).wrapping_shr(self.shift);
        Bitboard(SLIDES[index as usize + self.offset as usize])
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn attacks_by_pext(&self, modern: Modern, occupied: Bitboard) -> Bitboard {
        let index = modern.gather(occupied.0, self.mask);
        Bitboard(SLIDES_IN_ORDER[index as usize + self.offset as usize])
    }
}

impl Sliders for Portable {
    #[inline]
    fn bishop(self, square: Square, occupied: Bitboard) -> Bitboard {
        BISHOP_MAGICS[square.index()].attacks(occupied)
    }

    #[inline]
    fn rook(self, square: Square, occupied: Bitboard) -> Bitboard {
        ROOK_MAGICS[square.index()].attacks(occupied)
    }
}

#[cfg(target_arch = "x86_64")]
impl Sliders for Modern {
    #[inline]
    fn bishop(self, square: Square, occupied: Bitboard) -> Bitboard {
        BISHOP_MAGICS[square.index()].attacks_by_pext(self, occupied)
    }

    #[inline]
    fn rook(self, square: Square, occupied: Bitboard) -> Bitboard {
        ROOK_MAGICS[square.index()].attacks_by_pext(self, occupied)
    }
}

type Squares = [Bitboard; 64];
type Pairs = [Squares; 64];

/// For each pair of squares on a rank, file or diagonal, the squares between them and the whole line through both.
struct Lines {
    between: Pairs,
    whole: Pairs,
}

const KNIGHT_STEPS: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING_STEPS: [(i8, i8); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

static PAWN: [Squares; 2] = [rays(&[(-1, 1), (1, 1)], 1), rays(&[(-1, -1), (1, -1)], 1)];
static PUSHES: [Squares; 2] = [pushes((0, 1), 1), pushes((0, -1), 6)];
/// The attacks of each role on an empty board; none of pawns.
static ON_EMPTY_BOARD: [Squares; 6] = [
    [Bitboard::EMPTY; 64],
    rays(&KNIGHT_STEPS, 1),
    rays(&[(1, 1), (1, -1), (-1, 1), (-1, -1)], 7),
    rays(&[(1, 0), (-1, 0), (0, 1), (0, -1)], 7),
    rays(&KING_STEPS, 7),
    rays(&KING_STEPS, 1),
];
static DIAGONAL: Squares = rays(&[(1, 1), (-1, -1)], 7);
static ANTIDIAGONAL: Squares = rays(&[(1, -1), (-1, 1)], 7);
static LINES: Lines = lines();

/// The square (file, rank) steps away, if it is on the board.
const fn step(square: u8, (file, rank): (i8, i8)) -> Option<u8> {
    let file = (square % 8) as i8 + file;
    let rank = (square / 8) as i8 + rank;
    if file >= 0 && file < 8 && rank >= 0 && rank < 8 { Some((rank * 8 + file) as u8) } else { None }
}

/// The squares within `most_steps` steps in one direction.
const fn ray(square: u8, direction: (i8, i8), most_steps: u8) -> u64 {
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

/// The squares within `most_steps` steps in these directions, by square.
const fn rays(directions: &[(i8, i8)], most_steps: u8) -> Squares {
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

/// The steps of a pawn, two of them from its home rank.
const fn pushes(ahead: (i8, i8), home: usize) -> Squares {
    let (mut pushes, two) = (rays(&[ahead], 1), rays(&[ahead], 2));
    let mut file = 0;
    while file < 8 {
        pushes[home * 8 + file] = two[home * 8 + file];
        file += 1;
    }
    pushes
}

#[expect(clippy::large_stack_arrays, reason = "runs at compile time only")]
const fn lines() -> Lines {
    let none = [[Bitboard::EMPTY; 64]; 64];
    let mut lines = Lines { between: none, whole: none };
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

/// The squares that a pawn of `color` on `square` attacks.
#[inline]
pub(crate) fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// The squares to which a pawn of `color` on `square` may step on an empty board.
#[inline]
pub(crate) fn pawn_pushes(color: Color, square: Square) -> Bitboard {
    PUSHES[color.index()][square.index()]
}

/// The squares that a piece on `square` attacks on an empty board; none for a pawn.
#[inline]
pub(crate) fn attacks_on_empty_board(role: Role, square: Square) -> Bitboard {
    ON_EMPTY_BOARD[role.index()][square.index()]
}

/// The squares that a knight on `square` attacks.
#[inline]
pub(crate) fn knight_attacks(square: Square) -> Bitboard {
    attacks_on_empty_board(Role::Knight, square)
}

/// The squares that a king on `square` attacks.
#[inline]
pub(crate) fn king_attacks(square: Square) -> Bitboard {
    attacks_on_empty_board(Role::King, square)
}

/// The squares that a piece on `square` attacks, the first occupied one in each direction included; none for a pawn.
#[inline]
pub(crate) fn piece_attacks(
    sliders: impl Sliders,
    role: Role,
    square: Square,
    occupied: Bitboard,
) -> Bitboard {
    match role {
        Role::Pawn => Bitboard::EMPTY,
        Role::Knight => knight_attacks(square),
        Role::Bishop => sliders.bishop(square, occupied),
        Role::Rook => sliders.rook(square, occupied),
        Role::Queen => sliders.bishop(square, occupied) | sliders.rook(square, occupied),
        Role::King => king_attacks(square),
    }
}

/// The squares that a bishop on `square` attacks on an empty board.
#[inline]
pub(crate) fn diagonals(square: Square) -> Bitboard {
    attacks_on_empty_board(Role::Bishop, square)
}

/// The squares that a rook on `square` attacks on an empty board.
#[inline]
pub(crate) fn orthogonals(square: Square) -> Bitboard {
    attacks_on_empty_board(Role::Rook, square)
}

/// The other squares of the diagonal that goes up to the right.
#[inline]
pub(crate) fn diagonal(square: Square) -> Bitboard {
    DIAGONAL[square.index()]
}

/// The other squares of the diagonal that goes down to the right.
#[inline]
pub(crate) fn antidiagonal(square: Square) -> Bitboard {
    ANTIDIAGONAL[square.index()]
}

/// The squares strictly between two of one rank, file or diagonal; none for other pairs.
#[inline]
pub(crate) fn between(a: Square, b: Square) -> Bitboard {
    LINES.between[a.index()][b.index()]
}

/// The whole rank, file or diagonal through two different squares, from edge to edge; empty for other pairs.
#[inline]
pub(crate) fn line(a: Square, b: Square) -> Bitboard {
    LINES.whole[a.index()][b.index()]
}

/// The pieces of `by` that attack `target`.
pub(crate) fn attackers(
    roles: &[Bitboard; 6],
    colors: &[Bitboard; 2],
    target: Square,
    by: Color,
) -> Bitboard {
    attackers_among(Portable, roles, colors[by.index()], !by, target, colors[0] | colors[1])
}

/// The pieces of `enemy`, the side against `color`, that attack `target` if only `occupied` squares hold pieces.
#[expect(clippy::inline_always, reason = "perft executes 6 % more instructions without")]
#[inline(always)]
pub(crate) fn attackers_among(
    sliders: impl Sliders,
    roles: &[Bitboard; 6],
    enemy: Bitboard,
    color: Color,
    target: Square,
    occupied: Bitboard,
) -> Bitboard {
    let role = |role: Role| roles[role.index()];
    let queens = role(Role::Queen);
    let attackers = sliders.bishop(target, occupied) & (role(Role::Bishop) | queens)
        | sliders.rook(target, occupied) & (role(Role::Rook) | queens)
        | knight_attacks(target) & role(Role::Knight)
        | pawn_attacks(color, target) & role(Role::Pawn)
        | king_attacks(target) & role(Role::King);
    attackers & enemy
}

/// The pieces that give check to the king of `color`, and its own pinned pieces, each alone between it and an enemy slider.
/// Both depend on the placement alone.
#[inline]
pub(crate) fn checkers_and_pinned(
    roles: &[Bitboard; 6],
    own: Bitboard,
    enemy: Bitboard,
    color: Color,
) -> (Bitboard, Bitboard) {
    let role = |role: Role| roles[role.index()];
    let Some(king) = (role(Role::King) & own).first() else {
        return (Bitboard::EMPTY, Bitboard::EMPTY);
    };
    let leapers = pawn_attacks(color, king) & role(Role::Pawn) | knight_attacks(king) & role(Role::Knight);
    let mut checkers = leapers & enemy;
    let mut pinned = Bitboard::EMPTY;
    let queens = role(Role::Queen);
    let snipers =
        diagonals(king) & (role(Role::Bishop) | queens) | orthogonals(king) & (role(Role::Rook) | queens);
    for sniper in snipers & enemy {
        let blockers = between(king, sniper) & (own | enemy);
        checkers |= if blockers.is_empty() { sniper.into() } else { Bitboard::EMPTY };
        pinned |= if blockers.has_several() { Bitboard::EMPTY } else { blockers & own };
    }
    (checkers, pinned)
}

/// Sets what depends on the placement and the side to move.
pub(crate) fn set_checkers_and_pinned(parts: &mut PositionParts) {
    let (own, enemy) = (parts.colors[parts.turn.index()], parts.colors[(!parts.turn).index()]);
    (parts.checkers, parts.pinned) = checkers_and_pinned(&parts.roles, own, enemy, parts.turn);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slider's attacks, walked square by square.
    fn walk(square: Square, occupied: Bitboard, directions: [(i8, i8); 4]) -> Bitboard {
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
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                let occupied = Bitboard(state ^ state << 17 & state >> 23);
                let bishop = walk(square, occupied, [(1, 1), (1, -1), (-1, 1), (-1, -1)]);
                let rook = walk(square, occupied, [(1, 0), (-1, 0), (0, 1), (0, -1)]);
                assert_eq!(Portable.bishop(square, occupied), bishop, "{square} among\n{occupied:?}");
                assert_eq!(Portable.rook(square, occupied), rook, "{square} among\n{occupied:?}");
                #[cfg(target_arch = "x86_64")]
                if let Some(modern) = Modern::detect() {
                    assert_eq!(modern.bishop(square, occupied), bishop, "{square} among\n{occupied:?}");
                    assert_eq!(modern.rook(square, occupied), rook, "{square} among\n{occupied:?}");
                }
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
    }

    #[test]
    fn lines_run_from_edge_to_edge() {
        assert_eq!(between(square("a1"), square("d4")), set(&["b2", "c3"]));
        assert_eq!(between(square("e8"), square("e7")), Bitboard::EMPTY);
        assert_eq!(between(square("a1"), square("b3")), Bitboard::EMPTY);
        assert_eq!(line(square("b2"), square("c3")).count(), 8);
        assert_eq!(line(square("h5"), square("g5")), Bitboard::rank(4));
        assert_eq!(line(square("a1"), square("b3")), Bitboard::EMPTY);
        assert_eq!(diagonals(square("a1")), between(square("a1"), square("h8")) | square("h8").into());
        assert_eq!(orthogonals(square("d4")).count(), 14);
    }
}
