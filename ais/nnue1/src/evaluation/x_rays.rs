//! X-rays: a bishop or rook that attacks a more valuable piece through another piece.

use ai_api::{Color, Role};
use ai_attacks::{attacks_on_empty_board, bishop_attacks, rook_attacks};

use super::{
    features::{BISHOP_X_RAY, ROOK_X_RAY},
    tally::Tally,
    view::View,
};

pub(crate) fn tally(view: &View<'_>, tally: &mut impl Tally) {
    for color in Color::ALL {
        let enemy = |role| view.position.pieces(!color, role);
        let targets = enemy(Role::Queen) | enemy(Role::King);
        for bishop in view.position.pieces(color, Role::Bishop) {
            if (attacks_on_empty_board(Role::Bishop, bishop) & (targets | enemy(Role::Rook)))
                .is_empty()
            {
                continue;
            }
            let seen = bishop_attacks(bishop, view.occupied);
            let behind = bishop_attacks(bishop, view.occupied & !seen) & !seen;
            for (index, role) in [Role::Rook, Role::Queen, Role::King]
                .into_iter()
                .enumerate()
            {
                tally.add(
                    color,
                    BISHOP_X_RAY.at(index),
                    (behind & enemy(role)).count() as i32,
                );
            }
        }
        for rook in view.position.pieces(color, Role::Rook) {
            if (attacks_on_empty_board(Role::Rook, rook) & targets).is_empty() {
                continue;
            }
            let seen = rook_attacks(rook, view.occupied);
            let behind = rook_attacks(rook, view.occupied & !seen) & !seen;
            for (index, role) in [Role::Queen, Role::King].into_iter().enumerate() {
                tally.add(
                    color,
                    ROOK_X_RAY.at(index),
                    (behind & enemy(role)).count() as i32,
                );
            }
        }
    }
}
