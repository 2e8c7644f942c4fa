//! Tests several lines and root moves.

use ai_api::{Flag, Limits, Move, Score, SearchRequest, SearchResult};
use ai_basic1::Evaluation;

use crate::{
    Case, START, new_search, plain::Plain, positions::varied, run, run_request, with_host,
};

const DEPTH: u32 = 3;

fn returned(result: &SearchResult) -> Vec<(Move, Score)> {
    let further = result
        .multipv
        .iter()
        .map(|line| (line.moves[0], line.score));
    std::iter::once((result.pv[0], result.score))
        .chain(further)
        .collect()
}

fn cases() -> Vec<Case> {
    varied(4)
        .into_iter()
        .filter(|case| rules::perft(&case.position, DEPTH) <= 100_000)
        .take(60)
        .collect()
}

#[test]
fn each_line_is_the_best_of_the_remaining_moves() {
    let mut search = new_search(false);
    with_host(|host| {
        let mut plain = Plain::new(host, false);
        for case in cases() {
            for lines in [2, 5, 300] {
                let request = SearchRequest {
                    lines,
                    ..case.request(Limits::depth(DEPTH))
                };
                let expected = plain.ranking(&request, DEPTH);
                let result = run_request(&mut search, &request);
                let wanted = expected.len().min(lines as usize);
                assert_eq!(
                    returned(&result),
                    expected[..wanted],
                    "{} with {lines} lines",
                    case.name
                );
                assert!(
                    result.multipv.iter().all(|line| line.depth == DEPTH),
                    "{}",
                    case.name
                );
            }
        }
    });
}

#[test]
fn plays_only_root_moves() {
    let mut search = new_search(false);
    with_host(|host| {
        let mut plain = Plain::new(host, false);
        for case in cases() {
            let moves = host.legal_moves(&case.position);
            let some: Vec<_> = moves.iter().rev().step_by(3).copied().collect();
            let request = SearchRequest {
                root_moves: some.as_slice(),
                ..case.request(Limits::depth(DEPTH))
            };
            let result = run_request(&mut search, &request);
            assert_eq!(
                returned(&result),
                [plain.best(&request, DEPTH)],
                "{}",
                case.name
            );
        }
    });
}

#[test]
fn a_stopped_search_returns_distinct_lines() {
    let mut search = new_search(true);
    for case in cases() {
        let legal = rules::legal_moves(&case.position).len();
        for nodes in [1, 2, 50, 777, 3000] {
            let request = SearchRequest {
                lines: 4,
                ..case.request(Limits::nodes(nodes))
            };
            let result = run_request(&mut search, &request);
            let mut moves: Vec<_> = returned(&result)
                .into_iter()
                .map(|(chosen, _)| chosen)
                .collect();
            assert!(
                moves.len() <= legal.min(4) && result.nodes <= nodes,
                "{}",
                case.name
            );
            moves.sort_unstable();
            moves.dedup();
            assert_eq!(moves.len(), 1 + result.multipv.len(), "{}", case.name);
        }
    }
}

#[test]
fn each_line_is_reported_with_its_number() {
    let case = Case::of(START);
    let stop = Flag::new(false);
    let numbers = std::cell::RefCell::new(Vec::new());
    let reporter = |report: &ai_api::SearchInfo<'_>| {
        numbers.borrow_mut().push((report.depth, report.pv_number));
    };
    let host = ai_api::Host::new(&rules::RULES, &stop, &reporter);
    let request = SearchRequest {
        lines: 2,
        ..case.request(Limits::depth(2))
    };
    new_search(true).search(&mut Evaluation::default(), &request, &host);
    assert_eq!(numbers.into_inner(), [(1, 1), (1, 2), (2, 1), (2, 2)]);
}

#[test]
fn more_lines_do_not_affect_the_best_line() {
    let mut search = new_search(false);
    for case in cases() {
        let alone = run(&mut search, &case, Limits::depth(DEPTH));
        let request = SearchRequest {
            lines: 3,
            ..case.request(Limits::depth(DEPTH))
        };
        let first = run_request(&mut search, &request);
        assert_eq!(
            (first.best_move, first.score),
            (alone.best_move, alone.score),
            "{}",
            case.name
        );
    }
}
