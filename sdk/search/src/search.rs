//! Iterative deepening on one request.

use ai_api::{
    AiError, Capabilities, Evaluator, Host, Limits, Move, Position, PvLine, Score, SearchInfo,
    SearchRequest, SearchResult,
};

use crate::{
    clock::{Clock, Stopped},
    line::Lines,
    negamax::{Tree, mated_at},
    options::{MAX_DEPTH, MAX_LINES, MAX_TRACE_NODES, SearchOptions},
    ordering::Experience,
    path::Path,
    root::{Best, Root, merged},
    table::Table,
    trace::{NoTrace, Observer, Recorder},
};

/// A search with its memory, for any number of requests. It keeps no information between games:
/// with a depth or node limit, identical requests give identical results.
#[derive(Debug)]
pub struct Search {
    options: SearchOptions,
    table: Table,
    experience: Experience,
    lines: Lines,
}

impl Search {
    /// Returns the capabilities of an AI with this search.
    pub const CAPABILITIES: Capabilities = Capabilities {
        chess960: true,
        root_moves: true,
        ponder: true,
        max_lines: MAX_LINES,
        max_trace_nodes: MAX_TRACE_NODES,
        ..Capabilities::SIMPLEST
    };

    /// Returns the capabilities of an evaluator with this search: `chess960`, `threads` and
    /// `memory_mb` come from the evaluator, the rest from the search.
    pub const fn capabilities_with(evaluator: Capabilities) -> Capabilities {
        let Capabilities {
            chess960,
            threads,
            memory_mb,
            ..
        } = evaluator;
        Capabilities {
            chess960,
            threads,
            memory_mb,
            ..Self::CAPABILITIES
        }
    }

    /// Creates a search.
    ///
    /// # Errors
    /// The table does not fit in the memory that the process may use.
    pub fn new(options: SearchOptions) -> Result<Self, AiError> {
        Ok(Self {
            options,
            table: Table::new(options.hash_mb)?,
            experience: Experience::new(options),
            lines: Lines::default(),
        })
    }

    /// Forgets everything that earlier requests have found.
    pub fn new_game(&mut self) {
        self.table.clear();
        self.experience.clear();
    }

    /// Finds the best move for a request within its limits, and reports each completed iteration to
    /// the host.
    ///
    /// Each position entered counts as a node, including the root in every iteration and positions
    /// in quiescence. A depth limit is searched completely, up to [`MAX_DEPTH`]. A node limit is
    /// never exceeded. A time limit is exceeded by at most a millisecond or a few calls of the
    /// evaluator. With a node or time limit, the search also ends once it has proven a mate. It
    /// returns `None` only if the game is over. If it had no time to search, it returns the first
    /// legal move.
    ///
    /// A request uses results from earlier ones since [`new_game`](Self::new_game), unless it asks
    /// for a trace or a mate.
    ///
    /// A trace covers the last iteration that found its best line. It does not affect the result.
    /// It contains the positions closest to the root, complete plies first. A move that was
    /// searched several times appears once, with its last search.
    pub fn search<E: Evaluator + ?Sized>(
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

    fn search_observed<E: Evaluator + ?Sized, O: Observer>(
        &mut self,
        evaluator: &mut E,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
        observer: O,
    ) -> SearchResult {
        let clock = Clock::start(&request.limits);
        if O::RECORDS || request.limits.mate_plies.is_some() {
            // Entries in the table would end the branches of a trace early, and would make a search
            // for mates inexact.
            self.new_game();
        }
        self.table.begin();
        self.experience.begin();
        let position = request.position;
        let mut moves = host.legal_moves(&position);
        if !request.root_moves.is_empty() {
            moves.retain(|chosen| request.root_moves.contains(&chosen));
        }
        let Some(&first) = moves.first() else {
            let value = if position.in_check() { mated_at(0) } else { 0 };
            return result(&position, value, 0, 0, Vec::new());
        };
        let wanted = (request.lines.clamp(1, MAX_LINES) as usize).min(moves.len());
        let mut root = Root::new(position, &moves);
        let mut tree = Tree {
            options: match request.limits.mate_plies {
                None => self.options,
                // An exact search finds every mate within the limit.
                Some(_) => self.options.exact(),
            },
            evaluator,
            host,
            clock,
            path: Path::new(request.history),
            table: &mut self.table,
            experience: &mut self.experience,
            lines: &mut self.lines,
            observer,
            after_null_move: false,
        };
        let mut depth = 0;
        let mut lines: Vec<Best> = Vec::new();
        while depth < deepest(&request.limits) {
            let mut found = Vec::with_capacity(wanted);
            let mut stopped = false;
            while found.len() < wanted && !stopped {
                let mut best = None;
                let expected = lines.get(found.len()).map(|line| line.value);
                stopped = root.search_around(&mut tree, depth + 1, expected, &found, &mut best)
                    == Err(Stopped);
                let Some(best) = best else { break };
                if !stopped {
                    let score = for_white(&position, best.value);
                    let report = SearchInfo::new(depth + 1, score, tree.clock.nodes(), &best.line);
                    host.report(&SearchInfo {
                        pv_number: found.len() as u32 + 1,
                        ..report
                    });
                }
                found.push(best);
            }
            lines = merged(found, lines, wanted);
            let Some(best) = lines.first().filter(|_| !stopped) else {
                break;
            };
            depth += 1;
            let score = for_white(&position, best.value);
            let proven = score.plies_to_mate().is_some_and(|plies| plies <= depth);
            let is_mate = request.limits.mate_plies.is_some_and(|most| {
                best.value > 0 && score.plies_to_mate().is_some_and(|plies| plies <= most)
            });
            if proven && wanted == 1 && (is_mate || request.limits.depth.is_none()) {
                break;
            }
            root.reorder(&lines);
        }
        let nodes = tree.clock.nodes();
        let mut lines = lines.into_iter();
        if let Some(best) = lines.next() {
            let further_line = |further: Best| {
                let score = for_white(&position, further.value);
                PvLine::new(further.depth, score, further.line)
            };
            return SearchResult {
                multipv: lines.map(further_line).collect(),
                trace: tree.observer.trace(for_white(&position, best.value)),
                ..result(&position, best.value, depth, nodes, best.line)
            };
        }
        let value = if nodes > 0 && !host.should_stop() {
            tree.evaluate(&position)
        } else {
            0
        };
        let trace = tree.observer.trace(for_white(&position, value));
        SearchResult {
            trace,
            ..result(&position, value, 0, nodes, vec![first])
        }
    }
}

fn deepest(limits: &Limits) -> u32 {
    [limits.depth, limits.mate_plies]
        .into_iter()
        .flatten()
        .fold(MAX_DEPTH, u32::min)
}

fn result(position: &Position, value: i32, depth: u32, nodes: u64, pv: Vec<Move>) -> SearchResult {
    SearchResult {
        best_move: pv.first().copied(),
        score: for_white(position, value),
        depth,
        nodes,
        pv,
        ..SearchResult::NONE
    }
}

fn for_white(position: &Position, value: i32) -> Score {
    Score::from_value(value * position.turn().sign())
}
