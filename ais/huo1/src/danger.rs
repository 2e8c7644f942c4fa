//! Dangerous squares, on which a piece would be lost or exchanged at a loss. Moves to them are
//! pruned.

use ai_api::{Host, Move, Position, Square};

use crate::evaluation::worth;

/// Returns whether the piece on `from` would be [in danger](ai_attacks::is_dangerous) on `to`.
/// Leaves pins and batteries to the search.
pub fn is_dangerous(position: &Position, from: Square, to: Square) -> bool {
    ai_attacks::is_dangerous(position, from, to, worth)
}

/// Splits moves into those to search and those pruned because their target is dangerous. Never
/// prunes evasions, mates, promotions, castling and captures of equal or greater value. If every
/// move would be pruned, prunes none.
pub fn prune_dangerous(
    position: &Position,
    moves: Vec<Move>,
    host: &Host<'_>,
) -> (Vec<Move>, Vec<Move>) {
    if position.in_check() {
        return (moves, Vec::new());
    }
    let is_pruned = |&chosen: &Move| {
        let worth_at = |square| position.role_at(square).map_or(0, worth);
        let is_fair =
            position.is_capture(chosen) && worth_at(chosen.to()) >= worth_at(chosen.from());
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
    if kept.is_empty() {
        (pruned, kept)
    } else {
        (kept, pruned)
    }
}
