//! Forks: a piece that attacks several better or unguarded pieces at once.

use ai_api::{Bitboard, Color, Role};

use super::{features::FORK, tally::Tally, view::View};
use crate::attacks;

pub(crate) fn tally(view: &View<'_>, tally: &mut impl Tally) {
    for color in Color::ALL {
        let enemy = (!color).index();
        let of = |role| view.position.pieces(!color, role);
        let unguarded = view.position.color(!color) & !view.attacked[enemy] & !view.position.role(Role::Pawn);
        let royal = of(Role::Queen) | of(Role::King);
        let major = royal | of(Role::Rook);
        let minor = of(Role::Knight) | of(Role::Bishop);
        for (index, role, better) in [
            (0, Role::Pawn, major | minor),
            (1, Role::Knight, major),
            (2, Role::Bishop, major),
            (3, Role::Rook, royal),
        ] {
            let targets = better | unguarded;
            if !(view.by_role[color.index()][role.index()] & targets).has_several() {
                continue;
            }
            for square in view.position.pieces(color, role) {
                let attacked = match role {
                    Role::Pawn => attacks::pawns(Bitboard::of(square), color),
                    Role::Knight => attacks::knight(square),
                    Role::Bishop => attacks::bishop(square, view.occupied),
                    _ => attacks::rook(square, view.occupied),
                };
                if (attacked & targets).has_several() {
                    tally.add(color, FORK.at(index), 1);
                }
            }
        }
    }
}
