//! Singular extension: a hash move that is much better than all others is searched more deeply
//! (<https://www.chessprogramming.org/Singular_Extensions>).

use ai_api::{Move, Position};
use ai_search::{MAX_PLY, trace::Observer, window::Window};

use super::{
    clock::Stopped,
    table::Bound,
    tree::{Node, Tree},
    value::is_mate,
};
use crate::evaluation::Evaluate;

const SHALLOWEST: i32 = 7;

/// What the search of the other moves says about the hash move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Singular {
    /// The hash move is searched this many plies more deeply, less deeply if negative.
    Extend(i32),
    /// Another move also reaches beta, so the position is good enough.
    Cut(i32),
}

impl<E: Evaluate, O: Observer> Tree<'_, E, O> {
    /// Searches all moves except the hash move to half the depth, if `chosen` is the hash move.
    pub(super) fn singular(
        &mut self,
        position: &Position,
        node: &Node,
        chosen: Move,
    ) -> Result<Singular, Stopped> {
        let &Node {
            ply,
            depth,
            beta,
            is_pv,
            expects_cutoff,
            ..
        } = node;
        let is_deep_enough = depth >= SHALLOWEST && ply < 2 * MAX_PLY / 3;
        let Some(known) = node.known.filter(|known| {
            self.is_selective
                && is_deep_enough
                && Some(chosen) == node.hash_move
                && known.depth >= depth - 3
                && matches!(known.bound, Bound::Lower | Bound::Exact)
                && !is_mate(known.value)
        }) else {
            return Ok(Singular::Extend(0));
        };
        let singular_beta = known.value - 2 * depth;
        self.frames[ply].excluded = Some(chosen);
        self.observer.enter_unrecorded();
        let value = self.inner(
            position,
            (depth - 1) / 2,
            ply,
            Window::null(singular_beta - 1),
            expects_cutoff,
        )?;
        self.observer.leave(value);
        self.frames[ply].excluded = None;
        Ok(if value < singular_beta {
            let is_far = !is_pv && value < singular_beta - 20;
            Singular::Extend(1 + i32::from(is_far))
        } else if singular_beta >= beta {
            Singular::Cut(singular_beta)
        } else if known.value >= beta {
            Singular::Extend(-2)
        } else if expects_cutoff {
            Singular::Extend(-1)
        } else {
            Singular::Extend(0)
        })
    }
}
