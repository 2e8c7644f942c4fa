//! Checks which of the search's switches keep every score, and what the others may change.

use ai_api::{Limits, Role, Score};
use ai_search::{Search, SearchOptions};

use crate::{Case, positions::varied, run};

const EXACT: SearchOptions = SearchOptions {
    hash_mb: 4,
    ..SearchOptions::EXACT
};
const DEFAULT: fn() -> SearchOptions = || SearchOptions {
    hash_mb: 4,
    ..SearchOptions::default()
};

fn search(options: SearchOptions) -> Search {
    Search::new(options).expect("enough memory")
}

#[test]
fn exact_switches_change_neither_score_nor_move() {
    let switches: [(&str, SearchOptions); 4] = [
        (
            "pvs",
            SearchOptions {
                pvs: false,
                ..EXACT
            },
        ),
        (
            "aspiration",
            SearchOptions {
                aspiration: false,
                ..EXACT
            },
        ),
        (
            "killers",
            SearchOptions {
                killers: true,
                ..EXACT
            },
        ),
        (
            "history",
            SearchOptions {
                history: false,
                ..EXACT
            },
        ),
    ];
    for quiescence in [false, true] {
        let with = |options| {
            search(SearchOptions {
                quiescence,
                ..options
            })
        };
        let mut expected = with(EXACT);
        for (name, options) in switches {
            let mut changed = with(options);
            let mut other_trees = 0;
            for case in varied(2) {
                let expected = run(&mut expected, &case, Limits::depth(5));
                let result = run(&mut changed, &case, Limits::depth(5));
                assert_eq!(
                    (result.score, result.best_move),
                    (expected.score, expected.best_move),
                    "{} with {name} changed",
                    case.name
                );
                other_trees += usize::from(result.nodes != expected.nodes);
            }
            assert!(other_trees > 0, "{name} has an effect");
        }
    }
}

#[test]
fn every_technique_saves_nodes() {
    let cases: Vec<Case> = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    ]
    .map(Case::of)
    .into();
    let nodes = |options| {
        let mut search = search(options);
        cases
            .iter()
            .map(|case| run(&mut search, case, Limits::depth(6)).nodes)
            .sum::<u64>()
    };
    let all = nodes(DEFAULT());
    for (name, options) in [
        (
            "pvs",
            SearchOptions {
                pvs: false,
                ..DEFAULT()
            },
        ),
        (
            "history",
            SearchOptions {
                history: false,
                ..DEFAULT()
            },
        ),
        (
            "null_move",
            SearchOptions {
                null_move: false,
                ..DEFAULT()
            },
        ),
        (
            "late_move_reductions",
            SearchOptions {
                late_move_reductions: false,
                ..DEFAULT()
            },
        ),
    ] {
        let without = nodes(options);
        assert!(
            without > all,
            "{name}: {without} nodes without, {all} with it"
        );
    }
    assert!(2 * all < nodes(EXACT), "{all}");
}

#[test]
fn selective_searches_are_repeatable() {
    let mut busy = search(DEFAULT());
    for limit in [Limits::depth(6), Limits::nodes(20_000)] {
        for case in varied(1) {
            let fresh = run(&mut search(DEFAULT()), &case, limit);
            busy.new_game();
            assert_eq!(run(&mut busy, &case, limit), fresh, "{}", case.name);
        }
    }
}

#[test]
fn tries_null_moves_only_with_pieces() {
    let mut exact = search(EXACT);
    let mut passing = search(SearchOptions {
        null_move: true,
        ..EXACT
    });
    let pawns_only = |case: &Case| {
        [Role::Knight, Role::Bishop, Role::Rook, Role::Queen]
            .iter()
            .all(|&role| {
                ai_api::Color::ALL
                    .iter()
                    .all(|&color| case.position.pieces(color, role).is_empty())
            })
    };
    // Mutual zugzwang: the side to move loses the pawn or the win, and a pass would avoid that.
    let zugzwang = [
        "8/8/8/3pK3/2kP4/8/8/8 w - - 0 1",
        "8/8/1p1k4/1P6/1K6/8/8/8 b - - 0 1",
    ]
    .map(Case::of);
    let cases: Vec<Case> = varied(4)
        .into_iter()
        .filter(pawns_only)
        .chain(zugzwang)
        .collect();
    assert!(cases.len() > 5, "{} pawn endings", cases.len());
    for case in cases {
        // Deep enough for null moves, but too shallow to reach a promotion.
        let limit = Limits::depth(5);
        let (expected, result) = (
            run(&mut exact, &case, limit),
            run(&mut passing, &case, limit),
        );
        assert_eq!(result.score, expected.score, "{}", case.name);
    }
}

#[test]
fn finds_mates_by_default() {
    for (fen, moves) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 3),
        ("8/7k/8/8/8/8/R7/1R4K1 w - - 0 1", 3),
    ] {
        let plies = 2 * moves - 1;
        let mate = Score::mate_in_plies(plies);
        // A mate by a move that is searched less deeply may take two more plies to find.
        let result = run(
            &mut search(DEFAULT()),
            &Case::of(fen),
            Limits::depth(plies + 2),
        );
        assert_eq!(result.score, mate, "{fen}");
        // A mate limit is exact.
        let limit = Limits {
            mate_plies: Some(plies),
            ..Limits::NONE
        };
        let result = run(&mut search(DEFAULT()), &Case::of(fen), limit);
        assert_eq!(result.score, mate, "{fen}");
    }
}
