//! Checks that identical requests after a new game give identical results and node counts.

use ai_api::{Limits, SearchResult};
use ai_search::{Search, SearchOptions};

use crate::{Case, MIDDLEGAME, START, new_search, positions::varied, run};

#[test]
fn equal_limits_give_equal_results() {
    let cases: Vec<Case> = varied(2);
    for limit in [Limits::depth(4), Limits::nodes(20_000)] {
        let mut busy = new_search(true);
        let mut run_busy = |case| {
            busy.new_game();
            run(&mut busy, case, limit)
        };
        let first: Vec<_> = cases.iter().map(&mut run_busy).collect();
        let again: Vec<_> = cases.iter().rev().map(&mut run_busy).collect();
        for ((case, first), again) in cases.iter().zip(&first).zip(again.iter().rev()) {
            let fresh = run(&mut new_search(true), case, limit);
            assert_eq!((first, again), (&fresh, &fresh), "{} {limit:?}", case.name);
        }
    }
}

#[test]
fn equal_games_have_equal_results() {
    let cases: Vec<Case> = varied(2);
    let play = |search: &mut Search| {
        search.new_game();
        cases
            .iter()
            .chain(&cases)
            .map(|case| run(search, case, Limits::depth(4)))
            .collect::<Vec<_>>()
    };
    let mut search = new_search(true);
    let first = play(&mut search);
    assert_eq!(play(&mut search), first);
    let (nodes, again) = first.split_at(cases.len());
    let sum = |results: &[SearchResult]| results.iter().map(|result| result.nodes).sum::<u64>();
    assert!(
        sum(again) < sum(nodes),
        "the second time, the table knows the positions"
    );
}

#[test]
fn a_full_table_gives_equal_results() {
    let small = || {
        Search::new(SearchOptions {
            hash_mb: 0,
            quiescence: true,
            ..SearchOptions::EXACT
        })
        .unwrap()
    };
    let cases = varied(1);
    let mut busy = small();
    for case in cases.iter().chain(cases.iter().rev()) {
        let limit = Limits::depth(4);
        busy.new_game();
        assert_eq!(
            run(&mut busy, case, limit),
            run(&mut small(), case, limit),
            "{}",
            case.name
        );
    }
}

#[test]
fn the_size_of_the_table_does_not_change_the_score() {
    let mut tiny = Search::new(SearchOptions {
        hash_mb: 0,
        quiescence: false,
        ..SearchOptions::EXACT
    })
    .unwrap();
    for case in varied(2) {
        let [big, small] = [
            run(&mut new_search(false), &case, Limits::depth(4)),
            run(&mut tiny, &case, Limits::depth(4)),
        ];
        assert_eq!(
            (big.score, big.best_move),
            (small.score, small.best_move),
            "{}",
            case.name
        );
    }
}

#[test]
fn searches_good_moves_first() {
    // Each bound is slightly above the current count. Without one of the ordering heuristics, a
    // count exceeds its bound.
    for (fen, quiescence, max_nodes) in [
        (START, false, 79_000),
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            true,
            520_000,
        ),
        (MIDDLEGAME, true, 490_000),
    ] {
        let mut search = Search::new(SearchOptions {
            hash_mb: 16,
            quiescence,
            ..SearchOptions::EXACT
        })
        .unwrap();
        let nodes = run(&mut search, &Case::of(fen), Limits::depth(6)).nodes;
        assert!(nodes < max_nodes, "{fen}: {nodes} positions");
    }
}
