//! Basic1's search against the definition of negamax, against chess problems and against its limits.

mod exactness;
mod limits;
mod lines;
mod options;
mod plain;
mod positions;
mod repeatable;
mod tactics;
mod trace;

use std::cell::RefCell;

use ai_api::{Evaluator, Flag, Host, Limits, Move, Position, Score, SearchInfo, SearchRequest, SearchResult};
use ai_basic1::Judgement;
use ai_search::{Search, SearchOptions};

/// A position to think about, with the positions that the game went through before.
#[derive(Clone, Debug)]
struct Case {
    name: String,
    position: Position,
    history: Vec<u64>,
}

impl Case {
    fn of(fen: &str) -> Self {
        Self { name: fen.to_owned(), position: positions::fen(fen), history: Vec::new() }
    }

    fn question(&self, limit: Limits) -> SearchRequest<'_> {
        SearchRequest { history: self.history.as_slice(), ..SearchRequest::new(self.position, limit) }
    }
}

/// Gives `work` a host that nobody stops and that keeps no reports.
fn with_host<T>(work: impl FnOnce(&Host<'_>) -> T) -> T {
    let stop = Flag::new(false);
    work(&Host::new(&rules::RULES, &stop, &|_: &SearchInfo<'_>| {}))
}

fn search(quiescence: bool) -> Search {
    Search::new(SearchOptions { hash_mb: 4, quiescence }).expect("there is memory")
}

fn ask(search: &mut Search, case: &Case, limit: Limits) -> SearchResult {
    with_host(|host| search.search(&mut Judgement::default(), &case.question(limit), host))
}

/// Depth, score, nodes and line of a report.
type Reported = (u32, Score, u64, Vec<Move>);

/// The reports of a search and its answer.
fn ask_with_reports(
    search: &mut Search,
    evaluator: &mut impl Evaluator,
    question: &SearchRequest<'_>,
    stop: &Flag,
) -> (Vec<Reported>, SearchResult) {
    let reports = RefCell::new(Vec::new());
    let reporter = |report: &SearchInfo<'_>| {
        reports.borrow_mut().push((report.depth, report.score, report.nodes, report.pv.to_vec()));
    };
    let host = Host::new(&rules::RULES, stop, &reporter);
    let answer = search.search(evaluator, question, &host);
    (reports.into_inner(), answer)
}
