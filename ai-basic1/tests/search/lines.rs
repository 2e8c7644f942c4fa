//! Several lines at once, and some moves alone.

use std::sync::atomic::AtomicBool;

use ai_api::{Answer, Limit, Move, Question, Score};
use ai_basic1::Judgement;

use crate::{Case, ask, plain::Plain, positions::varied, search, with_host};

const DEPTH: u32 = 3;

fn told(answer: &Answer) -> Vec<(Move, Score)> {
    let further = answer.further_lines.iter().map(|line| (line.moves[0], line.score));
    std::iter::once((answer.line[0], answer.score)).chain(further).collect()
}

fn cases() -> Vec<Case> {
    varied(4).into_iter().filter(|case| rules::perft(&case.position, DEPTH) <= 100_000).take(60).collect()
}

#[test]
fn each_line_is_the_best_that_the_lines_before_leave() {
    let mut search = search(false);
    with_host(|host| {
        let mut plain = Plain::new(host, false);
        for case in cases() {
            for lines in [2, 5, 300] {
                let question = Question { lines, ..case.question(Limit::Depth(DEPTH)) };
                let expected = plain.ranking(&question, DEPTH);
                let answer = search.search(&mut Judgement::default(), &question, host);
                let wanted = expected.len().min(lines as usize);
                assert_eq!(told(&answer), expected[..wanted], "{} with {lines} lines", case.name);
                assert!(answer.further_lines.iter().all(|line| line.depth == DEPTH), "{}", case.name);
            }
        }
    });
}

#[test]
fn only_the_moves_that_are_asked_for_are_played() {
    let mut search = search(false);
    with_host(|host| {
        let mut plain = Plain::new(host, false);
        for case in cases() {
            let moves = host.legal_moves(&case.position);
            let some: Vec<_> = moves.iter().rev().step_by(3).copied().collect();
            let question = Question { root_moves: some.as_slice(), ..case.question(Limit::Depth(DEPTH)) };
            let answer = search.search(&mut Judgement::default(), &question, host);
            assert_eq!(told(&answer), [plain.best(&question, DEPTH)], "{}", case.name);
        }
    });
}

#[test]
fn a_search_that_is_cut_short_tells_different_moves() {
    let mut search = search(true);
    with_host(|host| {
        for case in cases() {
            let legal = host.legal_moves(&case.position).len();
            for nodes in [1, 2, 50, 777, 3000] {
                let question = Question { lines: 4, ..case.question(Limit::Nodes(nodes)) };
                let answer = search.search(&mut Judgement::default(), &question, host);
                let mut moves: Vec<_> = told(&answer).into_iter().map(|(chosen, _)| chosen).collect();
                assert!(moves.len() <= legal.min(4) && answer.nodes <= nodes, "{}", case.name);
                moves.sort_unstable();
                moves.dedup();
                assert_eq!(moves.len(), 1 + answer.further_lines.len(), "{}", case.name);
            }
        }
    });
}

#[test]
fn each_line_is_reported_with_its_number() {
    let case = Case::of("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let stop = AtomicBool::new(false);
    let numbers = std::cell::RefCell::new(Vec::new());
    let reporter =
        |report: &ai_api::Report<'_>| numbers.borrow_mut().push((report.depth, report.line_number));
    let host = ai_api::Host::new(&rules::SERVICES, &stop, &reporter);
    let question = Question { lines: 2, ..case.question(Limit::Depth(2)) };
    search(true).search(&mut Judgement::default(), &question, &host);
    assert_eq!(numbers.into_inner(), [(1, 1), (1, 2), (2, 1), (2, 2)]);
}

#[test]
fn further_lines_change_nothing_of_the_best() {
    let mut search = search(false);
    for case in cases() {
        let alone = ask(&mut search, &case, Limit::Depth(DEPTH));
        let with_others = with_host(|host| {
            let question = Question { lines: 3, ..case.question(Limit::Depth(DEPTH)) };
            search.search(&mut Judgement::default(), &question, host)
        });
        assert_eq!(
            (with_others.best_move, with_others.score),
            (alone.best_move, alone.score),
            "{}",
            case.name
        );
    }
}
