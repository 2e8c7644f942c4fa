//! Null move pruning: if even a pass reaches beta, some move almost certainly reaches it
//! (<https://www.chessprogramming.org/Null_Move_Pruning>).

use ai_api::{Position, Role};
use ai_search::{trace::Observer, window::Window};

use super::{clock::Stopped, history::NO_PIECE_TO, tree::Tree, value::is_mate};
use crate::evaluation::Evaluate;

const SHALLOWEST: i32 = 3;

impl<E: Evaluate, O: Observer> Tree<'_, E, O> {
    /// Returns the value of a pass if it reaches `beta`. Does not pass twice in a row, or in
    /// endings with only pawns, where a side may have to make a losing move.
    pub(super) fn null_move_cutoff(
        &mut self,
        position: &Position,
        depth: i32,
        ply: usize,
        beta: i32,
        evaluation: i32,
    ) -> Result<Option<i32>, Stopped> {
        let own = position.color(position.turn());
        let simple = position.role(Role::King) | position.role(Role::Pawn);
        let passed_before = ply > 0 && self.frames[ply - 1].moved == NO_PIECE_TO;
        if depth < SHALLOWEST
            || evaluation < beta
            || passed_before
            || is_mate(beta)
            || (own & !simple).is_empty()
        {
            return Ok(None);
        }
        let Some(passed) = self.rules.pass(position) else {
            return Ok(None);
        };
        let reduction = 4 + depth / 4 + ((evaluation - beta) / 200).min(3);
        self.path.set(ply, position.hash());
        self.frames[ply].moved = NO_PIECE_TO;
        self.evaluator.played(ply + 1, position, &passed);
        self.observer.enter_unrecorded();
        let value = -self.enter(
            &passed,
            depth - reduction,
            ply + 1,
            Window::null(beta - 1).flip(),
            false,
        )?;
        self.observer.leave(value);
        Ok((value >= beta).then_some(if is_mate(value) { beta } else { value }))
    }
}
