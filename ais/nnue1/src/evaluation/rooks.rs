//! Rooks on open files, on the seventh rank, and two on a file.

use ai_api::{Bitboard, Color, Role};

use super::{
    features::{ROOK_HALF_OPEN, ROOK_OPEN, ROOK_SEVENTH, ROOKS_DOUBLED},
    tally::Tally,
    view::{View, rank_of},
};

const SEVENTH: usize = 6;

pub(crate) fn tally(view: &View<'_>, tally: &mut impl Tally) {
    for color in Color::ALL {
        let rooks = view.position.pieces(color, Role::Rook);
        let [own, enemy] = [color, !color].map(|of| view.pawns[of.index()]);
        let enemy_king_is_back = rank_of(view.kings[(!color).index()], color) == SEVENTH + 1;
        for square in rooks {
            let file = Bitboard::file(square.file());
            if (file & own).is_empty() {
                let group = if (file & enemy).is_empty() {
                    ROOK_OPEN
                } else {
                    ROOK_HALF_OPEN
                };
                tally.add(color, group.at(0), 1);
            }
            let has_targets =
                enemy_king_is_back || !(Bitboard::rank(square.rank()) & enemy).is_empty();
            if rank_of(square, color) == SEVENTH && has_targets {
                tally.add(color, ROOK_SEVENTH.at(0), 1);
            }
            if Bitboard::of(square) == rooks & file & Bitboard(!0 << square.index()) {
                continue;
            }
            // Two rooks on a file count once, at the lower rook.
            tally.add(color, ROOKS_DOUBLED.at(0), 1);
        }
    }
}
