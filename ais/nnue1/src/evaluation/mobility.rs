//! Mobility: the squares to which a piece can move without being taken by a pawn. Collects the
//! attacks for other terms.

use ai_api::{Bitboard, Color, Role};
use ai_attacks::{bishop_attacks, knight_attacks, rook_attacks};

use super::{
    features::{BISHOP_MOBILITY, Group, KNIGHT_MOBILITY, QUEEN_MOBILITY, ROOK_MOBILITY},
    king_attack::Attackers,
    tally::Tally,
    view::View,
};

const PIECES: [(Role, Group); 4] = [
    (Role::Knight, KNIGHT_MOBILITY),
    (Role::Bishop, BISHOP_MOBILITY),
    (Role::Rook, ROOK_MOBILITY),
    (Role::Queen, QUEEN_MOBILITY),
];

pub(crate) fn tally(view: &mut View<'_>, attackers: &mut Attackers, tally: &mut impl Tally) {
    let position = view.position;
    for color in Color::ALL {
        let own = position.color(color);
        let blocked = own & (position.role(Role::King) | position.role(Role::Pawn));
        let area = !(blocked | view.pawn_attacks(!color));
        // Bishops and rooks also attack through the pieces that they support.
        let queens = position.pieces(color, Role::Queen);
        let rooks = position.pieces(color, Role::Rook);
        for (role, group) in PIECES {
            for square in position.pieces(color, role) {
                let squares = match role {
                    Role::Knight => knight_attacks(square),
                    Role::Bishop => bishop_attacks(square, view.occupied & !queens),
                    Role::Rook => rook_attacks(square, view.occupied & !(queens | rooks)),
                    _ => {
                        rook_attacks(square, view.occupied) | bishop_attacks(square, view.occupied)
                    }
                };
                view.add_attacks(color, role, squares);
                attackers.add(color, role, squares & view.king_zones[(!color).index()]);
                let reached: Bitboard = squares & area;
                tally.add(color, group.at(reached.count() as usize), 1);
            }
        }
    }
}
