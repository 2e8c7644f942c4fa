//! Quiescence: captures that don't lose material, and check evasions
//! (<https://www.chessprogramming.org/Quiescence_Search>).

use ai_api::{NodeKind, Position, Role};
use ai_search::{
    MAX_PLY,
    trace::Observer,
    window::{INFINITY, Window},
};

use super::{
    clock::Stopped,
    picker::{Picker, Wanted},
    table::{Bound, Entry, table_key},
    tree::Tree,
    value::{DRAW, is_mate, mated_at, of_role},
};
use crate::evaluation::Evaluate;

/// A capture that does not raise the evaluation to alpha even with this bonus is skipped.
const MARGIN: i32 = 180;

impl<E: Evaluate, O: Observer> Tree<'_, E, O> {
    /// Returns the quiescence value of a position on the path.
    pub(super) fn quiesce(
        &mut self,
        position: &Position,
        ply: usize,
        window: Window,
    ) -> Result<i32, Stopped> {
        let Window { mut alpha, beta } = window;
        let in_check = position.in_check();
        if ply >= MAX_PLY {
            self.observer.ends(NodeKind::StaticEval);
            return Ok(if in_check {
                DRAW
            } else {
                self.evaluate(position, ply)
            });
        }
        let key = table_key(position);
        let known = self.table.get(key, ply);
        if let Some(entry) = known.filter(|entry| window.is_null() && entry.cuts(alpha, beta)) {
            self.observer.ends(NodeKind::TtHit);
            return Ok(entry.value);
        }
        let was_pv = known.is_some_and(|entry| entry.was_pv) || !window.is_null();
        let mut best = -INFINITY;
        let mut futile_below = -INFINITY;
        let mut static_evaluation = None;
        if !in_check {
            if self.is_stalemate(position) {
                self.observer.ends_exactly(NodeKind::Stalemate);
                return Ok(DRAW);
            }
            self.observer.ends(NodeKind::StaticEval);
            let stored = known.and_then(|entry| entry.evaluation);
            let raw = stored.unwrap_or_else(|| self.evaluate(position, ply));
            static_evaluation = Some(raw);
            best = self.corrected(position, raw);
            futile_below = best + MARGIN;
            best = known.map_or(best, |entry| entry.refined(best));
            if best >= beta {
                if known.is_none() {
                    let entry = Entry {
                        best_move: None,
                        value: best,
                        evaluation: static_evaluation,
                        depth: 0,
                        bound: Bound::None,
                        was_pv,
                    };
                    self.table.insert(key, ply, entry);
                }
                return Ok(best);
            }
            alpha = alpha.max(best);
        }
        self.path.set(ply, position.hash());
        let hash_move = known.and_then(|entry| entry.best_move);
        let hash_move = hash_move.filter(|&chosen| in_check || position.is_capture(chosen));
        let wanted = if in_check { Wanted::All } else { Wanted::Gains };
        let mut picker = Picker::new(wanted, hash_move, self.moves.len());
        let start = self.moves.len();
        let mut best_move = None;
        let mut child = *position;
        while let Some(chosen) = self.next_move(position, ply, &mut picker) {
            if !in_check && chosen.promotion().is_none() && !is_mate(best) {
                let gain = position
                    .role_at(chosen.to())
                    .map_or(of_role(Role::Pawn), of_role);
                if futile_below + gain <= alpha {
                    best = best.max(futile_below + gain);
                    continue;
                }
            }
            self.play(position, chosen, ply, &mut child);
            let value = self.reply(chosen, &child, 0, ply + 1, Window { alpha, beta }, false)?;
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(chosen);
                    alpha = value;
                    if !window.is_null() {
                        self.memory.lines.set(ply, chosen);
                    }
                    if alpha >= beta {
                        self.observer.ends(NodeKind::Cutoff);
                        break;
                    }
                }
            }
            // One good evasion proves that there is no mate.
            if in_check && !is_mate(best) {
                picker.skips_quiets = true;
            }
        }
        self.moves.truncate(start);
        if in_check && best == -INFINITY {
            self.observer.ends_exactly(NodeKind::Checkmate);
            return Ok(mated_at(ply));
        }
        let bound = if best >= beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        let entry = Entry {
            best_move,
            value: best,
            evaluation: static_evaluation,
            depth: 0,
            bound,
            was_pv,
        };
        self.table.insert(key, ply, entry);
        Ok(best)
    }

    /// Returns whether the side to move, not in check, has no legal move. Looks for moves only
    /// where stalemates happen: in endings where it has only its king and pawns.
    fn is_stalemate(&self, position: &Position) -> bool {
        let own = position.color(position.turn());
        let simple = position.role(Role::King) | position.role(Role::Pawn);
        (own & !simple).is_empty() && !(self.rules.has_legal_move)(position)
    }
}
