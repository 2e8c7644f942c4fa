//! A naive mobility count that tries every step on a copied board of 64 squares.

use ai_api::{CastlingSide, Color, Position, Role, Square};

type Cells = [Option<(Color, Role)>; 64];

const STRAIGHT: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const OBLIQUE: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const JUMPS: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

/// Counts the moves that `color` would have if it were to move, without en passant and king
/// captures.
pub(crate) fn count_moves(position: &Position, color: Color) -> usize {
    let mut cells: Cells = [None; 64];
    for square in Square::all() {
        cells[square.index()] = position.color_at(square).zip(position.role_at(square));
    }
    let mut count = count_castling(position, &cells, color);
    for from in 0..64 {
        let Some((owner, role)) = cells[from] else {
            continue;
        };
        if owner != color {
            continue;
        }
        for to in reach(&cells, from, color, role) {
            if cells[to].is_some_and(|(_, role)| role == Role::King) {
                continue;
            }
            let mut after = cells;
            after[to] = after[from].take();
            if !in_check(&after, color) {
                count += if role == Role::Pawn && !(8..56).contains(&to) {
                    4
                } else {
                    1
                };
            }
        }
    }
    count
}

fn step(from: usize, (file, rank): (i8, i8)) -> Option<usize> {
    let (file, rank) = ((from % 8) as i8 + file, (from / 8) as i8 + rank);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((rank * 8 + file) as usize)
}

fn reach(cells: &Cells, from: usize, color: Color, role: Role) -> Vec<usize> {
    let mut reached = Vec::new();
    if role == Role::Pawn {
        let ahead = color.sign() as i8;
        let home = if color == Color::White { 1 } else { 6 };
        if let Some(one) = step(from, (0, ahead)).filter(|&to| cells[to].is_none()) {
            reached.push(one);
            reached.extend(
                step(one, (0, ahead)).filter(|&to| from / 8 == home && cells[to].is_none()),
            );
        }
        for aside in [-1, 1] {
            let target = step(from, (aside, ahead));
            reached.extend(target.filter(|&to| cells[to].is_some_and(|(owner, _)| owner != color)));
        }
        return reached;
    }
    let (directions, far) = match role {
        Role::Knight => (JUMPS.to_vec(), false),
        Role::Bishop => (OBLIQUE.to_vec(), true),
        Role::Rook => (STRAIGHT.to_vec(), true),
        _ => ([STRAIGHT, OBLIQUE].concat(), role == Role::Queen),
    };
    for direction in directions {
        let mut current = from;
        while let Some(next) = step(current, direction) {
            if cells[next].is_none_or(|(owner, _)| owner != color) {
                reached.push(next);
            }
            if !far || cells[next].is_some() {
                break;
            }
            current = next;
        }
    }
    reached
}

fn in_check(cells: &Cells, color: Color) -> bool {
    let king = cells
        .iter()
        .position(|&cell| cell == Some((color, Role::King)));
    king.is_some_and(|king| attacked(cells, king, color))
}

/// Returns whether a piece of `color` on `square` could be captured.
fn attacked(cells: &Cells, square: usize, color: Color) -> bool {
    let mut cells = *cells;
    cells[square] = Some((color, Role::Rook));
    (0..64).any(|from| {
        cells[from].is_some_and(|(owner, role)| {
            owner != color && reach(&cells, from, owner, role).contains(&square)
        })
    })
}

fn count_castling(position: &Position, cells: &Cells, color: Color) -> usize {
    let king = position.king(color).index();
    let rank = king / 8 * 8;
    let mut count = 0;
    for (side, king_file, rook_file) in [(CastlingSide::King, 6, 5), (CastlingSide::Queen, 2, 3)] {
        let Some(file) = position.castling().rook_file(color, side) else {
            continue;
        };
        let (rook, king_target, rook_target) =
            (rank + usize::from(file), rank + king_file, rank + rook_file);
        let mut lifted = *cells;
        lifted[king] = None;
        let mut free = lifted;
        free[rook] = None;
        let walk = |from: usize, to: usize| from.min(to)..=from.max(to);
        let open = walk(king, king_target)
            .chain(walk(rook, rook_target))
            .all(|square| free[square].is_none());
        let safe = walk(king, king_target).all(|square| !attacked(&lifted, square, color));
        let mut castled = free;
        castled[king_target] = Some((color, Role::King));
        castled[rook_target] = Some((color, Role::Rook));
        count += usize::from(open && safe && !in_check(&castled, color));
    }
    count
}
