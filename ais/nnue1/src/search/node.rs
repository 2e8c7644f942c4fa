//! The search of a position: negamax with alpha-beta and principal variation search.

use ai_api::{Move, NodeKind, Position};
use ai_search::{
    MAX_PLY,
    trace::Observer,
    window::{INFINITY, Window},
};

use super::{
    clock::Stopped,
    futility::is_futile_for_opponent,
    history::{Before, Tried, captured, is_quiet, piece_to},
    late_moves::{LateMove, Pruning, pruning},
    picker::{Picker, Wanted},
    singular::Singular,
    table::{Bound, Entry, table_key},
    tree::{Node, Tree},
    value::{DRAW, is_mate, mated_at},
};
use crate::{endgame::Known, evaluation::Evaluate};

const FIFTY_MOVES: u8 = 100;

/// The result of searching the moves of a position.
#[derive(Clone, Copy, Debug)]
enum Found {
    NoMove,
    /// Not all moves were searched, so the value is not stored.
    Value(i32),
    /// The best value, and the move if it exceeds alpha.
    Best {
        value: i32,
        best_move: Option<Move>,
    },
}

impl<E: Evaluate, O: Observer> Tree<'_, E, O> {
    /// Returns the value of a position that the search enters, `ply` plies after the root, for its
    /// side to move.
    pub(super) fn enter(
        &mut self,
        position: &Position,
        depth: i32,
        ply: usize,
        window: Window,
        is_cut_node: bool,
    ) -> Result<i32, Stopped> {
        self.clock.enter()?;
        self.memory.lines.clear(ply);
        self.selective_depth = self.selective_depth.max(ply);
        let halfmove_clock = position.halfmove_clock();
        if self.path.repeats(ply, position.hash(), halfmove_clock) {
            self.observer.ends_exactly(NodeKind::Repetition);
            return Ok(DRAW);
        }
        if (self.rules.is_insufficient_material)(position) {
            self.observer.ends_exactly(NodeKind::InsufficientMaterial);
            return Ok(DRAW);
        }
        if halfmove_clock >= FIFTY_MOVES
            && (!position.in_check() || (self.rules.has_legal_move)(position))
        {
            self.observer.ends_exactly(NodeKind::FiftyMoves);
            return Ok(DRAW);
        }
        if depth > 0 && ply < MAX_PLY {
            self.inner(position, depth, ply, window, is_cut_node)
        } else {
            self.quiesce(position, ply, window)
        }
    }

    /// Returns the value of a move. The value and `window` are for the side that plays the move.
    pub(super) fn reply(
        &mut self,
        chosen: Move,
        child: &Position,
        depth: i32,
        ply: usize,
        window: Window,
        is_cut_node: bool,
    ) -> Result<i32, Stopped> {
        let window = window.flip();
        self.observer
            .enter(chosen, child, depth.max(0) as u32, window);
        let value = self.enter(child, depth, ply, window, is_cut_node)?;
        self.observer.leave(value);
        Ok(-value)
    }

    /// Returns the value of a position with plies left to search. [`enter`](Self::enter) has
    /// counted the position.
    pub(super) fn inner(
        &mut self,
        position: &Position,
        depth: i32,
        ply: usize,
        window: Window,
        is_cut_node: bool,
    ) -> Result<i32, Stopped> {
        let is_pv = !window.is_null();
        // No line is worse than being mated now or better than mating with the next move.
        let alpha = window.alpha.max(mated_at(ply));
        let beta = window.beta.min(-mated_at(ply + 1));
        if alpha >= beta {
            self.observer.ends(NodeKind::Pruned);
            return Ok(alpha);
        }
        let excluded = self.frames[ply].excluded;
        let key = table_key(position);
        let known = if excluded.is_none() {
            self.table.get(key, ply)
        } else {
            None
        };
        if let Some(entry) =
            known.filter(|entry| !is_pv && entry.depth >= depth && entry.cuts(alpha, beta))
        {
            self.observer.ends(NodeKind::TtHit);
            return Ok(entry.value);
        }
        let exact = if excluded.is_none() {
            self.look_up(position, ply)
        } else {
            None
        };
        if let Some(exact) = exact.filter(|exact| exact.cuts(alpha, beta)) {
            self.observer.ends(NodeKind::Other);
            self.table.insert(key, ply, Entry::of_known(exact, depth));
            return Ok(exact.value);
        }
        let raw_evaluation = self.raw_evaluation(position, ply, known.as_ref(), excluded);
        let evaluation = match (raw_evaluation, excluded) {
            (Some(raw), _) => Some(self.corrected(position, raw)),
            (None, Some(_)) => self.frames[ply].evaluation,
            (None, None) => None,
        };
        self.frames[ply].evaluation = evaluation;
        self.frames[ply + 1].killers = [Move::from_bits(0); 2];
        self.frames[ply + 1].excluded = None;
        self.frames[ply + 2].cutoffs = 0;
        let mut node = Node {
            ply,
            depth,
            alpha,
            beta,
            known,
            evaluation,
            is_improving: self.is_improving(ply),
            is_pv,
            was_pv: is_pv || known.is_some_and(|entry| entry.was_pv),
            expects_cutoff: is_cut_node,
            hash_move: None,
            hash_move_captures: false,
        };
        if let (Some(evaluation), None, false, true) =
            (evaluation, excluded, is_pv, self.is_selective)
            && let Some(value) = self.prune(position, &node, evaluation)?
        {
            return Ok(value);
        }
        let hash_move = known.and_then(|entry| entry.best_move);
        node.hash_move = hash_move.filter(|&chosen| (self.rules.is_legal)(position, chosen));
        node.hash_move_captures = node
            .hash_move
            .is_some_and(|chosen| position.is_capture(chosen));
        // Without a hash move the first move is a guess. A shallower search finds one for the next
        // iteration.
        let is_guess = node.hash_move.is_none() && excluded.is_none() && (is_pv || is_cut_node);
        if self.is_selective && depth >= 4 && is_guess {
            node.depth -= 1;
        }
        self.path.set(ply, position.hash());
        let start = self.moves.len();
        let found = self.search_moves(position, &mut node, excluded)?;
        self.moves.truncate(start);
        match found {
            Found::NoMove if excluded.is_some() => Ok(alpha),
            Found::NoMove => Ok(self.mate_or_stalemate(position, ply)),
            Found::Value(value) => Ok(value),
            Found::Best { value, .. } if excluded.is_some() => Ok(value),
            Found::Best { value, .. } if exact.is_some_and(|exact| exact.excludes(value)) => {
                self.observer.ends(NodeKind::Other);
                Ok(exact.map_or(value, |exact| exact.value))
            }
            Found::Best { value, best_move } => {
                let bound = match best_move {
                    None => Bound::Upper,
                    Some(_) if value >= beta => Bound::Lower,
                    Some(_) => Bound::Exact,
                };
                self.learn_correction(position, &node, value, best_move, bound);
                self.table.insert(
                    key,
                    ply,
                    Entry {
                        best_move,
                        value,
                        evaluation: raw_evaluation,
                        depth: node.depth,
                        bound,
                        was_pv: node.was_pv,
                    },
                );
                Ok(value)
            }
        }
    }

    /// Returns what the tables know about a position, unless the search must find every mate.
    #[inline]
    fn look_up(&mut self, position: &Position, ply: usize) -> Option<Known> {
        let known = if self.is_selective {
            Known::lookup(self.tables, position, ply)
        } else {
            None
        };
        if known.is_some() {
            self.clock.check_soon();
        }
        known
    }

    /// Returns the value of a position if its moves need not be searched.
    fn prune(
        &mut self,
        position: &Position,
        node: &Node,
        evaluation: i32,
    ) -> Result<Option<i32>, Stopped> {
        let &Node {
            depth,
            ply,
            alpha,
            beta,
            is_improving,
            ..
        } = node;
        // The table may know better than the evaluation.
        let estimate = node
            .known
            .map_or(evaluation, |entry| entry.refined(evaluation));
        if is_futile_for_opponent(depth, estimate, beta, is_improving) {
            self.observer.ends(NodeKind::Pruned);
            return Ok(Some(estimate.midpoint(beta)));
        }
        if let Some(value) = self.razor(position, depth, ply, Window { alpha, beta }, estimate)? {
            return Ok(Some(value));
        }
        let value = self.null_move_cutoff(position, depth, ply, beta, estimate)?;
        if value.is_some() {
            self.observer.ends(NodeKind::Pruned);
        }
        Ok(value)
    }

    /// Searches the moves of a position except for the excluded one.
    fn search_moves(
        &mut self,
        position: &Position,
        node: &mut Node,
        excluded: Option<Move>,
    ) -> Result<Found, Stopped> {
        let &mut Node {
            ply,
            depth,
            is_pv,
            expects_cutoff,
            beta,
            ..
        } = node;
        let mut picker = Picker::new(Wanted::All, node.hash_move, self.moves.len());
        let [mut quiets, mut captures] = [Tried::new(), Tried::new()];
        let before = self.before(ply);
        let mut best = -INFINITY;
        let mut child = *position;
        let mut best_move = None;
        let mut number = 0;
        while let Some(chosen) = self.next_move(position, ply, &mut picker) {
            if Some(chosen) == excluded {
                continue;
            }
            number += 1;
            let late = self.late_move(position, chosen, number, before);
            let may_prune = self.is_selective && best > -INFINITY && !(is_mate(best) && best < 0);
            match if may_prune {
                pruning(self.rules, position, node, &late)
            } else {
                Pruning::Keep
            } {
                Pruning::Keep => {}
                Pruning::Skip => continue,
                Pruning::SkipQuiets => {
                    picker.skips_quiets = true;
                    continue;
                }
            }
            let extension = match self.singular(position, node, chosen)? {
                Singular::Extend(plies) => plies,
                Singular::Cut(value) => {
                    self.observer.ends(NodeKind::Pruned);
                    return Ok(Found::Value(value));
                }
            };
            self.play(position, chosen, ply, &mut child);
            let remaining = Window {
                alpha: node.alpha,
                beta,
            };
            let below = depth - 1 + extension;
            let value = if number == 1 {
                self.reply(
                    chosen,
                    &child,
                    below,
                    ply + 1,
                    remaining,
                    !is_pv && !expects_cutoff,
                )?
            } else {
                let is_reduced = self.is_selective && depth >= 3 && number > 1 + usize::from(is_pv);
                let reduction = if is_reduced {
                    self.reduction(node, &late, &child)
                } else {
                    0
                };
                self.later_reply(
                    chosen,
                    &child,
                    below,
                    reduction,
                    ply + 1,
                    remaining,
                    expects_cutoff,
                )?
            };
            if value > best {
                best = value;
                if value > node.alpha {
                    node.alpha = value;
                    best_move = Some(chosen);
                    if is_pv {
                        self.memory.lines.set(ply, chosen);
                    }
                    if value >= beta {
                        self.observer.ends(NodeKind::Cutoff);
                        self.learn_cutoff(position, node, before, chosen, [&quiets, &captures]);
                        break;
                    }
                }
            }
            if late.is_quiet {
                &mut quiets
            } else {
                &mut captures
            }
            .push(chosen);
        }
        Ok(if number == 0 {
            Found::NoMove
        } else {
            Found::Best {
                value: best,
                best_move,
            }
        })
    }

    pub(super) fn late_move(
        &self,
        position: &Position,
        chosen: Move,
        number: usize,
        before: Before,
    ) -> LateMove {
        let is_quiet = is_quiet(position, chosen);
        let moved = piece_to(position, chosen);
        let history = &self.memory.history;
        let history = if is_quiet {
            history.quiet(position.turn(), moved, chosen, before)
        } else {
            history.capture(moved, captured(position, chosen))
        };
        LateMove {
            chosen,
            number,
            is_quiet,
            history,
        }
    }

    /// Learns from a move that reached beta, and from earlier moves that did not.
    fn learn_cutoff(
        &mut self,
        position: &Position,
        node: &Node,
        before: Before,
        chosen: Move,
        tried: [&Tried; 2],
    ) {
        let frame = &mut self.frames[node.ply];
        frame.cutoffs += 1;
        if is_quiet(position, chosen) && frame.killers[0] != chosen {
            frame.killers = [chosen, frame.killers[0]];
        }
        self.memory
            .history
            .learn(position, before, node.depth, chosen, tried);
    }

    /// Learns how far the static evaluation was from the value, unless a capture or the bound
    /// explains the difference.
    fn learn_correction(
        &mut self,
        position: &Position,
        node: &Node,
        value: i32,
        best_move: Option<Move>,
        bound: Bound,
    ) {
        let Some(evaluation) = node.evaluation else {
            return;
        };
        let is_explained = is_mate(value)
            || best_move.is_some_and(|chosen| !is_quiet(position, chosen))
            || bound == Bound::Lower && value <= evaluation
            || bound == Bound::Upper && value >= evaluation;
        if !is_explained {
            self.memory
                .corrections
                .learn(position, node.depth, value - evaluation);
        }
    }

    /// Returns the value of a move after the first. Null-window searches test whether it exceeds
    /// alpha at all. The first of them is `reduction` plies shallower.
    #[expect(
        clippy::too_many_arguments,
        reason = "the arguments of reply, and the reduction"
    )]
    pub(super) fn later_reply(
        &mut self,
        chosen: Move,
        child: &Position,
        depth: i32,
        reduction: i32,
        ply: usize,
        window: Window,
        is_cut_node: bool,
    ) -> Result<i32, Stopped> {
        let test = Window::null(window.alpha);
        if reduction > 0 {
            let value = self.reply(chosen, child, depth - reduction, ply, test, true)?;
            if value <= window.alpha {
                return Ok(value);
            }
        }
        let value = self.reply(chosen, child, depth, ply, test, !is_cut_node)?;
        if value <= window.alpha || value >= window.beta {
            return Ok(value);
        }
        self.reply(chosen, child, depth, ply, window, false)
    }

    /// Returns the static evaluation without correction, or `None` in check and in a singular
    /// search, which uses the evaluation of the enclosing search.
    fn raw_evaluation(
        &mut self,
        position: &Position,
        ply: usize,
        known: Option<&Entry>,
        excluded: Option<Move>,
    ) -> Option<i32> {
        if position.in_check() || excluded.is_some() {
            return None;
        }
        Some(
            known
                .and_then(|entry| entry.evaluation)
                .unwrap_or_else(|| self.evaluate(position, ply)),
        )
    }

    /// Returns whether the side to move is better off than at its last turn.
    fn is_improving(&self, ply: usize) -> bool {
        let Some(now) = self.frames[ply].evaluation else {
            return false;
        };
        let before = |back: usize| {
            ply.checked_sub(back)
                .and_then(|ply| self.frames[ply].evaluation)
        };
        before(2)
            .or_else(|| before(4))
            .is_none_or(|before| now > before)
    }

    /// Returns the value of a position without a legal move.
    fn mate_or_stalemate(&mut self, position: &Position, ply: usize) -> i32 {
        let (kind, value) = if position.in_check() {
            (NodeKind::Checkmate, mated_at(ply))
        } else {
            (NodeKind::Stalemate, DRAW)
        };
        self.observer.ends_exactly(kind);
        value
    }
}
