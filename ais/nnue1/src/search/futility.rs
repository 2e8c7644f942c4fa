//! Positions too good for the opponent to allow
//! (<https://www.chessprogramming.org/Reverse_Futility_Pruning>), and too bad to save
//! (<https://www.chessprogramming.org/Razoring>).

use ai_api::{NodeKind, Position};
use ai_search::{trace::Observer, window::Window};

use super::{clock::Stopped, tree::Tree, value::is_mate};
use crate::evaluation::Evaluate;

/// Returns whether the estimate exceeds beta by more than the opponent can win back in `depth`
/// plies.
pub(super) const fn is_futile_for_opponent(
    depth: i32,
    estimate: i32,
    beta: i32,
    is_improving: bool,
) -> bool {
    const DEEPEST: i32 = 8;
    const MARGIN: i32 = 80;
    let margin = MARGIN * (depth - is_improving as i32);
    depth <= DEEPEST && !is_mate(beta) && !is_mate(estimate) && estimate - margin >= beta
}

impl<E: Evaluate, O: Observer> Tree<'_, E, O> {
    /// Returns the quiescence value if the estimate is so far below alpha that only captures could
    /// help, and they do not.
    pub(super) fn razor(
        &mut self,
        position: &Position,
        depth: i32,
        ply: usize,
        window: Window,
        estimate: i32,
    ) -> Result<Option<i32>, Stopped> {
        const DEEPEST: i32 = 4;
        if depth > DEEPEST
            || is_mate(window.alpha)
            || estimate + 250 + 250 * depth * depth > window.alpha
        {
            return Ok(None);
        }
        self.observer.enter_unrecorded();
        let value = self.quiesce(position, ply, window)?;
        self.observer.leave(value);
        if value <= window.alpha {
            self.observer.ends(NodeKind::Pruned);
        }
        Ok((value <= window.alpha).then_some(value))
    }
}
