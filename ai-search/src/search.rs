//! The search of one question, iteration by iteration.

use ai_api::{
    AiError, Capabilities, Evaluator, Host, Limits, Move, Position, PvLine, Score, SearchInfo, SearchRequest,
    SearchResult,
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
    trace::{Blind, Observer, Recorder},
};

/// A search and its memory, made once and asked again and again. Nothing of a question is left when the next one
/// comes: with a depth or node limit the same question has the same answer, whatever was asked before.
#[derive(Debug)]
pub struct Search {
    options: SearchOptions,
    table: Table,
    experience: Experience,
    lines: Lines,
}

impl Search {
    /// What an AI can do that searches with this.
    pub const CAPABILITIES: Capabilities = Capabilities {
        chess960: true,
        root_moves: true,
        ponder: true,
        max_lines: MAX_LINES,
        max_trace_nodes: MAX_TRACE_NODES,
        ..Capabilities::SIMPLEST
    };

    /// Returns what an evaluator can do together with this search: `chess960`, `threads` and `memory_mb` are the
    /// evaluator's, all else is the search's.
    pub const fn capabilities_with(evaluator: Capabilities) -> Capabilities {
        let Capabilities { chess960, threads, memory_mb, .. } = evaluator;
        Capabilities { chess960, threads, memory_mb, ..Self::CAPABILITIES }
    }

    /// A search of these options.
    ///
    /// # Errors
    /// The table does not fit into the memory that the process may use.
    pub fn new(options: SearchOptions) -> Result<Self, AiError> {
        Ok(Self {
            options,
            table: Table::new(options.hash_mb)?,
            experience: Experience::new(),
            lines: Lines::new(),
        })
    }

    /// Finds the best move of a request within its limits, and reports each completed iteration to the host.
    ///
    /// A node is each position that is entered: the root once in an iteration, those of quiescence too. A depth
    /// limit is searched completely, up to [`MAX_DEPTH`]; a node limit is never passed; the time is read often
    /// enough to keep within a millisecond or a few calls of the evaluator. With the latter two the search also
    /// ends once it has proven a mate. It always answers a legal move, at the worst the first; none only where the
    /// game is over.
    ///
    /// A trace is that of the last iteration that has found its best line, and changes nothing else. It holds the positions
    /// next to the root: all of a ply before any of the next, and each move once, as it was searched last.
    pub fn search<E: Evaluator + ?Sized>(
        &mut self,
        evaluator: &mut E,
        question: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> SearchResult {
        match question.trace_nodes {
            0 => self.observed(evaluator, question, host, Blind),
            most => self.observed(evaluator, question, host, Recorder::new(most.min(MAX_TRACE_NODES))),
        }
    }

    fn observed<E: Evaluator + ?Sized, O: Observer>(
        &mut self,
        evaluator: &mut E,
        question: &SearchRequest<'_>,
        host: &Host<'_>,
        observer: O,
    ) -> SearchResult {
        let clock = Clock::start(&question.limits);
        self.table.clear();
        self.experience.clear();
        let position = question.position;
        let mut moves = host.legal_moves(&position);
        if !question.root_moves.is_empty() {
            moves.retain(|chosen| question.root_moves.contains(&chosen));
        }
        let Some(&first) = moves.first() else {
            let value = if position.in_check() { mated_at(0) } else { 0 };
            return answer(&position, value, 0, 0, Vec::new());
        };
        let wanted = (question.lines.clamp(1, MAX_LINES) as usize).min(moves.len());
        let mut root = Root::new(position, &moves);
        let mut tree = Tree {
            options: self.options,
            evaluator,
            host,
            clock,
            path: Path::new(question.history),
            table: &mut self.table,
            experience: &mut self.experience,
            lines: &mut self.lines,
            observer,
        };
        let mut depth = 0;
        let mut lines: Vec<Best> = Vec::new();
        while depth < deepest(&question.limits) {
            let mut found = Vec::with_capacity(wanted);
            let mut stopped = false;
            while found.len() < wanted && !stopped {
                let mut best = None;
                stopped = root.search(&mut tree, depth + 1, &found, &mut best) == Err(Stopped);
                let Some(best) = best else { break };
                if !stopped {
                    let score = for_white(&position, best.value);
                    let report = SearchInfo::new(depth + 1, score, tree.clock.nodes(), &best.line);
                    host.report(&SearchInfo { pv_number: found.len() as u32 + 1, ..report });
                }
                found.push(best);
            }
            lines = merged(found, lines, wanted);
            let Some(best) = lines.first().filter(|_| !stopped) else { break };
            depth += 1;
            let score = for_white(&position, best.value);
            let proven = score.plies_to_mate().is_some_and(|plies| plies <= depth);
            let is_mate = question.limits.mate_plies.is_some_and(|most| {
                best.value > 0 && score.plies_to_mate().is_some_and(|plies| plies <= most)
            });
            if proven && wanted == 1 && (is_mate || question.limits.depth.is_none()) {
                break;
            }
            root.begin_with(&lines);
        }
        let nodes = tree.clock.nodes();
        let mut lines = lines.into_iter();
        if let Some(best) = lines.next() {
            let further_line =
                |Best { depth, value, line, .. }: Best| PvLine::new(depth, for_white(&position, value), line);
            return SearchResult {
                multipv: lines.map(further_line).collect(),
                trace: tree.observer.trace(for_white(&position, best.value)),
                ..answer(&position, best.value, depth, nodes, best.line)
            };
        }
        let value = if nodes > 0 && !host.should_stop() { tree.evaluate(&position) } else { 0 };
        let trace = tree.observer.trace(for_white(&position, value));
        SearchResult { trace, ..answer(&position, value, 0, nodes, vec![first]) }
    }
}

fn deepest(limits: &Limits) -> u32 {
    [limits.depth, limits.mate_plies].into_iter().flatten().fold(MAX_DEPTH, u32::min)
}

fn answer(position: &Position, value: i32, depth: u32, nodes: u64, pv: Vec<Move>) -> SearchResult {
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
