//! Threats: attacks on pieces that are more valuable than the attacker or unguarded.

use ai_api::{Bitboard, Color, Role};
use ai_attacks::attacks_of_pawns;

use super::{
    features::{HANGING, MINOR_THREAT, PAWN_THREAT, PUSH_THREAT, ROOK_THREAT},
    tally::Tally,
    view::{View, forward},
};

const TARGETS: [Role; 5] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
];

pub(crate) fn tally(view: &View<'_>, tally: &mut impl Tally) {
    for color in Color::ALL {
        let (own, enemy) = (color.index(), (!color).index());
        let by = |role: Role| view.by_role[own][role.index()];
        let by_minor = by(Role::Knight) | by(Role::Bishop);
        let targets = view.position.color(!color);
        let guarded_by_pawn = targets & view.pawn_attacks(!color);
        let unguarded = targets & !view.attacked[enemy];
        let by_pawn = view.pawn_attacks(color);
        let contested = view.attacked[own] & targets;
        if !contested.is_empty() {
            for role in TARGETS {
                let of_role = contested & view.position.role(role);
                if of_role.is_empty() {
                    continue;
                }
                let count = |set: Bitboard| set.count() as i32;
                let index = role.index();
                if role != Role::Pawn {
                    tally.add(color, PAWN_THREAT.at(index), count(of_role & by_pawn));
                }
                let minors_targets = if role == Role::Pawn {
                    of_role & !guarded_by_pawn
                } else {
                    of_role
                };
                tally.add(
                    color,
                    MINOR_THREAT.at(index),
                    count(minors_targets & by_minor),
                );
                let rooks_targets = if role == Role::Queen {
                    of_role
                } else {
                    of_role & !guarded_by_pawn
                };
                tally.add(
                    color,
                    ROOK_THREAT.at(index),
                    count(rooks_targets & by(Role::Rook)),
                );
                tally.add(color, HANGING.at(index), count(of_role & unguarded));
            }
        }
        let free = !view.occupied;
        let second = Bitboard::rank(if color == Color::White { 2 } else { 5 });
        let step = forward(view.pawns[own], color) & free;
        let pushed = step | forward(step & second, color) & free;
        let safe =
            pushed & !view.pawn_attacks(!color) & (view.attacked[own] | !view.attacked[enemy]);
        let pieces = targets & !view.position.role(Role::Pawn) & !by_pawn;
        tally.add(
            color,
            PUSH_THREAT.at(0),
            (attacks_of_pawns(color, safe) & pieces).count() as i32,
        );
    }
}
