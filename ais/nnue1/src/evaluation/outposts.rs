//! Outposts: knights and bishops on the fourth to sixth rank, as their side sees it, that a pawn
//! guards and no enemy pawn can expel.

use ai_api::{Bitboard, Color, Role};

use super::{
    features::OUTPOST,
    tally::Tally,
    view::{View, ahead, beside},
};

pub(crate) fn tally(view: &View<'_>, tally: &mut impl Tally) {
    for color in Color::ALL {
        let ranks = match color {
            Color::White => 3..6,
            Color::Black => 2..5,
        };
        let beyond = ranks.fold(Bitboard::EMPTY, |set, rank| set | Bitboard::rank(rank));
        let enemy = view.pawns[(!color).index()];
        let outposts = beyond & view.pawn_attacks(color) & !ahead(beside(enemy), !color);
        for (index, role) in [Role::Knight, Role::Bishop].into_iter().enumerate() {
            let count = (view.position.pieces(color, role) & outposts).count();
            tally.add(color, OUTPOST.at(index), count as i32);
        }
    }
}
