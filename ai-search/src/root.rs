//! The moves of the root: the best are found, and among equals those that the host lists first.

use ai_api::{Evaluator, Move, Position};

use crate::{clock::Stopped, negamax::Tree, trace::Observer, window::Window};

/// A move of the root.
#[derive(Clone, Copy, Debug)]
struct RootMove {
    chosen: Move,
    /// Its place in the host's list.
    rank: usize,
}

/// The best move of an iteration, as far as that got.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    rank: usize,
    /// The plies of the iteration.
    pub(crate) depth: u32,
    /// For the side to move.
    pub(crate) value: i32,
    pub(crate) line: Vec<Move>,
}

/// The root and its moves, those that were best last in front.
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

    /// Searches every move but those that begin the lines of `better` to `depth` plies. `best` is the best of those that
    /// were searched completely, also when the search is stopped on the way.
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
                    // A move that the host lists earlier needs only be as good.
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

    /// Lets the next iteration begin with the moves that were best in this one.
    pub(crate) fn begin_with(&mut self, best: &[Best]) {
        let place = |of: &RootMove| best.iter().position(|best| best.rank == of.rank).unwrap_or(best.len());
        self.moves.sort_by_key(place);
    }
}

/// The lines of an iteration, as far as it got, and those of the one before for the places that are left.
pub(crate) fn merged(found: Vec<Best>, before: Vec<Best>, wanted: usize) -> Vec<Best> {
    let mut lines = found;
    for best in before {
        if lines.len() < wanted && lines.iter().all(|line| line.rank != best.rank) {
            lines.push(best);
        }
    }
    lines
}
