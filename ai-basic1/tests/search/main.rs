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

use std::{cell::RefCell, sync::atomic::AtomicBool};

use ai_api::{Answer, Evaluator, Host, Limit, Move, Position, Question, Report, Score};
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

    fn question(&self, limit: Limit) -> Question<'_> {
        Question { history: self.history.as_slice(), ..Question::new(self.position, limit) }
    }
}

/// Gives `work` a host that nobody stops and that keeps no reports.
fn with_host<T>(work: impl FnOnce(&Host<'_>) -> T) -> T {
    let stop = AtomicBool::new(false);
    work(&Host::new(&rules::SERVICES, &stop, &|_: &Report<'_>| {}))
}

fn search(quiescence: bool) -> Search {
    Search::new(SearchOptions { hash_mb: 4, quiescence }).expect("there is memory")
}

fn ask(search: &mut Search, case: &Case, limit: Limit) -> Answer {
    with_host(|host| search.search(&mut Judgement::default(), &case.question(limit), host))
}

/// Depth, score, nodes and line of a report.
type Reported = (u32, Score, u64, Vec<Move>);

/// The reports of a search and its answer.
fn ask_with_reports(
    search: &mut Search,
    evaluator: &mut impl Evaluator,
    question: &Question<'_>,
    stop: &AtomicBool,
) -> (Vec<Reported>, Answer) {
    let reports = RefCell::new(Vec::new());
    let reporter = |report: &Report<'_>| {
        reports.borrow_mut().push((report.depth, report.score, report.nodes, report.line.to_vec()));
    };
    let host = Host::new(&rules::SERVICES, stop, &reporter);
    let answer = search.search(evaluator, question, &host);
    (reports.into_inner(), answer)
}
