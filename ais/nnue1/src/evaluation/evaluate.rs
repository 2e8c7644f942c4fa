//! The evaluation interface that the search needs.

use ai_api::Position;

/// Evaluates the positions of a search.
///
/// The search reports each move that it plays, so that an evaluation can update its state from one
/// position to the next. It calls [`begin`](Self::begin) for the root, then
/// [`played`](Self::played) for each further position of its path. The state of a ply is
/// overwritten when the search plays another move there. Each thread of a search has a clone.
pub trait Evaluate: Clone + Send {
    /// Called with the root of a search, at ply 0.
    fn begin(&mut self, root: &Position) {
        let _ = root;
    }

    /// Called after a move or a null move from `before`, at `ply - 1`, to `after`, at `ply`.
    fn played(&mut self, ply: usize, before: &Position, after: &Position) {
        let _ = (ply, before, after);
    }

    /// Returns the value of the position at `ply` of the path in centipawns, for the side to move.
    fn evaluate(&mut self, ply: usize, position: &Position) -> i32;
}
