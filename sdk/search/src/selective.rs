//! Skips moves that rarely matter, or searches them less deeply.

use ai_api::{Evaluator, Position, Role, Score};

use crate::{clock::Stopped, negamax::Tree, ordering::MoveOrder, trace::Observer, window::Window};

/// Shallower searches are too cheap to skip.
const SHALLOWEST: u32 = 3;

impl<E: Evaluator + ?Sized, O: Observer> Tree<'_, '_, E, O> {
    /// Returns whether a position's value reaches `beta` even if the side to move passes. A move is
    /// almost always better than a pass, except in endings with only pawns, where a side may have
    /// to make a losing move.
    pub(crate) fn null_move_exceeds(
        &mut self,
        position: &Position,
        depth: u32,
        ply: usize,
        beta: i32,
    ) -> Result<bool, Stopped> {
        let turn = position.turn();
        let is_mate = Score::from_value(beta).plies_to_mate().is_some();
        let has_pieces = || {
            [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
                .iter()
                .any(|&role| !position.pieces(turn, role).is_empty())
        };
        if !self.options.null_move || depth < SHALLOWEST || is_mate || !has_pieces() {
            return Ok(false);
        }
        let Some(passed) = self.host.pass(position) else {
            return Ok(false);
        };
        if self.evaluate(position) < beta {
            return Ok(false);
        }
        self.path.set(ply, position.hash());
        self.observer.enter_unrecorded();
        self.after_null_move = true;
        let reduced = depth.saturating_sub(3 + depth / 4);
        let value = -self.enter(&passed, reduced, ply + 1, Window::null(beta - 1).flip())?;
        self.observer.leave(value);
        Ok(value >= beta)
    }

    /// Returns by how many plies to reduce the search of the last move of `order`, which leads to
    /// `child`.
    pub(crate) fn reduction(
        &self,
        position: &Position,
        child: &Position,
        depth: u32,
        order: &MoveOrder,
    ) -> u32 {
        const FIRST_LATE: usize = 3;
        let index = order.tried().len();
        let is_reduced = self.options.late_move_reductions
            && depth >= SHALLOWEST
            && index >= FIRST_LATE
            && order.is_ordinary()
            && !position.in_check()
            && !child.in_check();
        if is_reduced {
            (depth.ilog2() * index.ilog2() / 2).min(depth - 2)
        } else {
            0
        }
    }
}
