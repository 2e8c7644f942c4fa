//! The search of the root: its moves, its lines, and the window around the expected value
//! (<https://www.chessprogramming.org/Aspiration_Windows>).

use std::ops::Range;

use ai_api::{Bound, Move, NodeKind, Position, TableMove, TableResult};
use ai_search::{
    trace::Observer,
    window::{INFINITY, Window},
};

use super::{
    clock::Stopped,
    strength::Strength,
    tree::{Node, Tree},
    value::is_mate,
};
use crate::{endgame::Known, evaluation::Evaluate};

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
    known: Option<Known>,
}

impl Best {
    /// Returns the value and its bound, for the side to move. The tables take priority, unless the
    /// search has proven a mate.
    pub(super) fn judged(&self) -> (i32, Bound) {
        match self.known {
            Some(known) if !is_mate(self.value) || known.excludes(self.value) => {
                (known.value, Bound::Exact)
            }
            _ => (self.value, self.bound),
        }
    }

    /// Returns whether the tables know that the line is a draw.
    pub(super) fn is_known_draw(&self) -> bool {
        self.known.is_some_and(|known| known.bound == Bound::Exact)
    }
}

#[derive(Clone, Debug)]
struct RootMove {
    chosen: Move,
    /// Moves of a lower rank are better, whatever their values.
    rank: usize,
    /// What the tables know about the move.
    known: Option<Known>,
    best: Option<Best>,
    /// The value in the current window; -[`INFINITY`] unless it exceeded alpha.
    value: i32,
    /// The number of nodes spent on the move in all iterations.
    nodes: u64,
}

impl RootMove {
    const fn new(chosen: Move, rank: usize, known: Option<Known>) -> Self {
        Self {
            chosen,
            rank,
            known,
            best: None,
            value: -INFINITY,
            nodes: 0,
        }
    }
}

/// The root and its moves: the best rank first and, within each rank, the best of the last
/// iteration first.
#[derive(Clone, Debug)]
pub(super) struct Root {
    position: Position,
    moves: Vec<RootMove>,
}

impl Root {
    pub(super) fn new(position: Position, moves: &[Move]) -> Self {
        Self {
            position,
            moves: moves
                .iter()
                .map(|&chosen| RootMove::new(chosen, 0, None))
                .collect(),
        }
    }

    /// Creates the root with moves from the tables, the best first. The search chooses among moves
    /// with the same rank: moves that win equally fast, moves that draw, or moves that lose.
    pub(super) fn ranked(position: Position, moves: &[TableMove]) -> Self {
        let distance = |root_move: &TableMove| {
            if root_move.result > TableResult::Draw {
                root_move.dtz
            } else {
                0
            }
        };
        let are_equal = |one: &TableMove, other: &TableMove| {
            (one.result, distance(one)) == (other.result, distance(other))
        };
        let ranks = moves.chunk_by(are_equal).enumerate();
        let root_moves = ranks.flat_map(|(rank, equal)| {
            equal.iter().map(move |ranked| {
                let known = Known::of(ranked.result, 0);
                RootMove::new(ranked.chosen, rank, Some(known))
            })
        });
        Self {
            position,
            moves: root_moves.collect(),
        }
    }

    /// Returns what the tables know about the best move.
    pub(super) fn known(&self) -> Option<Known> {
        self.moves.first().and_then(|root_move| root_move.known)
    }

    /// Returns the index after the last move in a row that has the same rank as `first`.
    fn end_of_rank(&self, first: usize) -> usize {
        let rank = self.moves[first].rank;
        self.moves
            .iter()
            .skip(first)
            .position(|root_move| root_move.rank != rank)
            .map_or(self.moves.len(), |count| first + count)
    }

    /// Returns the best lines of the last iteration, at most `most` of them.
    pub(super) fn lines(&self, most: usize) -> impl Iterator<Item = &Best> {
        self.moves
            .iter()
            .take(most)
            .filter_map(|root_move| root_move.best.as_ref())
    }

    pub(super) fn best_move(&self) -> Option<Move> {
        self.moves.first().map(|root_move| root_move.chosen)
    }

    /// Moves to the front the move that a player of this strength would choose.
    pub(super) fn choose(&mut self, strength: &Strength) {
        let candidates = self.moves.iter().take(strength.lines()).enumerate();
        let lines = candidates.filter_map(|(place, root_move)| {
            let (value, _) = root_move.best.as_ref()?.judged();
            Some((place, root_move.chosen, value))
        });
        let chosen = strength.choose(&self.position, lines);
        self.moves[..=chosen].rotate_right(1);
    }

    /// Returns whether only one move has the best rank.
    pub(super) fn is_forced(&self) -> bool {
        self.end_of_rank(0) == 1
    }

    /// Returns the share of all nodes that the best move took.
    pub(super) fn effort(&self) -> f64 {
        let all: u64 = self.moves.iter().map(|root_move| root_move.nodes).sum();
        let first = self.moves.first().map_or(0, |root_move| root_move.nodes);
        f64::from(u32::try_from(1000 * first / all.max(1)).unwrap_or(0)) / 1000.0
    }

    /// Finds the line of rank `first` (0 for the best one), in a window around its last value that
    /// is widened until it contains the value. If the search is stopped, the moves found to be
    /// better so far come first.
    pub(super) fn search_around<E: Evaluate, O: Observer>(
        &mut self,
        tree: &mut Tree<'_, E, O>,
        depth: u32,
        first: usize,
    ) -> Result<(), Stopped> {
        /// Scores of shallower iterations vary too much.
        const SHALLOWEST: u32 = 5;
        let end = self.end_of_rank(first);
        let mut width = 14;
        let mut window = match &self.moves[first].best {
            Some(best) if depth >= SHALLOWEST => {
                width += best.value.abs().min(4_000) / 64;
                Window {
                    alpha: best.value - width,
                    beta: best.value + width,
                }
            }
            _ => Window::FULL,
        };
        loop {
            for root_move in &mut self.moves[first..end] {
                root_move.value = -INFINITY;
            }
            let result = self.search(tree, depth, first..end, window);
            self.moves[first..end].sort_by_key(|root_move| -root_move.value);
            result?;
            let value = self.moves[first].value;
            width = width.saturating_mul(2).min(INFINITY);
            if value >= window.beta {
                window.beta = if width > 1000 {
                    INFINITY
                } else {
                    value + width
                };
            } else if value == -INFINITY {
                window.beta = window.alpha.midpoint(window.beta);
                window.alpha = if width > 1000 {
                    -INFINITY
                } else {
                    window.alpha - width
                };
            } else {
                break;
            }
        }
        self.moves[..=first].sort_by_key(|root_move| {
            (
                root_move.rank,
                root_move.best.as_ref().map_or(INFINITY, |best| -best.value),
            )
        });
        Ok(())
    }

    /// Searches some moves until one reaches beta.
    fn search<E: Evaluate, O: Observer>(
        &mut self,
        tree: &mut Tree<'_, E, O>,
        depth: u32,
        range: Range<usize>,
        window: Window,
    ) -> Result<(), Stopped> {
        let position = self.position;
        tree.clock.enter()?;
        tree.path.set(0, position.hash());
        tree.moves.clear();
        let is_traced = range.start == 0;
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
            hash_move_captures: position.is_capture(self.moves[range.start].chosen),
        };
        let below = depth as i32 - 1;
        let mut best = None;
        for (index, root_move) in self.moves[range].iter_mut().enumerate() {
            let chosen = root_move.chosen;
            let before = tree.clock.nodes();
            let mut child = position;
            tree.play(&position, chosen, 0, &mut child);
            let remaining = Window {
                alpha: node.alpha,
                ..window
            };
            let value = if index == 0 {
                tree.reply(chosen, &child, below, 1, remaining, false)?
            } else {
                let late = tree.late_move(&position, chosen, index + 1, tree.before(0));
                let is_reduced = tree.is_selective && depth >= 3 && index >= 2;
                let reduction = if is_reduced {
                    tree.reduction(&node, &late, &child)
                } else {
                    0
                };
                tree.later_reply(chosen, &child, below, reduction, 1, remaining, false)?
            };
            root_move.nodes += tree.clock.nodes() - before;
            if value <= node.alpha {
                continue;
            }
            node.alpha = value;
            tree.memory.lines.set(0, chosen);
            let bound = if value >= window.beta {
                Bound::Lower
            } else {
                Bound::Exact
            };
            root_move.value = value;
            let mut line = tree.memory.lines.get(0).to_vec();
            if bound == Bound::Lower {
                // A cutoff leaves no line below it, and the search may stop before it finds one.
                tree.follow_table(&position, &mut line, depth);
            }
            let found = Best {
                depth,
                value,
                bound,
                line,
                known: root_move.known,
            };
            best = Some(found.judged().0);
            root_move.best = Some(found);
            if value >= window.beta {
                return Ok(());
            }
        }
        if let (true, Some(best)) = (is_traced, best) {
            if best != node.alpha {
                tree.observer.ends_exactly(NodeKind::Other);
            }
            tree.observer.leave(best);
        }
        Ok(())
    }
}
