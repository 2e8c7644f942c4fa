//! Attacks of pieces for `pyrrhic-rs`. A probe generates few moves, so they are computed square by square.

use pyrrhic_rs::{Color, EngineAdapter};

const STRAIGHT: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const KNIGHT: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// Moves by files and ranks.
type Steps<'a> = &'a [(i8, i8)];

#[derive(Clone, Copy, Debug)]
pub(crate) struct Attacks;

impl EngineAdapter for Attacks {
    fn pawn_attacks(color: Color, square: u64) -> u64 {
        let forward = if color == Color::White { 1 } else { -1 };
        leap(square, &[(-1, forward), (1, forward)])
    }

    fn knight_attacks(square: u64) -> u64 {
        leap(square, &KNIGHT)
    }

    fn bishop_attacks(square: u64, occupied: u64) -> u64 {
        slide(square, occupied, &DIAGONAL)
    }

    fn rook_attacks(square: u64, occupied: u64) -> u64 {
        slide(square, occupied, &STRAIGHT)
    }

    fn queen_attacks(square: u64, occupied: u64) -> u64 {
        slide(square, occupied, &STRAIGHT) | slide(square, occupied, &DIAGONAL)
    }

    fn king_attacks(square: u64) -> u64 {
        leap(square, &STRAIGHT) | leap(square, &DIAGONAL)
    }
}

/// Returns the square after a step, unless it leaves the board.
pub(crate) fn step(square: u64, (files, ranks): (i8, i8)) -> Option<u64> {
    let (file, rank) = ((square & 7) as i8 + files, (square >> 3) as i8 + ranks);
    let is_on_board = (0..8).contains(&file) && (0..8).contains(&rank);
    is_on_board.then(|| (rank * 8 + file) as u64)
}

fn leap(square: u64, steps: Steps<'_>) -> u64 {
    steps.iter().filter_map(|&by| step(square, by)).fold(0, |set, to| set | 1 << to)
}

fn slide(square: u64, occupied: u64, steps: Steps<'_>) -> u64 {
    let mut set = 0;
    for &by in steps {
        let mut at = square;
        while let Some(to) = step(at, by) {
            set |= 1 << to;
            if occupied >> to & 1 != 0 {
                break;
            }
            at = to;
        }
    }
    set
}
