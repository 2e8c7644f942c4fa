//! The dangerous squares: where a piece would be lost or exchanged at a loss. What goes there is not thought about.

use ai_api::{Bitboard, Color, Host, Move, Position, Role, Square};

use crate::{attacks::attackers, judgement::worth};

/// Whether the piece on `from` would stand in danger on `to`: a lesser piece takes it there, or there are more to take it
/// than to take back. A king takes only what nobody guards.
///
/// It is a look at the squares alone: who is pinned, and who stands behind whom, is for the search.
pub fn is_dangerous(position: &Position, from: Square, to: Square) -> bool {
    let Some(role) = position.role_at(from) else { return false };
    let side = position.turn();
    let occupied = Bitboard(position.occupied().0 & !Bitboard::of(from).0 | Bitboard::of(to).0);
    let without_captured = Bitboard(occupied.0 & !Bitboard::of(to).0);
    let near = |color: Color| {
        let all = attackers(position, to, color, occupied);
        Bitboard(all.0 & without_captured.0)
    };
    let (theirs, ours) = (near(!side), near(side));
    let kings = position.pieces(!side, Role::King).0;
    let takers = if ours.is_empty() { theirs } else { Bitboard(theirs.0 & !kings) };
    let least = takers.into_iter().filter_map(|square| position.role_at(square)).map(worth).min();
    least.is_some_and(|least| least < worth(role) || takers.count() > ours.count())
}

/// The moves that are thought about, and those that are not because they go to a dangerous square. A way out of check,
/// a mate, a promotion, castling and the capture of what is worth as much are always thought about; so is everything,
/// where nothing else is left.
pub fn without_danger(position: &Position, moves: Vec<Move>, host: &Host<'_>) -> (Vec<Move>, Vec<Move>) {
    if position.in_check() {
        return (moves, Vec::new());
    }
    let is_left_out = |chosen: &Move| {
        let worth_at = |square| position.role_at(square).map_or(0, worth);
        let is_fair = position.is_capture(*chosen) && worth_at(chosen.to()) >= worth_at(chosen.from());
        if position.is_castling(*chosen) || chosen.promotion().is_some() || is_fair {
            return false;
        }
        let mates = || {
            let after = host.play(position, *chosen);
            after.in_check() && !host.has_legal_move(&after)
        };
        is_dangerous(position, chosen.from(), chosen.to()) && !mates()
    };
    let (left_out, kept): (Vec<_>, Vec<_>) = moves.into_iter().partition(is_left_out);
    if kept.is_empty() { (left_out, kept) } else { (kept, left_out) }
}
