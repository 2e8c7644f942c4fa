//! The search: iterative deepening on one request, with one or several threads.
//!
//! Each technique has its own file. All techniques share `tree`, the state of a thread.

mod chances;
mod clock;
mod correction;
mod futility;
mod history;
mod iteration;
mod late_moves;
mod node;
mod null_move;
mod options;
mod picker;
mod quiescence;
mod root;
mod see;
mod singular;
mod strength;
mod table;
mod tree;
mod value;

use std::{sync::atomic::Ordering, thread};

use ai_api::{
    AiError, Bound, Host, Move, Position, PvLine, Score, SearchInfo, SearchRequest, SearchResult,
    Wdl,
};
use ai_search::{
    MAX_LINES, MAX_TRACE_NODES,
    path::Path,
    trace::{NoTrace, Observer, Recorder},
};
use ai_tablebase::Tablebases;
use chances::chances;
use clock::{Clock, Shared};
use iteration::{Goal, deepen};
pub use options::SearchOptions;
use root::{Best, Root};
pub use strength::{ELO, Strength};
use table::Table;
use tree::{Memory, Tree};
use value::mated_at;

use crate::{endgame::Tables, evaluation::Evaluate};

/// A search with its memory, for any number of requests. With one thread, identical requests with a
/// depth or node limit give identical results.
#[derive(Debug)]
pub struct Search {
    options: SearchOptions,
    table: Table,
    /// One for each thread.
    memories: Vec<Memory>,
    /// `None` to use the host's tables.
    tables: Option<Tablebases>,
    /// `None` for full strength.
    strength: Option<Strength>,
}

impl Search {
    /// Creates a search.
    ///
    /// # Errors
    /// The table does not fit in the memory that the process may use.
    pub fn new(options: SearchOptions) -> Result<Self, AiError> {
        let memories = (0..options.threads.max(1)).map(|_| Memory::new()).collect();
        Ok(Self {
            options,
            table: Table::new(options.hash_mb)?,
            memories,
            tables: None,
            strength: None,
        })
    }

    /// Uses these tables instead of the host's.
    #[must_use]
    pub fn with_tables(self, tables: Tablebases) -> Self {
        Self {
            tables: Some(tables),
            ..self
        }
    }

    /// Limits the playing strength. `None` means full strength. Requests for a mate always use full
    /// strength.
    pub const fn limit_strength(&mut self, strength: Option<Strength>) {
        self.strength = strength;
    }

    /// Forgets what earlier requests have found.
    pub fn new_game(&mut self) {
        self.table.begin_empty();
        self.memories.iter_mut().for_each(Memory::clear);
    }

    /// Finds the best move for a request within its limits, and reports each line of a completed
    /// iteration to the host.
    ///
    /// Each position entered counts as a node. A node limit is never exceeded. With a node or time
    /// limit, the search also ends once it has proven a mate. It returns the first legal move if it
    /// could not search, and `None` only if the game is over.
    ///
    /// A request uses results from earlier ones since [`new_game`](Self::new_game).
    pub fn search<E: Evaluate>(
        &mut self,
        evaluator: &mut E,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> SearchResult {
        match request.trace_nodes {
            0 => self.search_observed(evaluator, request, host, NoTrace),
            most => self.search_observed(
                evaluator,
                request,
                host,
                Recorder::new(most.min(MAX_TRACE_NODES)),
            ),
        }
    }

    fn search_observed<E: Evaluate, O: Observer>(
        &mut self,
        evaluator: &mut E,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
        observer: O,
    ) -> SearchResult {
        let wanted_lines = request.lines.clamp(1, MAX_LINES) as usize;
        let strength = self
            .strength
            .filter(|_| request.limits.mate_plies.is_none());
        let request = &strength.map_or(*request, |strength| strength.weaken(request));
        let shared = Shared::default();
        // At a limited strength, results must be repeatable.
        let threads = if strength.is_some() {
            1
        } else {
            self.options.threads.max(1)
        };
        let clock = |thread| Clock::start(request, host, &shared, thread, threads);
        let main_clock = clock(0);
        if strength.is_some() || request.limits.mate_plies.is_some() {
            // Strengths were measured with an empty table, and its entries would make a search for
            // mates inexact.
            self.new_game();
        }
        self.table.begin();
        let position = request.position;
        let mut moves = host.legal_moves(&position);
        if !request.root_moves.is_empty() {
            moves.retain(|chosen| request.root_moves.contains(&chosen));
        }
        if moves.is_empty() {
            let value = if position.in_check() { mated_at(0) } else { 0 };
            return SearchResult {
                score: for_white(&position, value),
                ..SearchResult::NONE
            };
        }
        let lines = (request.lines.clamp(1, MAX_LINES) as usize).min(moves.len());
        let goal = Goal {
            limits: request.limits,
            lines,
        };
        let is_selective = request.limits.mate_plies.is_none();
        let (rules, table) = (host.rules(), &self.table);
        let probed = Tables::of(self.tables.as_ref(), host);
        let root = if is_selective {
            ranked(probed, &position, &moves)
        } else {
            None
        };
        // If the tables contain the root, every move of the best rank keeps the result, and the
        // search only looks for the mate.
        let tables = if root.is_some() { Tables::None } else { probed };
        let root = root.unwrap_or_else(|| Root::new(position, &moves));
        evaluator.begin(&position);
        let (main_memory, helper_memories) = self
            .memories
            .split_first_mut()
            .expect("one memory for each thread");
        let mut result = thread::scope(|scope| {
            for (memory, number) in helper_memories.iter_mut().zip(1..threads) {
                let (mut root, mut evaluator, clock) =
                    (root.clone(), evaluator.clone(), clock(number));
                let path = Path::new(request.history);
                let work = move || {
                    let mut tree = Tree::new(
                        &mut evaluator,
                        rules,
                        clock,
                        path,
                        table,
                        tables,
                        memory,
                        NoTrace,
                        is_selective,
                    );
                    deepen(&mut tree, &mut root, &goal, |_, _, _| ());
                    tree.clock.add_nodes();
                };
                // If the system cannot start another thread, the others search without it.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            let path = Path::new(request.history);
            let mut root = root.clone();
            let mut tree = Tree::new(
                evaluator,
                rules,
                main_clock,
                path,
                table,
                tables,
                main_memory,
                observer,
                is_selective,
            );
            let depth = deepen(&mut tree, &mut root, &goal, |rank, line, tree| {
                if strength.is_none() {
                    report(host, &position, rank, line, tree);
                }
            });
            shared.is_finished.store(true, Ordering::Relaxed);
            if let Some(strength) = strength {
                root.choose(&strength);
                for (line, rank) in root.lines(wanted_lines).zip(1..) {
                    report(host, &position, rank, line, &tree);
                }
            }
            let result = result_of(&mut tree, &root, &position, depth, wanted_lines.min(lines));
            let trace = tree.observer.trace(result.score);
            SearchResult {
                trace,
                nodes: tree.clock.nodes(),
                ..result
            }
        });
        result.nodes += shared.nodes.load(Ordering::Relaxed);
        result
    }
}

/// Returns the root with its moves ranked by the tables, if the tables know all of them.
fn ranked(tables: Tables<'_>, position: &Position, moves: &[Move]) -> Option<Root> {
    let mut known = tables.probe_root(position)?.moves;
    known.retain(|ranked| moves.contains(&ranked.chosen));
    (known.len() == moves.len()).then(|| Root::ranked(*position, &known))
}

/// Reports a line to the host.
fn report<E, O>(
    host: &Host<'_>,
    position: &Position,
    rank: u32,
    line: &Best,
    tree: &Tree<'_, E, O>,
) {
    let (score, bound, wdl) = judged(position, line);
    let info = SearchInfo::new(line.depth, score, tree.clock.all_nodes(), &line.line);
    host.report(&SearchInfo {
        pv_number: rank,
        selective_depth: tree.selective_depth as u32 + 1,
        bound,
        wdl: Some(wdl),
        ..info
    });
}

/// Returns the best lines of the root, without nodes and trace.
fn result_of<E: Evaluate, O>(
    tree: &mut Tree<'_, E, O>,
    root: &Root,
    position: &Position,
    depth: u32,
    lines: usize,
) -> SearchResult {
    let mut best = root.lines(lines);
    if let Some(line) = best.next() {
        let (score, bound, wdl) = judged(position, line);
        return SearchResult {
            best_move: line.line.first().copied(),
            score,
            wdl: Some(wdl),
            bound,
            depth,
            pv: line.line.clone(),
            multipv: best
                .map(|further| further_line(position, further))
                .collect(),
            ..SearchResult::NONE
        };
    }
    let value = match root.known() {
        Some(known) => known.value,
        None if position.in_check() => 0,
        None => tree.evaluate(position, 0),
    };
    let score = for_white(position, value);
    root.best_move()
        .map_or(SearchResult::NONE, |first| SearchResult {
            score,
            ..SearchResult::play(first)
        })
}

fn further_line(position: &Position, line: &Best) -> PvLine {
    let (score, bound, wdl) = judged(position, line);
    PvLine {
        bound,
        wdl: Some(wdl),
        ..PvLine::new(line.depth, score, line.line.clone())
    }
}

/// Returns the score of a line for White, its bound, and White's chances.
fn judged(position: &Position, line: &Best) -> (Score, Bound, Wdl) {
    let (value, bound) = line.judged();
    let score = for_white(position, value);
    let wdl = if line.is_known_draw() {
        Wdl {
            win: 0,
            draw: 1000,
            loss: 0,
        }
    } else {
        chances(score)
    };
    (score, bound_for_white(position, bound), wdl)
}

fn for_white(position: &Position, value: i32) -> Score {
    Score::from_value(value * position.turn().sign())
}

fn bound_for_white(position: &Position, bound: Bound) -> Bound {
    match (bound, position.turn().sign()) {
        (Bound::Lower, -1) => Bound::Upper,
        (Bound::Upper, -1) => Bound::Lower,
        _ => bound,
    }
}
