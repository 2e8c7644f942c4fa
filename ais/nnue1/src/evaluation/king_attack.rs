//! Attacks on the king: the pieces that attack squares around it, and the safe checks.

use ai_api::{Bitboard, Color, Role};
use ai_attacks::{bishop_attacks, knight_attacks, rook_attacks};

use super::{features::KING_ATTACK, tally::Tally, view::View};

/// Each side's attack units and attacking pieces.
#[derive(Debug, Default)]
pub(crate) struct Attackers {
    units: [u32; 2],
    pieces: [u32; 2],
}

impl Attackers {
    /// Adds a piece that attacks squares around the enemy's king.
    #[inline]
    pub(crate) fn add(&mut self, color: Color, role: Role, zone: Bitboard) {
        const UNITS: [u32; 6] = [0, 2, 2, 3, 4, 0];
        if !zone.is_empty() {
            self.pieces[color.index()] += 1;
            self.units[color.index()] += UNITS[role.index()] + zone.count() / 2;
        }
    }
}

/// Counts the danger to each king as a feature of its owner.
pub(crate) fn tally(view: &View<'_>, attackers: &Attackers, tally: &mut impl Tally) {
    for color in Color::ALL {
        let (own, enemy) = (color.index(), (!color).index());
        if view.position.pieces(!color, Role::Queen).is_empty() && attackers.pieces[enemy] < 2 {
            continue;
        }
        let king = view.kings[own];
        let safe = !view.position.color(!color)
            & (!view.attacked[own]
                | view.attacked_twice[enemy]
                    & view.by_role[own][Role::King.index()]
                    & !view.attacked_twice[own]);
        let without_queen = view.occupied & !view.position.pieces(color, Role::Queen);
        let straight = rook_attacks(king, without_queen) & safe;
        let diagonal = bishop_attacks(king, without_queen) & safe;
        let by = |role: Role| view.by_role[enemy][role.index()];
        let check = |squares: Bitboard, units: u32| if squares.is_empty() { 0 } else { units };
        let checks = check(straight & by(Role::Rook), 4)
            + check(diagonal & by(Role::Bishop), 2)
            + check((straight | diagonal) & by(Role::Queen), 4)
            + check(knight_attacks(king) & safe & by(Role::Knight), 4);
        let has_queen = !view.position.pieces(!color, Role::Queen).is_empty();
        let units = attackers.units[enemy] + checks + if has_queen { 3 } else { 0 };
        let last = KING_ATTACK.count - 1;
        tally.add(color, KING_ATTACK.at((units as usize).min(last)), 1);
    }
}
