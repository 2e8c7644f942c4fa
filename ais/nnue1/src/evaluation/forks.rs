//! Forks: a piece that attacks several better or unguarded pieces at once.

use ai_api::{Bitboard, Color, Role};
use ai_attacks::{attacks_of_pawns, bishop_attacks, knight_attacks, rook_attacks};

use super::{features::FORK, tally::Tally, view::View};

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
                    Role::Pawn => attacks_of_pawns(color, Bitboard::of(square)),
                    Role::Knight => knight_attacks(square),
                    Role::Bishop => bishop_attacks(square, view.occupied),
                    _ => rook_attacks(square, view.occupied),
                };
                if (attacked & targets).has_several() {
                    tally.add(color, FORK.at(index), 1);
                }
            }
        }
    }
}
