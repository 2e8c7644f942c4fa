//! X-rays: a bishop or rook that attacks a better piece through another piece.

use ai_api::{Bitboard, Color, Role};

use super::{
    features::{BISHOP_X_RAY, ROOK_X_RAY},
    tally::Tally,
    view::View,
};
use crate::attacks;

pub(crate) fn tally(view: &View<'_>, tally: &mut impl Tally) {
    for color in Color::ALL {
        let enemy = |role| view.position.pieces(!color, role);
        let targets = enemy(Role::Queen) | enemy(Role::King);
        for bishop in view.position.pieces(color, Role::Bishop) {
            if (attacks::bishop(bishop, Bitboard::EMPTY) & (targets | enemy(Role::Rook))).is_empty() {
                continue;
            }
            let seen = attacks::bishop(bishop, view.occupied);
            let behind = attacks::bishop(bishop, view.occupied & !seen) & !seen;
            for (index, role) in [Role::Rook, Role::Queen, Role::King].into_iter().enumerate() {
                tally.add(color, BISHOP_X_RAY.at(index), (behind & enemy(role)).count() as i32);
            }
        }
        for rook in view.position.pieces(color, Role::Rook) {
            if (attacks::rook(rook, Bitboard::EMPTY) & targets).is_empty() {
                continue;
            }
            let seen = attacks::rook(rook, view.occupied);
            let behind = attacks::rook(rook, view.occupied & !seen) & !seen;
            for (index, role) in [Role::Queen, Role::King].into_iter().enumerate() {
                tally.add(color, ROOK_X_RAY.at(index), (behind & enemy(role)).count() as i32);
            }
        }
    }
}
