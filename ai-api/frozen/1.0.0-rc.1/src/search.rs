//! Searching: negamax with alpha-beta over any [`Evaluator`].
//!
//! Without quiescence, score and best move are exactly those of plain negamax of the same depth; among moves of equal
//! score the first of [`Host::legal_moves`] is chosen. The same holds for each further line among the moves that are left. Checkmate and stalemate come before all else; insufficient
//! material, a hundred plies without capture or pawn move and a position that occurred before are draws.
//!
//! ```
//! use ai_api::{AiError, Answer, Color, Evaluator, Host, Position, Question, Role, Score, Searcher};
//! use ai_api::search::{Search, SearchOptions};
//!
//! /// Counts queens.
//! struct Queens;
//!
//! impl Evaluator for Queens {
//!     fn evaluate(&mut self, position: &Position, _: &Host<'_>) -> Score {
//!         let [white, black] = Color::ALL.map(|color| position.pieces(color, Role::Queen).count() as i32);
//!         Score::centipawns(900 * (white - black))
//!     }
//! }
//!
//! struct LovesQueens(Search);
//!
//! impl Searcher for LovesQueens {
//!     fn search(&mut self, question: &Question<'_>, host: &Host<'_>) -> Result<Answer, AiError> {
//!         Ok(self.0.search(&mut Queens, question, host))
//!     }
//! }
//!
//! let ai = LovesQueens(Search::new(SearchOptions { hash_mb: 1, ..SearchOptions::default() })?);
//! # Ok::<(), AiError>(())
//! ```

mod clock;
mod line;
mod negamax;
mod ordering;
mod path;
mod root;
mod table;
mod trace;

use abi_stable::std_types::RVec;

use self::{
    clock::{Clock, Stopped},
    line::Lines,
    negamax::{Tree, mated_at},
    ordering::Experience,
    path::Path,
    root::{Best, Root, merged},
    table::Table,
    trace::{Blind, Observer, Recorder},
};
use crate::{
    Abilities, AiError, Answer, Evaluator, Host, Limit, Line, Move, Position, Question, Report, Score,
};

/// The deepest iteration.
pub const MAX_DEPTH: u32 = 128;
/// The most lines that are told at once.
pub const MAX_LINES: u32 = 64;
/// The most nodes of a trace.
pub const MAX_TRACE_NODES: u32 = 4000;
/// The longest path from the root, quiescence included.
const MAX_PLY: usize = MAX_DEPTH as usize + 32;
/// The half-move clock from which a position counts as drawn.
const FIFTY_MOVES: u8 = 100;

/// How a [`Search`] works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// Size of the transposition table in mebibytes. Its memory is taken from the system only as it is used.
    pub hash_mb: u32,
    /// Whether captures, promotions and ways out of a check are followed below the last ply.
    pub quiescence: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { hash_mb: 16, quiescence: true }
    }
}

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
    pub const ABILITIES: Abilities = Abilities {
        chess960: true,
        root_moves: true,
        ponder: true,
        max_lines: MAX_LINES,
        max_trace_nodes: MAX_TRACE_NODES,
        ..Abilities::SIMPLEST
    };

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

    /// Finds the best move of a question within its limit, and reports each completed iteration to the host.
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
        question: &Question<'_>,
        host: &Host<'_>,
    ) -> Answer {
        match question.trace_nodes {
            0 => self.observed(evaluator, question, host, Blind),
            most => self.observed(evaluator, question, host, Recorder::new(most.min(MAX_TRACE_NODES))),
        }
    }

    fn observed<E: Evaluator + ?Sized, O: Observer>(
        &mut self,
        evaluator: &mut E,
        question: &Question<'_>,
        host: &Host<'_>,
        observer: O,
    ) -> Answer {
        let clock = Clock::start(question.limit);
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
            path: Path::new(question.history.as_slice()),
            table: &mut self.table,
            experience: &mut self.experience,
            lines: &mut self.lines,
            observer,
        };
        let mut depth = 0;
        let mut lines: Vec<Best> = Vec::new();
        while depth < deepest(question.limit) {
            let mut found = Vec::with_capacity(wanted);
            let mut stopped = false;
            while found.len() < wanted && !stopped {
                let mut best = None;
                stopped = root.search(&mut tree, depth + 1, &found, &mut best) == Err(Stopped);
                let Some(best) = best else { break };
                if !stopped {
                    let score = for_white(&position, best.value);
                    let report = Report::new(depth + 1, score, tree.clock.nodes(), &best.line);
                    host.report(&Report { line_number: found.len() as u32 + 1, ..report });
                }
                found.push(best);
            }
            lines = merged(found, lines, wanted);
            let Some(best) = lines.first().filter(|_| !stopped) else { break };
            depth += 1;
            let score = for_white(&position, best.value);
            let proven = score.plies_to_mate().is_some_and(|plies| plies <= depth);
            if proven && wanted == 1 && !matches!(question.limit, Limit::Depth(_)) {
                break;
            }
            root.begin_with(&lines);
        }
        let nodes = tree.clock.nodes();
        let mut lines = lines.into_iter();
        if let Some(best) = lines.next() {
            let further_line = |Best { depth, value, line, .. }: Best| Line {
                score: for_white(&position, value),
                depth,
                moves: line.into(),
            };
            return Answer {
                further_lines: lines.map(further_line).collect(),
                trace: tree.observer.trace(for_white(&position, best.value)),
                ..answer(&position, best.value, depth, nodes, best.line)
            };
        }
        let value = if nodes > 0 && !host.should_stop() { tree.evaluate(&position) } else { 0 };
        let trace = tree.observer.trace(for_white(&position, value));
        Answer { trace, ..answer(&position, value, 0, nodes, vec![first]) }
    }
}

const fn deepest(limit: Limit) -> u32 {
    match limit {
        Limit::Depth(depth) if depth < MAX_DEPTH => depth,
        Limit::Depth(_) | Limit::Nodes(_) | Limit::MovetimeMs(_) => MAX_DEPTH,
    }
}

fn answer(position: &Position, value: i32, depth: u32, nodes: u64, line: Vec<Move>) -> Answer {
    Answer {
        best_move: line.first().copied().into(),
        score: for_white(position, value),
        depth,
        nodes,
        line: line.into(),
        further_lines: RVec::new(),
        trace: RVec::new(),
    }
}

fn for_white(position: &Position, value: i32) -> Score {
    Score::from_value(value * position.turn().sign())
}
