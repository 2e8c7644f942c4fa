//! Attacks of pieces.

use ai_api::{Bitboard, Color, Square};

/// The squares of a line below and above a square.
#[derive(Clone, Copy)]
struct Line {
    below: u64,
    above: u64,
}

const DIRECTIONS: [(i8, i8); 4] = [(0, 1), (1, 0), (1, 1), (-1, 1)];
const KNIGHT_STEPS: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING_STEPS: [(i8, i8); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

/// The file, the rank and the two diagonals of each square.
static LINES: [[Line; 4]; 64] = lines();
static KNIGHT: [u64; 64] = leaps(KNIGHT_STEPS);
static KING: [u64; 64] = leaps(KING_STEPS);

const fn step(square: usize, (file, rank): (i8, i8)) -> Option<usize> {
    let file = (square % 8) as i8 + file;
    let rank = (square / 8) as i8 + rank;
    if file >= 0 && file < 8 && rank >= 0 && rank < 8 { Some((rank * 8 + file) as usize) } else { None }
}

const fn ray(square: usize, direction: (i8, i8)) -> u64 {
    let mut set = 0;
    let mut current = square;
    while let Some(next) = step(current, direction) {
        set |= 1 << next;
        current = next;
    }
    set
}

const fn lines() -> [[Line; 4]; 64] {
    let mut lines = [[Line { below: 0, above: 0 }; 4]; 64];
    let mut square = 0;
    while square < 64 {
        let mut index = 0;
        while index < 4 {
            let (file, rank) = DIRECTIONS[index];
            let whole = ray(square, (file, rank)) | ray(square, (-file, -rank));
            let lower = (1 << square) - 1;
            lines[square][index] = Line { below: whole & lower, above: whole & !lower };
            index += 1;
        }
        square += 1;
    }
    lines
}

const fn leaps(steps: [(i8, i8); 8]) -> [u64; 64] {
    let mut leaps = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut index = 0;
        while index < 8 {
            if let Some(to) = step(square, steps[index]) {
                leaps[square] |= 1 << to;
            }
            index += 1;
        }
        square += 1;
    }
    leaps
}

impl Line {
    /// The squares up to the first occupied one in both directions, that one included: the difference of the nearest blockers
    /// above and below (<https://www.chessprogramming.org/Obstruction_Difference>).
    #[inline]
    const fn attacks(self, occupied: u64) -> u64 {
        let below = self.below & occupied | 1;
        let above = self.above & occupied;
        let nearest_above = above & above.wrapping_neg();
        let from_nearest_below = !0 << below.ilog2();
        (self.below | self.above) & (nearest_above << 1).wrapping_add(from_nearest_below)
    }
}

#[inline]
pub(crate) fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let lines = &LINES[square.index()];
    Bitboard(lines[0].attacks(occupied.0) | lines[1].attacks(occupied.0))
}

#[inline]
pub(crate) fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let lines = &LINES[square.index()];
    Bitboard(lines[2].attacks(occupied.0) | lines[3].attacks(occupied.0))
}

#[inline]
pub(crate) fn knight(square: Square) -> Bitboard {
    Bitboard(KNIGHT[square.index()])
}

#[inline]
pub(crate) fn king(square: Square) -> Bitboard {
    Bitboard(KING[square.index()])
}

/// The squares attacked by a set of pawns.
#[inline]
pub(crate) fn pawns(pawns: Bitboard, color: Color) -> Bitboard {
    let west = (pawns & !Bitboard::file(0)).0;
    let east = (pawns & !Bitboard::file(7)).0;
    Bitboard(match color {
        Color::White => west << 7 | east << 9,
        Color::Black => west >> 9 | east >> 7,
    })
}

#[cfg(test)]
mod tests {
    use ai_api::{Position, Role};

    use super::*;

    /// The attacks of a piece by the host's rules.
    fn expected(position: &Position, from: Square, color: Color) -> Bitboard {
        let attackers = |to| (rules::RULES.attackers)(position, to, color);
        Square::all().filter(|&to| attackers(to).contains(from)).collect()
    }

    #[test]
    fn agrees_with_the_rules_of_the_host() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "q5k1/8/2r5/8/3B4/8/1N6/K6Q w - - 0 1",
        ] {
            let position = rules::parse_fen(fen).unwrap();
            let occupied = position.occupied();
            for color in Color::ALL {
                for from in position.color(color) {
                    let attacks = match position.role_at(from).unwrap() {
                        Role::Pawn => pawns(Bitboard::of(from), color),
                        Role::Knight => knight(from),
                        Role::Bishop => bishop(from, occupied),
                        Role::Rook => rook(from, occupied),
                        Role::Queen => rook(from, occupied) | bishop(from, occupied),
                        Role::King => king(from),
                    };
                    assert_eq!(attacks, expected(&position, from, color), "{fen} {from}");
                }
            }
        }
    }
}
