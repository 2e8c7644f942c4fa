//! Attackers of a square.

use ai_api::{Bitboard, Color, Position, Role, Square};

type Step = (i8, i8);

const STRAIGHT: [Step; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const DIAGONAL: [Step; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const KNIGHT: [Step; 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The pieces of a side that attack `square`, given the `occupied` squares.
pub(crate) fn attackers(position: &Position, square: Square, color: Color, occupied: Bitboard) -> Bitboard {
    let pieces = |role| position.pieces(color, role);
    // A pawn attacks the square from one rank behind it.
    let behind = -(color.sign() as i8);
    let pawns = stepping(square, &[(1, behind), (-1, behind)]) & pieces(Role::Pawn);
    let knights = stepping(square, &KNIGHT) & pieces(Role::Knight);
    let kings = (stepping(square, &STRAIGHT) | stepping(square, &DIAGONAL)) & pieces(Role::King);
    let straight = sliding(square, &STRAIGHT, occupied) & (pieces(Role::Rook) | pieces(Role::Queen));
    let diagonal = sliding(square, &DIAGONAL, occupied) & (pieces(Role::Bishop) | pieces(Role::Queen));
    (pawns | knights | kings | straight | diagonal) & occupied
}

fn stepping(square: Square, steps: &[Step]) -> Bitboard {
    steps.iter().filter_map(|&by| step(square, by)).collect()
}

fn sliding(square: Square, steps: &[Step], occupied: Bitboard) -> Bitboard {
    let mut all = Bitboard::EMPTY;
    for &by in steps {
        let mut at = square;
        while let Some(next) = step(at, by) {
            all |= Bitboard::of(next);
            if occupied.contains(next) {
                break;
            }
            at = next;
        }
    }
    all
}

fn step(square: Square, (files, ranks): Step) -> Option<Square> {
    let file = square.file().checked_add_signed(files).filter(|&file| file < 8)?;
    let rank = square.rank().checked_add_signed(ranks).filter(|&rank| rank < 8)?;
    Some(Square::new(file, rank))
}
