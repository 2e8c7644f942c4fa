//! Negamax with alpha-beta, and quiescence below it.
//!
//! With [`SearchOptions::EXACT`] every shortcut is exact. Without quiescence, a value inside the
//! window equals plain negamax's value at the same depth, and a value outside the window is a bound
//! on it. So table values are used only if they come from a search of exactly the same depth, and
//! no move is skipped or searched less deeply than the others. The module `selective` trades this
//! exactness for speed.

use ai_api::{Evaluator, Host, Move, NodeKind, Position, Score};

use crate::{
    clock::{Clock, Stopped},
    line::Lines,
    options::{FIFTY_MOVES, MAX_PLY, SearchOptions},
    ordering::{Experience, MoveOrder, is_quiet},
    path::Path,
    table::{Bound, Entry, Table},
    trace::Observer,
    window::{INFINITY, Window},
};

const DRAW: i32 = Score::DRAW.value();

/// The state of one request's search.
pub(crate) struct Tree<'t, 'q, E: ?Sized, O> {
    pub(crate) options: SearchOptions,
    pub(crate) evaluator: &'t mut E,
    pub(crate) host: &'t Host<'q>,
    pub(crate) clock: Clock,
    pub(crate) path: Path<'t>,
    pub(crate) table: &'t mut Table,
    pub(crate) experience: &'t mut Experience,
    pub(crate) lines: &'t mut Lines,
    pub(crate) observer: O,
    /// Whether the next position to enter follows a null move.
    pub(crate) after_null_move: bool,
}

impl<E: Evaluator + ?Sized, O: Observer> Tree<'_, '_, E, O> {
    /// Returns the value of `position`, which `chosen` leads to, from the point of view of the side
    /// that played `chosen`. `window` has the same point of view.
    #[inline]
    pub(crate) fn reply(
        &mut self,
        chosen: Move,
        position: &Position,
        depth: u32,
        ply: usize,
        window: Window,
    ) -> Result<i32, Stopped> {
        let window = window.flip();
        self.observer.enter(chosen, position, depth, window);
        let value = self.enter(position, depth, ply, window)?;
        self.observer.leave(value);
        Ok(-value)
    }

    /// Like [`reply`](Self::reply), for a move after the first. Null-window searches test whether
    /// the value exceeds alpha at all. The first of them is `reduction` plies shallower.
    pub(crate) fn later_reply(
        &mut self,
        chosen: Move,
        position: &Position,
        depth: u32,
        reduction: u32,
        ply: usize,
        window: Window,
    ) -> Result<i32, Stopped> {
        let test = Window::null(window.alpha);
        if reduction > 0 {
            let value = self.reply(chosen, position, depth - reduction, ply, test)?;
            if value <= window.alpha {
                return Ok(value);
            }
        }
        if self.options.pvs {
            let value = self.reply(chosen, position, depth, ply, test)?;
            if value <= window.alpha || value >= window.beta {
                return Ok(value);
            }
        }
        self.reply(chosen, position, depth, ply, window)
    }

    /// Returns the value of `position` for the side to move, `ply` plies after the root, with
    /// `depth` plies to search.
    pub(crate) fn enter(
        &mut self,
        position: &Position,
        depth: u32,
        ply: usize,
        window: Window,
    ) -> Result<i32, Stopped> {
        self.clock.enter(self.host)?;
        let after_null_move = std::mem::take(&mut self.after_null_move);
        self.lines.clear(ply);
        let halfmove_clock = position.halfmove_clock();
        if self.path.repeats(ply, position.hash(), halfmove_clock) {
            self.observer.ends_exactly(NodeKind::Repetition);
            return Ok(DRAW);
        }
        if self.host.is_insufficient_material(position) {
            self.observer.ends_exactly(NodeKind::InsufficientMaterial);
            return Ok(DRAW);
        }
        if halfmove_clock >= FIFTY_MOVES {
            if position.in_check() && !self.host.has_legal_move(position) {
                return Ok(self.mate_or_stalemate(position, ply));
            }
            self.observer.ends_exactly(NodeKind::FiftyMoves);
            return Ok(DRAW);
        }
        if depth > 0 {
            self.inner(position, depth, ply, window, !after_null_move)
        } else if self.options.quiescence {
            self.quiesce(position, ply, window)
        } else {
            Ok(self.leaf(position, ply))
        }
    }

    fn inner(
        &mut self,
        position: &Position,
        depth: u32,
        ply: usize,
        requested: Window,
        may_pass: bool,
    ) -> Result<i32, Stopped> {
        // No line is worse than being mated now or better than mating with the next move.
        let mut alpha = requested.alpha.max(mated_at(ply));
        let beta = requested.beta.min(-mated_at(ply + 1));
        if alpha >= beta {
            self.observer.ends(NodeKind::Pruned);
            return Ok(alpha);
        }
        let key = table_key(position.hash(), position.halfmove_clock(), depth);
        let known = self.table.get(key);
        let deep_enough = |entry: &Entry| {
            entry.depth == depth || self.options.is_selective() && entry.depth > depth
        };
        if let Some(value) = cutoff_value(known.filter(deep_enough), ply, requested) {
            self.observer.ends(NodeKind::TtHit);
            return Ok(value);
        }
        if may_pass && requested.is_null() && self.null_move_exceeds(position, depth, ply, beta)? {
            self.observer.ends(NodeKind::Pruned);
            return Ok(beta);
        }
        let hash_move = known.and_then(|entry| entry.best_move);
        let moves = self.host.legal_moves(position);
        let mut order = MoveOrder::new(position, moves, hash_move, ply, self.experience);
        if order.is_empty() {
            return Ok(self.mate_or_stalemate(position, ply));
        }
        self.path.set(ply, position.hash());
        let mut best = -INFINITY;
        let mut best_move = None;
        // Each child is written in place: copying a position that was just written would stall.
        let mut child = *position;
        while let Some(chosen) = order.next() {
            (self.host.rules().play)(position, chosen, &mut child);
            let window = Window { alpha, beta };
            let value = if best == -INFINITY {
                self.reply(chosen, &child, depth - 1, ply + 1, window)?
            } else {
                let reduction = self.reduction(position, &child, depth, &order);
                self.later_reply(chosen, &child, depth - 1, reduction, ply + 1, window)?
            };
            if value <= best {
                continue;
            }
            best = value;
            if value <= alpha {
                continue;
            }
            alpha = value;
            best_move = Some(chosen);
            if !requested.is_null() {
                self.lines.set(ply, chosen);
            }
            if alpha >= beta {
                if is_quiet(position, chosen) {
                    self.experience
                        .learn(position, ply, depth, chosen, order.tried());
                }
                self.observer.ends(NodeKind::Cutoff);
                break;
            }
        }
        let bound = match best_move {
            None => Bound::Upper,
            Some(_) if best >= beta => Bound::Lower,
            Some(_) => Bound::Exact,
        };
        self.table.insert(
            key,
            Entry {
                best_move,
                value: to_table(best, ply),
                depth,
                bound,
            },
        );
        Ok(best)
    }

    /// Searches captures and promotions until none is left, unless the side to move stands pat. In
    /// check, searches all evasions instead.
    fn quiesce(&mut self, position: &Position, ply: usize, window: Window) -> Result<i32, Stopped> {
        if ply >= MAX_PLY {
            return Ok(self.leaf(position, ply));
        }
        let Window { mut alpha, beta } = window;
        let mut best = -INFINITY;
        let moves = if position.in_check() {
            let evasions = self.host.legal_moves(position);
            if evasions.is_empty() {
                return Ok(self.mate_or_stalemate(position, ply));
            }
            evasions
        } else {
            if !self.host.has_legal_move(position) {
                return Ok(self.mate_or_stalemate(position, ply));
            }
            self.observer.ends(NodeKind::StaticEval);
            best = self.evaluate(position);
            if best >= beta {
                return Ok(best);
            }
            alpha = alpha.max(best);
            self.host.legal_captures(position)
        };
        self.path.set(ply, position.hash());
        let mut child = *position;
        for chosen in MoveOrder::by_gain(position, moves) {
            (self.host.rules().play)(position, chosen, &mut child);
            let value = self.reply(chosen, &child, 0, ply + 1, Window { alpha, beta })?;
            if value <= best {
                continue;
            }
            best = value;
            if value > alpha {
                alpha = value;
                if !window.is_null() {
                    self.lines.set(ply, chosen);
                }
                if alpha >= beta {
                    self.observer.ends(NodeKind::Cutoff);
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Returns the value of a position at the horizon.
    fn leaf(&mut self, position: &Position, ply: usize) -> i32 {
        if !self.host.has_legal_move(position) {
            return self.mate_or_stalemate(position, ply);
        }
        self.observer.ends_exactly(NodeKind::StaticEval);
        self.evaluate(position)
    }

    /// Returns the value of a position without a legal move.
    #[inline]
    fn mate_or_stalemate(&mut self, position: &Position, ply: usize) -> i32 {
        let (kind, value) = if position.in_check() {
            (NodeKind::Checkmate, mated_at(ply))
        } else {
            (NodeKind::Stalemate, DRAW)
        };
        self.observer.ends_exactly(kind);
        value
    }

    /// Returns the static evaluation for the side to move. Limits the evaluator's mate scores to
    /// centipawns: only the search can prove a mate.
    pub(crate) fn evaluate(&mut self, position: &Position) -> i32 {
        let for_white = self.evaluator.evaluate(position, self.host).value();
        Score::centipawns(for_white).value() * position.turn().sign()
    }
}

/// Returns the value of being mated `ply` plies after the root.
pub(crate) const fn mated_at(ply: usize) -> i32 {
    Score::mated_in_plies(ply as u32).value()
}

/// Returns the table key of a position. It includes the half-move clock if the search can reach the
/// fifty-move limit.
const fn table_key(hash: u64, halfmove_clock: u8, depth: u32) -> u64 {
    /// How many plies in quiescence may advance the clock. Only evasions do, and there are rarely
    /// more than two.
    const BEYOND: u32 = 8;
    if halfmove_clock as u32 + depth + BEYOND < FIFTY_MOVES as u32 {
        hash
    } else {
        hash ^ (halfmove_clock as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// Returns the table's value or bound if it is outside the window. Inside the window, only a search
/// can find the line.
#[inline]
fn cutoff_value(known: Option<Entry>, ply: usize, window: Window) -> Option<i32> {
    let entry = known?;
    let value = from_table(entry.value, ply);
    let (exceeds, falls_short) = (value >= window.beta, value <= window.alpha);
    let enough = match entry.bound {
        Bound::Exact => exceeds || falls_short,
        Bound::Lower => exceeds,
        Bound::Upper => falls_short,
    };
    enough.then_some(value)
}

/// Converts a value for the table, where mates are counted from the position.
const fn to_table(value: i32, ply: usize) -> i32 {
    match Score::from_value(value).plies_to_mate() {
        Some(_) if value > 0 => value + ply as i32,
        Some(_) => value - ply as i32,
        None => value,
    }
}

/// Converts a value from the table to one where mates are counted from the root.
const fn from_table(value: i32, ply: usize) -> i32 {
    match Score::from_value(value).plies_to_mate() {
        Some(_) if value > 0 => value - ply as i32,
        Some(_) => value + ply as i32,
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_values_count_mates_from_the_position() {
        for (value, stored) in [
            (Score::mate_in_plies(5), Score::mate_in_plies(2)),
            (Score::mated_in_plies(4), Score::mated_in_plies(1)),
            (Score::centipawns(i32::MAX), Score::centipawns(i32::MAX)),
            (Score::centipawns(-7), Score::centipawns(-7)),
        ] {
            assert_eq!(to_table(value.value(), 3), stored.value());
            assert_eq!(from_table(stored.value(), 3), value.value());
        }
    }

    #[test]
    fn uses_table_values_only_outside_the_window() {
        let window = Window { alpha: 0, beta: 10 };
        for (bound, cuts) in [
            (Bound::Lower, [false, false, true]),
            (Bound::Upper, [true, false, false]),
            (Bound::Exact, [true, false, true]),
        ] {
            let values = [0, 5, 10];
            let cutoffs = values.map(|value| {
                cutoff_value(
                    Some(Entry {
                        best_move: None,
                        value,
                        depth: 1,
                        bound,
                    }),
                    0,
                    window,
                )
            });
            assert_eq!(cutoffs.map(|cutoff| cutoff.is_some()), cuts, "{bound:?}");
        }
    }

    #[test]
    fn table_keys_include_the_clock_near_its_limit() {
        assert_eq!(table_key(7, 20, 5), table_key(7, 60, 5));
        assert_ne!(table_key(7, 94, 5), table_key(7, 95, 5));
        assert_ne!(table_key(7, 20, 80), table_key(7, 60, 80));
    }
}
