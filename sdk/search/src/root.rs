//! Searches the root: finds the best moves and, among equal ones, those that the host lists first.

use ai_api::{Evaluator, Move, Position};

use crate::{
    clock::Stopped,
    negamax::Tree,
    trace::Observer,
    window::{INFINITY, Window},
};

/// A root move.
#[derive(Clone, Copy, Debug)]
struct RootMove {
    chosen: Move,
    /// The index in the host's list.
    rank: usize,
}

/// The best move of an iteration, complete or not.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    rank: usize,
    /// The depth of the iteration.
    pub(crate) depth: u32,
    /// The value for the side to move.
    pub(crate) value: i32,
    pub(crate) line: Vec<Move>,
}

/// The root and its moves, the best of the last iteration first.
#[derive(Debug)]
pub(crate) struct Root {
    position: Position,
    moves: Vec<RootMove>,
}

impl Root {
    pub(crate) fn new(position: Position, moves: &[Move]) -> Self {
        let moves = moves
            .iter()
            .enumerate()
            .map(|(rank, &chosen)| RootMove { chosen, rank })
            .collect();
        Self { position, moves }
    }

    /// Like [`search`](Self::search), but starts with a window around the expected value, and
    /// widens it until it contains the actual value.
    pub(crate) fn search_around<E: Evaluator + ?Sized, O: Observer>(
        &mut self,
        tree: &mut Tree<'_, '_, E, O>,
        depth: u32,
        expected: Option<i32>,
        better: &[Best],
        best: &mut Option<Best>,
    ) -> Result<(), Stopped> {
        /// Scores of shallower iterations vary too much.
        const SHALLOWEST: u32 = 5;
        const WIDTH: i32 = 30;
        let mut width = WIDTH;
        let mut window = match expected {
            Some(value) if tree.options.aspiration && depth >= SHALLOWEST => Window {
                alpha: value - width,
                beta: value + width,
            },
            _ => Window::FULL,
        };
        loop {
            let mut found = None;
            let result = self.search(tree, depth, window, better, &mut found);
            let value = found.as_ref().map(|found| found.value);
            // If the search is stopped, the move that exceeded the window is the best one known.
            *best = found.or_else(|| best.take());
            result?;
            width = width.saturating_mul(4).min(INFINITY);
            match value {
                Some(value) if value >= window.beta => window.beta = (value + width).min(INFINITY),
                None => window.alpha = (window.alpha - width).max(-INFINITY),
                Some(_) => return Ok(()),
            }
        }
    }

    /// Searches to `depth` plies every move that does not begin a line in `better`. Sets `best` to
    /// the best completely searched move above the window's alpha, even if the search is stopped.
    /// Stops at a move that reaches beta.
    pub(crate) fn search<E: Evaluator + ?Sized, O: Observer>(
        &mut self,
        tree: &mut Tree<'_, '_, E, O>,
        depth: u32,
        window: Window,
        better: &[Best],
        best: &mut Option<Best>,
    ) -> Result<(), Stopped> {
        tree.clock.enter(tree.host)?;
        tree.path.set(0, self.position.hash());
        let is_traced = better.is_empty();
        if is_traced {
            tree.observer.begin(&self.position, depth);
        }
        let mut is_first = true;
        for place in 0..self.moves.len() {
            let RootMove { chosen, rank } = self.moves[place];
            if better.iter().any(|better| better.rank == rank) {
                continue;
            }
            let child = tree.host.play(&self.position, chosen);
            let alpha = match best {
                None => window.alpha,
                // A move that the host lists earlier only needs an equal value.
                Some(best) if rank < best.rank => best.value - 1,
                Some(best) => best.value,
            };
            let remaining = Window { alpha, ..window };
            let value = if std::mem::take(&mut is_first) {
                tree.reply(chosen, &child, depth - 1, 1, remaining)?
            } else {
                tree.later_reply(chosen, &child, depth - 1, 0, 1, remaining)?
            };
            if value <= alpha {
                continue;
            }
            tree.lines.set(0, chosen);
            *best = Some(Best {
                rank,
                depth,
                value,
                line: tree.lines.get(0).to_vec(),
            });
            self.moves[..=place].rotate_right(1);
            if value >= window.beta {
                return Ok(());
            }
        }
        if let (true, Some(best)) = (is_traced, best) {
            tree.observer.leave(best.value);
        }
        Ok(())
    }

    /// Moves the best moves of this iteration to the front for the next one.
    pub(crate) fn reorder(&mut self, best: &[Best]) {
        let place = |of: &RootMove| {
            best.iter()
                .position(|best| best.rank == of.rank)
                .unwrap_or(best.len())
        };
        self.moves.sort_by_key(place);
    }
}

/// Returns the lines of an iteration. If there are fewer than wanted, adds lines of the previous
/// one.
pub(crate) fn merged(found: Vec<Best>, before: Vec<Best>, wanted: usize) -> Vec<Best> {
    let mut lines = found;
    for best in before {
        if lines.len() < wanted && lines.iter().all(|line| line.rank != best.rank) {
            lines.push(best);
        }
    }
    lines
}
