//! The king's shield: the friendly pawns in front of it, and the enemy pawns that approach it.

use ai_api::{Bitboard, Color};

use super::{
    features::{SHIELD, SIDE_SHIELD, STORM},
    tally::Tally,
    view::{View, ahead, rank_of},
};

pub(crate) fn tally(view: &View<'_>, tally: &mut impl Tally) {
    for color in Color::ALL {
        let king = view.kings[color.index()];
        let [own, enemy] = [color, !color].map(|of| view.pawns[of.index()]);
        let king_rank = Bitboard::rank(king.rank());
        let before_king = king_rank | ahead(king_rank, color);
        // A king on the a-file or h-file is treated as if it were one file nearer the centre.
        let center = king.file().clamp(1, 6);
        for file in center - 1..=center + 1 {
            let file_before = Bitboard::file(file) & before_king;
            let nearest = |pawns: Bitboard| {
                let pawns = pawns & file_before;
                let square = match color {
                    Color::White => pawns.first(),
                    Color::Black => pawns.into_iter().last(),
                };
                square.map_or(0, |square| rank_of(square, color))
            };
            let shield = if file == king.file() {
                SHIELD
            } else {
                SIDE_SHIELD
            };
            tally.add(color, shield.at(nearest(own)), 1);
            tally.add(color, STORM.at(nearest(enemy)), 1);
        }
    }
}
