//! The search of the root: its moves, its lines, and the window around the expected value
//! (<https://www.chessprogramming.org/Aspiration_Windows>).

use ai_api::{Bound, Move, Position};
use ai_search::{
    trace::Observer,
    window::{INFINITY, Window},
};

use super::{
    clock::Stopped,
    tree::{Node, Tree},
};
use crate::evaluation::Evaluate;

/// The result of a root move that was the best one of an iteration, complete or not.
#[derive(Clone, Debug)]
pub(super) struct Best {
    /// The depth of the iteration.
    pub(super) depth: u32,
    /// For the side to move.
    pub(super) value: i32,
    /// For the side to move.
    pub(super) bound: Bound,
    pub(super) line: Vec<Move>,
}

#[derive(Clone, Debug)]
struct RootMove {
    chosen: Move,
    best: Option<Best>,
    /// The value in the current window; -[`INFINITY`] unless it exceeded alpha.
    value: i32,
    /// The nodes of all iterations.
    nodes: u64,
}

/// The root and its moves, the best of the last iteration first.
#[derive(Clone, Debug)]
pub(super) struct Root {
    position: Position,
    moves: Vec<RootMove>,
}

impl Root {
    pub(super) fn new(position: Position, moves: &[Move]) -> Self {
        let root_move = |&chosen: &Move| RootMove { chosen, best: None, value: -INFINITY, nodes: 0 };
        Self { position, moves: moves.iter().map(root_move).collect() }
    }

    /// The best lines of the last iteration, at most this many.
    pub(super) fn lines(&self, most: usize) -> impl Iterator<Item = &Best> {
        self.moves.iter().take(most).filter_map(|of| of.best.as_ref())
    }

    /// The best move.
    pub(super) fn best_move(&self) -> Option<Move> {
        self.moves.first().map(|of| of.chosen)
    }

    /// Returns whether there is no choice.
    pub(super) const fn is_forced(&self) -> bool {
        self.moves.len() == 1
    }

    /// The part of all nodes that the best move took.
    pub(super) fn effort(&self) -> f64 {
        let all: u64 = self.moves.iter().map(|of| of.nodes).sum();
        let first = self.moves.first().map_or(0, |of| of.nodes);
        f64::from(u32::try_from(1000 * first / all.max(1)).unwrap_or(0)) / 1000.0
    }

    /// Finds the line of rank `first` (0 for the best one), in a window around its last value that is widened until it contains
    /// the value. If the search is stopped, the moves that were found better so far come first.
    pub(super) fn search_around<E: Evaluate, O: Observer>(
        &mut self,
        tree: &mut Tree<'_, E, O>,
        depth: u32,
        first: usize,
    ) -> Result<(), Stopped> {
        /// Scores of shallower iterations vary too much.
        const SHALLOWEST: u32 = 5;
        let mut width = 14;
        let mut window = match &self.moves[first].best {
            Some(best) if depth >= SHALLOWEST => {
                width += best.value.abs().min(4_000) / 64;
                Window { alpha: best.value - width, beta: best.value + width }
            }
            _ => Window::FULL,
        };
        loop {
            for of in &mut self.moves[first..] {
                of.value = -INFINITY;
            }
            let result = self.search(tree, depth, first, window);
            self.moves[first..].sort_by_key(|of| -of.value);
            result?;
            let value = self.moves[first].value;
            width = width.saturating_mul(2).min(INFINITY);
            if value >= window.beta {
                window.beta = if width > 1000 { INFINITY } else { value + width };
            } else if value == -INFINITY {
                window.beta = window.alpha.midpoint(window.beta);
                window.alpha = if width > 1000 { -INFINITY } else { window.alpha - width };
            } else {
                break;
            }
        }
        self.moves[..=first].sort_by_key(|of| of.best.as_ref().map_or(INFINITY, |best| -best.value));
        Ok(())
    }

    /// Searches the moves from the rank `first` on, until one reaches beta.
    fn search<E: Evaluate, O: Observer>(
        &mut self,
        tree: &mut Tree<'_, E, O>,
        depth: u32,
        first: usize,
        window: Window,
    ) -> Result<(), Stopped> {
        let position = self.position;
        tree.clock.enter()?;
        tree.path.set(0, position.hash());
        tree.moves.clear();
        let is_traced = first == 0;
        if is_traced {
            tree.observer.begin(&position, depth);
        }
        let evaluation = (!position.in_check()).then(|| tree.evaluate(&position, 0));
        tree.frames[0].evaluation = evaluation.map(|raw| tree.corrected(&position, raw));
        tree.frames[0].excluded = None;
        tree.frames[1].excluded = None;
        tree.frames[1].cutoffs = 0;
        let mut node = Node {
            ply: 0,
            depth: depth as i32,
            alpha: window.alpha,
            beta: window.beta,
            known: None,
            evaluation: tree.frames[0].evaluation,
            hash_move: None,
            is_improving: true,
            is_pv: true,
            was_pv: true,
            expects_cutoff: false,
            hash_move_captures: position.is_capture(self.moves[first].chosen),
        };
        let below = depth as i32 - 1;
        let mut best = None;
        for (index, of) in self.moves[first..].iter_mut().enumerate() {
            let chosen = of.chosen;
            let before = tree.clock.nodes();
            let child = tree.play(&position, chosen, 0);
            let remaining = Window { alpha: node.alpha, ..window };
            let value = if index == 0 {
                tree.reply(chosen, &child, below, 1, remaining, false)?
            } else {
                let late = tree.late_move(&position, chosen, index + 1, tree.before(0));
                let is_reduced = tree.is_selective && depth >= 3 && index >= 2;
                let reduction = if is_reduced { tree.reduction(&node, &late, &child) } else { 0 };
                tree.later_reply(chosen, &child, below, reduction, 1, remaining, false)?
            };
            of.nodes += tree.clock.nodes() - before;
            if value <= node.alpha {
                continue;
            }
            node.alpha = value;
            best = Some(value);
            tree.memory.lines.set(0, chosen);
            let bound = if value >= window.beta { Bound::Lower } else { Bound::Exact };
            of.value = value;
            of.best = Some(Best { depth, value, bound, line: tree.memory.lines.get(0).to_vec() });
            if value >= window.beta {
                return Ok(());
            }
        }
        if let (true, Some(best)) = (is_traced, best) {
            tree.observer.leave(best);
        }
        Ok(())
    }
}
