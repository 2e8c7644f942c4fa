//! Dangerous squares, on which a piece would be lost or exchanged at a loss. Moves to them are pruned.

use ai_api::{Bitboard, Host, Move, Position, Square};
use ai_attacks::attackers;

use crate::evaluation::worth;

/// Returns whether the piece on `from` would be in danger on `to`: a lesser piece attacks the square, or it has more attackers
/// than defenders. A king attacks only undefended pieces.
///
/// Ignores pins and batteries, which are left to the search.
pub fn is_dangerous(position: &Position, from: Square, to: Square) -> bool {
    let Some(role) = position.role_at(from) else { return false };
    let side = position.turn();
    let occupied = position.occupied() & !Bitboard::of(from) | Bitboard::of(to);
    let all = attackers(position, to, occupied);
    let [enemies, defenders] = [!side, side].map(|color| all & position.color(color));
    let king = Bitboard::of(position.king(!side));
    let attackers = if defenders.is_empty() { enemies } else { enemies & !king };
    let least = attackers.into_iter().filter_map(|square| position.role_at(square)).map(worth).min();
    least.is_some_and(|least| least < worth(role) || attackers.count() > defenders.count())
}

/// Splits moves into those to search and those pruned because their target is dangerous. Evasions, mates, promotions, castling
/// and captures of equal or greater value are never pruned. If every move would be, none is.
pub fn prune_dangerous(position: &Position, moves: Vec<Move>, host: &Host<'_>) -> (Vec<Move>, Vec<Move>) {
    if position.in_check() {
        return (moves, Vec::new());
    }
    let is_pruned = |&chosen: &Move| {
        let worth_at = |square| position.role_at(square).map_or(0, worth);
        let is_fair = position.is_capture(chosen) && worth_at(chosen.to()) >= worth_at(chosen.from());
        if position.is_castling(chosen) || chosen.promotion().is_some() || is_fair {
            return false;
        }
        let mates = || {
            let after = host.play(position, chosen);
            after.in_check() && !host.has_legal_move(&after)
        };
        is_dangerous(position, chosen.from(), chosen.to()) && !mates()
    };
    let (pruned, kept): (Vec<_>, Vec<_>) = moves.into_iter().partition(is_pruned);
    if kept.is_empty() { (pruned, kept) } else { (kept, pruned) }
}
