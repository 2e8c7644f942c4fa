//! Compares score and best move with plain negamax.

use ai_api::Limits;

use crate::{Case, new_search, plain::Plain, positions::varied, run, with_host};

/// The maximum number of leaves in a tree for plain negamax.
const AFFORDABLE_LEAVES: u64 = 2_000_000;

/// The maximum number of pieces for plain quiescence, which follows all captures.
const AFFORDABLE_PIECES: u32 = 7;

fn agrees(depth: u32, quiescence: bool) {
    let affordable = |case: &Case| {
        rules::perft(&case.position, depth) <= AFFORDABLE_LEAVES
            && !(quiescence && case.position.occupied().count() > AFFORDABLE_PIECES)
    };
    let cases: Vec<Case> = varied(6).into_iter().filter(affordable).collect();
    let wanted = if quiescence { 80 } else { 100 };
    assert!(
        cases.len() >= wanted,
        "only {} positions are cheap enough at depth {depth}",
        cases.len()
    );
    let mut search = new_search(quiescence);
    with_host(|host| {
        let mut plain = Plain::new(host, quiescence);
        for case in &cases {
            let limit = Limits::depth(depth);
            let expected = plain.best(&case.request(limit), depth);
            let result = run(&mut search, case, limit);
            assert_eq!(
                (result.best_move, result.score, result.depth),
                (Some(expected.0), expected.1, depth),
                "{} at depth {depth}",
                case.name
            );
        }
    });
}

#[test]
fn agrees_with_plain_negamax() {
    for depth in 1..=4 {
        agrees(depth, false);
    }
}

#[test]
fn quiescence_agrees_with_its_definition() {
    for depth in 1..=2 {
        agrees(depth, true);
    }
}

#[test]
fn chooses_the_first_of_equal_moves() {
    // Every king move of this drawn ending has the same score.
    let case = Case::of("7k/8/8/8/8/8/p7/K7 w - - 99 80");
    let first = rules::legal_moves(&case.position)[0];
    for depth in 1..=6 {
        let result = run(&mut new_search(false), &case, Limits::depth(depth));
        assert_eq!(result.best_move, Some(first), "depth {depth}");
    }
}
