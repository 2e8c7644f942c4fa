//! Pawn structure: doubled, isolated and backward pawns, islands, chains.

use ai_api::{Bitboard, Color};

use super::{
    features::{BACKWARD, DOUBLED, ISLANDS, ISOLATED, PHALANX, SUPPORTED},
    tally::Tally,
    view::{View, ahead, beside, forward, rank_of},
};

/// Returns all squares on the files that a set occupies.
#[inline]
fn files(set: Bitboard) -> Bitboard {
    let mut all = set.0;
    all |= all >> 8 | all << 8;
    all |= all >> 16 | all << 16;
    all |= all.rotate_left(32);
    Bitboard(all)
}

pub(crate) fn tally(view: &View<'_>, tally: &mut impl Tally) {
    for color in Color::ALL {
        let [own, enemy] = [color, !color].map(|of| view.pawns[of.index()]);
        let own_files = files(own);
        let open = !files(enemy);
        tally.add(
            color,
            DOUBLED.at(0),
            (own & ahead(own, color)).count() as i32,
        );
        let isolated = own & !beside(own_files);
        tally.add(color, ISOLATED.at(0), (isolated & !open).count() as i32);
        tally.add(color, ISOLATED.at(1), (isolated & open).count() as i32);
        let first_rank = own_files & Bitboard::rank(0);
        let islands = first_rank & !Bitboard(first_rank.0 << 1);
        tally.add(color, ISLANDS.at(0), islands.count() as i32);

        // A pawn is backward if an enemy pawn guards the square in front of it and no friendly pawn
        // ever can.
        let own_attacks = view.pawn_attacks(color);
        let stops = forward(own, color) & view.pawn_attacks(!color) & !beside(ahead(own, color));
        let backward = forward(stops, !color) & own & !isolated;
        tally.add(color, BACKWARD.at(0), (backward & !open).count() as i32);
        tally.add(color, BACKWARD.at(1), (backward & open).count() as i32);

        for square in own & own_attacks {
            tally.add(color, SUPPORTED.at(rank_of(square, color)), 1);
        }
        for square in own & beside(own) {
            tally.add(color, PHALANX.at(rank_of(square, color)), 1);
        }
    }
}
