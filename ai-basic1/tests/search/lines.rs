//! Several lines at once, and some moves alone.

use ai_api::{Flag, Limits, Move, Score, SearchRequest, SearchResult};
use ai_basic1::Judgement;

use crate::{Case, ask, plain::Plain, positions::varied, search, with_host};

const DEPTH: u32 = 3;

fn told(answer: &SearchResult) -> Vec<(Move, Score)> {
    let further = answer.multipv.iter().map(|line| (line.moves[0], line.score));
    std::iter::once((answer.pv[0], answer.score)).chain(further).collect()
}

fn cases() -> Vec<Case> {
    varied(4).into_iter().filter(|case| rules::perft(&case.position, DEPTH) <= 100_000).take(60).collect()
}

#[test]
fn each_line_is_the_best_of_the_remaining_moves() {
    let mut search = search(false);
    with_host(|host| {
        let mut plain = Plain::new(host, false);
        for case in cases() {
            for lines in [2, 5, 300] {
                let question = SearchRequest { lines, ..case.question(Limits::depth(DEPTH)) };
                let expected = plain.ranking(&question, DEPTH);
                let answer = search.search(&mut Judgement::default(), &question, host);
                let wanted = expected.len().min(lines as usize);
                assert_eq!(told(&answer), expected[..wanted], "{} with {lines} lines", case.name);
                assert!(answer.multipv.iter().all(|line| line.depth == DEPTH), "{}", case.name);
            }
        }
    });
}

#[test]
fn searches_only_the_root_moves() {
    let mut search = search(false);
    with_host(|host| {
        let mut plain = Plain::new(host, false);
        for case in cases() {
            let moves = host.legal_moves(&case.position);
            let some: Vec<_> = moves.iter().rev().step_by(3).copied().collect();
            let question =
                SearchRequest { root_moves: some.as_slice(), ..case.question(Limits::depth(DEPTH)) };
            let answer = search.search(&mut Judgement::default(), &question, host);
            assert_eq!(told(&answer), [plain.best(&question, DEPTH)], "{}", case.name);
        }
    });
}

#[test]
fn an_interrupted_search_returns_distinct_lines() {
    let mut search = search(true);
    with_host(|host| {
        for case in cases() {
            let legal = host.legal_moves(&case.position).len();
            for nodes in [1, 2, 50, 777, 3000] {
                let question = SearchRequest { lines: 4, ..case.question(Limits::nodes(nodes)) };
                let answer = search.search(&mut Judgement::default(), &question, host);
                let mut moves: Vec<_> = told(&answer).into_iter().map(|(chosen, _)| chosen).collect();
                assert!(moves.len() <= legal.min(4) && answer.nodes <= nodes, "{}", case.name);
                moves.sort_unstable();
                moves.dedup();
                assert_eq!(moves.len(), 1 + answer.multipv.len(), "{}", case.name);
            }
        }
    });
}

#[test]
fn reports_each_line_with_its_number() {
    let case = Case::of("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let stop = Flag::new(false);
    let numbers = std::cell::RefCell::new(Vec::new());
    let reporter =
        |report: &ai_api::SearchInfo<'_>| numbers.borrow_mut().push((report.depth, report.pv_number));
    let host = ai_api::Host::new(&rules::RULES, &stop, &reporter);
    let question = SearchRequest { lines: 2, ..case.question(Limits::depth(2)) };
    search(true).search(&mut Judgement::default(), &question, &host);
    assert_eq!(numbers.into_inner(), [(1, 1), (1, 2), (2, 1), (2, 2)]);
}

#[test]
fn multipv_does_not_change_the_best_line() {
    let mut search = search(false);
    for case in cases() {
        let alone = ask(&mut search, &case, Limits::depth(DEPTH));
        let with_others = with_host(|host| {
            let question = SearchRequest { lines: 3, ..case.question(Limits::depth(DEPTH)) };
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
