//! Tests Basic1's search against the definition of negamax, chess problems and its limits.

mod draws;
mod exactness;
mod limits;
mod lines;
mod options;
mod plain;
mod positions;
mod repeatable;
mod tactics;
mod techniques;
mod terms;
mod trace;

use std::cell::RefCell;

use ai_api::{
    Color, Evaluator, Flag, Host, Limits, Move, Position, Score, SearchInfo, SearchRequest,
    SearchResult,
};
use ai_basic1::Evaluation;
use ai_search::{Search, SearchOptions};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const MIDDLEGAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
/// Without quiescence, a guarded pawn looks free at depth 1.
const GUARDED_PAWN: &str = "4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1";

/// A position to search, with the earlier positions of the game.
#[derive(Clone, Debug)]
struct Case {
    name: String,
    position: Position,
    history: Vec<u64>,
}

impl Case {
    fn of(fen: &str) -> Self {
        Self {
            name: fen.to_owned(),
            position: positions::fen(fen),
            history: Vec::new(),
        }
    }

    fn request(&self, limit: Limits) -> SearchRequest<'_> {
        SearchRequest {
            history: self.history.as_slice(),
            ..SearchRequest::new(self.position, limit)
        }
    }
}

/// Calls `work` with a host that never stops it and drops its reports.
fn with_host<T>(work: impl FnOnce(&Host<'_>) -> T) -> T {
    let stop = Flag::new(false);
    work(&Host::new(&rules::RULES, &stop, &|_: &SearchInfo<'_>| {}))
}

fn new_search(quiescence: bool) -> Search {
    Search::new(SearchOptions {
        hash_mb: 4,
        quiescence,
        ..SearchOptions::EXACT
    })
    .expect("enough memory")
}

fn run(search: &mut Search, case: &Case, limit: Limits) -> SearchResult {
    run_request(search, &case.request(limit))
}

fn run_request(search: &mut Search, request: &SearchRequest<'_>) -> SearchResult {
    with_host(|host| search.search(&mut Evaluation::default(), request, host))
}

fn best_move(result: &SearchResult) -> String {
    result.best_move.expect("a move").to_string()
}

/// Returns the score from a side's point of view.
fn score_for(turn: Color, score: Score) -> i32 {
    score.value() * turn.sign()
}

/// Depth, score, nodes and line of a report.
type Reported = (u32, Score, u64, Vec<Move>);

/// Returns the reports of a search and its result.
fn search_with_reports(
    search: &mut Search,
    evaluator: &mut impl Evaluator,
    request: &SearchRequest<'_>,
    stop: &Flag,
) -> (Vec<Reported>, SearchResult) {
    let reports = RefCell::new(Vec::new());
    let reporter = |report: &SearchInfo<'_>| {
        reports
            .borrow_mut()
            .push((report.depth, report.score, report.nodes, report.pv.to_vec()));
    };
    let host = Host::new(&rules::RULES, stop, &reporter);
    let result = search.search(evaluator, request, &host);
    (reports.into_inner(), result)
}
