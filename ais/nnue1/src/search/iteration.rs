//! A thread's iterative deepening (<https://www.chessprogramming.org/Iterative_Deepening>).

use ai_api::{Limits, Move, Score};
use ai_search::{MAX_DEPTH, trace::Observer};

use super::{
    clock::Stopped,
    root::{Best, Root},
    tree::Tree,
};
use crate::evaluation::Evaluate;

/// The conditions that end a search, apart from the node and time limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) limits: Limits,
    /// The number of lines.
    pub(super) lines: usize,
}

impl Goal {
    fn deepest(&self) -> u32 {
        [self.limits.depth, self.limits.mate_plies]
            .into_iter()
            .flatten()
            .fold(MAX_DEPTH, u32::min)
    }

    /// Returns whether the best line is a proven mate that further iterations cannot improve.
    fn is_proven(&self, best: &Best, depth: u32) -> bool {
        let plies = Score::from_value(best.value).plies_to_mate();
        let is_proven = plies.is_some_and(|plies| plies <= depth);
        let is_found = best.value > 0
            && self
                .limits
                .mate_plies
                .is_some_and(|most| plies.is_some_and(|plies| plies <= most));
        is_proven && self.lines == 1 && (is_found || self.limits.depth.is_none())
    }
}

/// Deepens until a limit is reached. Calls `report` with each line found and its rank, from 1.
/// Returns the completed depth.
pub(super) fn deepen<E: Evaluate, O: Observer>(
    tree: &mut Tree<'_, E, O>,
    root: &mut Root,
    goal: &Goal,
    mut report: impl FnMut(u32, &Best, &Tree<'_, E, O>),
) -> u32 {
    let mut depth = 0;
    let mut stability = Stability::default();
    while depth < goal.deepest() {
        for rank in 0..goal.lines {
            if root.search_around(tree, depth + 1, rank) == Err(Stopped) {
                return depth;
            }
            if let Some(line) = root.lines(goal.lines).nth(rank) {
                report(rank as u32 + 1, line, tree);
            }
        }
        depth += 1;
        let Some(best) = root.lines(1).next() else {
            return depth;
        };
        if goal.is_proven(best, depth) {
            return depth;
        }
        let share = stability.share(root, best.value);
        if !tree.clock.has_time_for_iteration(share) {
            return depth;
        }
    }
    depth
}

/// How much the best move and its value have changed recently.
#[derive(Debug, Default)]
struct Stability {
    best_move: Option<Move>,
    unchanged: u32,
    value: i32,
}

impl Stability {
    /// Returns the share of the soft time limit after which no further iteration starts: less if
    /// the best move never changes and takes all the effort, more if the value falls, and 0 if
    /// there is only one move.
    fn share(&mut self, root: &Root, value: i32) -> f64 {
        if root.is_forced() {
            return 0.0;
        }
        let best_move = root.best_move();
        self.unchanged = if best_move == self.best_move {
            (self.unchanged + 1).min(8)
        } else {
            0
        };
        self.best_move = best_move;
        let fall = f64::from((self.value - value).clamp(-20, 60));
        self.value = value;
        let changes = 1.3 - 0.08 * f64::from(self.unchanged);
        let effort = 1.6 - root.effort();
        0.75 * changes * effort * (1.0 + fall / 100.0)
    }
}
