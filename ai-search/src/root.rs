//! The search of the root: finds the best moves, and among equals those that the host lists first.

use ai_api::{Evaluator, Move, Position};

use crate::{clock::Stopped, negamax::Tree, trace::Observer, window::Window};

/// A move of the root.
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
    /// For the side to move.
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
        let moves = moves.iter().enumerate().map(|(rank, &chosen)| RootMove { chosen, rank }).collect();
        Self { position, moves }
    }

    /// Searches every move except the first moves of the lines of `better` to `depth` plies. `best` is the best move that was
    /// searched completely, also if the search is stopped.
    pub(crate) fn search<E: Evaluator + ?Sized, O: Observer>(
        &mut self,
        tree: &mut Tree<'_, '_, E, O>,
        depth: u32,
        better: &[Best],
        best: &mut Option<Best>,
    ) -> Result<(), Stopped> {
        tree.clock.enter(tree.host)?;
        tree.path.set(0, self.position.hash());
        let is_traced = better.is_empty();
        if is_traced {
            tree.observer.begin(&self.position, depth);
        }
        for place in 0..self.moves.len() {
            let RootMove { chosen, rank } = self.moves[place];
            if better.iter().any(|better| better.rank == rank) {
                continue;
            }
            let child = tree.host.play(&self.position, chosen);
            let window = match best {
                None => Window::FULL,
                Some(best) => {
                    // A move that the host lists earlier needs an equal value only.
                    let alpha = if rank < best.rank { best.value - 1 } else { best.value };
                    if tree.reply(chosen, &child, depth - 1, 1, Window::null(alpha))? <= alpha {
                        continue;
                    }
                    Window { alpha, ..Window::FULL }
                }
            };
            let value = tree.reply(chosen, &child, depth - 1, 1, window)?;
            if value <= window.alpha {
                continue;
            }
            tree.lines.set(0, chosen);
            *best = Some(Best { rank, depth, value, line: tree.lines.get(0).to_vec() });
            self.moves[..=place].rotate_right(1);
        }
        if let (true, Some(best)) = (is_traced, best) {
            tree.observer.leave(best.value);
        }
        Ok(())
    }

    /// Moves the best moves of this iteration to the front for the next one.
    pub(crate) fn reorder(&mut self, best: &[Best]) {
        let place = |of: &RootMove| best.iter().position(|best| best.rank == of.rank).unwrap_or(best.len());
        self.moves.sort_by_key(place);
    }
}

/// The lines of an iteration, filled up with those of the one before.
pub(crate) fn merged(found: Vec<Best>, before: Vec<Best>, wanted: usize) -> Vec<Best> {
    let mut lines = found;
    for best in before {
        if lines.len() < wanted && lines.iter().all(|line| line.rank != best.rank) {
            lines.push(best);
        }
    }
    lines
}
