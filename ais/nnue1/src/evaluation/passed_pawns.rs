//! Passed pawns: no enemy pawn is in front of them or can capture them on their way.

use ai_api::{Bitboard, Color};

use super::{
    features::{PASSED, PASSED_BLOCKED, PASSED_ENEMY_KING, PASSED_FREE, PASSED_OWN_KING},
    tally::Tally,
    view::{View, ahead, beside, distance, forward, rank_of},
};

pub(crate) fn tally(view: &View<'_>, tally: &mut impl Tally) {
    for color in Color::ALL {
        let [own, enemy] = [color, !color].map(|of| view.pawns[of.index()]);
        let guarded_by_enemy = ahead(enemy | beside(enemy), !color);
        // Of doubled pawns, only the foremost one is passed.
        let passed = own & !guarded_by_enemy & !ahead(own, !color);
        for square in passed {
            let rank = rank_of(square, color);
            tally.add(color, PASSED.at(rank), 1);
            let stop = forward(Bitboard::of(square), color);
            let way = ahead(Bitboard::of(square), color);
            let hostile = view.position.color(!color);
            if !(stop & hostile).is_empty() {
                tally.add(color, PASSED_BLOCKED.at(rank), 1);
            } else if (way & (hostile | view.attacked[(!color).index()])).is_empty() {
                tally.add(color, PASSED_FREE.at(rank), 1);
            }
            if let (Some(stop), 3..) = (stop.first(), rank) {
                let [own_distance, enemy_distance] =
                    [color, !color].map(|of| distance(view.kings[of.index()], stop));
                tally.add(color, PASSED_OWN_KING.at(own_distance), rank as i32 - 2);
                tally.add(color, PASSED_ENEMY_KING.at(enemy_distance), rank as i32 - 2);
            }
        }
    }
}
