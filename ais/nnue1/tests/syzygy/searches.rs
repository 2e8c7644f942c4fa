//! Requests for positions in the tables and near them.

use ai_api::{Bound, Limits, Move, NodeKind, Score, SearchRequest, Wdl, harness::Timing};

use crate::{ai, alone, fen};

const WIN: i32 = 20_000;

#[test]
fn root_scores_match_the_tables() {
    let _alone = alone();
    let mut ai = ai();
    for (text, limits, expected) in [
        (
            "8/8/8/8/8/2k5/8/K1B1N3 w - - 0 1",
            Limits::depth(3),
            Score::centipawns(WIN),
        ),
        (
            "8/8/8/8/8/2k5/8/K1B1N3 b - - 0 1",
            Limits::depth(3),
            Score::centipawns(WIN),
        ),
        (
            "8/8/8/8/8/2k5/8/K1B1N3 b - - 0 1",
            Limits::nodes(1),
            Score::centipawns(WIN),
        ),
        (
            "8/8/3k4/2r5/8/8/8/K3R3 b - - 0 1",
            Limits::depth(5),
            Score::DRAW,
        ),
        // The search proves the mate.
        (
            "8/8/8/8/8/1k6/7q/K7 b - - 0 1",
            Limits::depth(3),
            Score::mated_in_plies(1),
        ),
        // The fifty-move rule comes first.
        (
            "8/8/8/8/8/2k5/8/K1B1N3 w - - 90 80",
            Limits::depth(3),
            Score::DRAW,
        ),
    ] {
        let found = ai.search(&fen(text), limits).unwrap().result;
        assert_eq!(
            (found.score, found.bound),
            (expected, Bound::Exact),
            "{text} {limits}"
        );
        if expected == Score::DRAW {
            assert_eq!(
                found.wdl,
                Some(Wdl {
                    win: 0,
                    draw: 1000,
                    loss: 0
                }),
                "{text}"
            );
        }
    }
}

#[test]
fn plays_only_moves_that_keep_the_result() {
    let _alone = alone();
    let mut ai = ai();
    for (text, only) in [
        (
            "4k3/4P3/8/4K3/8/8/8/8 w - - 0 1",
            &["e5e6", "e5d6", "e5f6"][..],
        ),
        // Only promotions to a rook or a queen win.
        ("8/8/8/8/8/8/k1K1p3/8 b - - 0 1", &["e2e1r", "e2e1q"][..]),
        ("8/8/8/8/8/4k3/3p4/3K4 w - - 0 1", &["d1c2"][..]),
    ] {
        for nodes in [1, 2, 50, 5_000] {
            let found = ai.search(&fen(text), Limits::nodes(nodes)).unwrap();
            assert!(
                only.contains(&&*found.best_move.to_string()),
                "{text}: {}",
                found.best_move
            );
            assert!(found.result.nodes <= nodes);
        }
    }
}

#[test]
fn the_search_finds_the_captures_that_lead_into_the_tables() {
    let _alone = alone();
    let mut ai = ai();
    // Five pieces. Exchanging rooks leaves a pawn that cannot be stopped.
    let position = fen("8/8/8/8/2k5/8/r5RP/6K1 w - - 0 1");
    let found = ai.search(&position, Limits::depth(4)).unwrap();
    assert_eq!(found.best_move.to_string(), "g2a2");
    assert!(
        (WIN - 10..WIN).contains(&found.result.score.value()),
        "{:?}",
        found.result.score
    );
    // The exchange leaves a drawn ending with a rook pawn.
    let position = fen("8/8/8/8/1k6/8/r6P/R5K1 b - - 0 1");
    let found = ai.search(&position, Limits::depth(4)).unwrap();
    assert_eq!(found.best_move.to_string(), "a2a1");
    assert!(found.result.score.value().abs() <= WIN);
    for nodes in 1..300 {
        assert!(
            ai.search(&position, Limits::nodes(nodes))
                .unwrap()
                .result
                .nodes
                <= nodes
        );
    }
}

#[test]
fn orders_lines_by_result() {
    let _alone = alone();
    let mut ai = ai();
    let position = fen("4k3/4P3/8/4K3/8/8/8/8 w - - 0 1");
    let request = SearchRequest {
        lines: 8,
        ..SearchRequest::new(position, Limits::depth(4))
    };
    let found = ai.request(&request, Timing::default()).unwrap().result;
    let lines: Vec<_> = [(found.pv[0], found.score)]
        .into_iter()
        .chain(found.multipv.iter().map(|line| (line.moves[0], line.score)))
        .collect();
    assert_eq!(lines.len(), rules::legal_moves(&position).len().min(8));
    assert!(
        lines.is_sorted_by(|one, other| one.1 >= other.1),
        "{lines:?}"
    );
    assert!(
        lines[0].1.value() >= WIN && lines.last().unwrap().1 == Score::DRAW,
        "{lines:?}"
    );
}

#[test]
fn plays_root_moves_even_if_they_give_up_the_win() {
    let _alone = alone();
    let position = fen("4k3/4P3/8/4K3/8/8/8/8 w - - 0 1");
    let allowed: Vec<Move> = ["e5f5", "e5d5"]
        .map(|text| rules::parse_uci(&position, text).unwrap())
        .to_vec();
    let request = SearchRequest {
        root_moves: &allowed,
        ..SearchRequest::new(position, Limits::depth(4))
    };
    let found = ai().request(&request, Timing::default()).unwrap();
    assert!(allowed.contains(&found.best_move));
    assert_eq!(found.result.score, Score::DRAW);
}

#[test]
fn mate_and_trace_requests_work_in_tablebase_positions() {
    let _alone = alone();
    let mut ai = ai();
    let position = fen("k7/8/1K6/8/8/8/7Q/8 w - - 0 1");
    let limits = Limits {
        mate_plies: Some(1),
        ..Limits::NONE
    };
    assert_eq!(
        ai.search(&position, limits).unwrap().result.score,
        Score::mate_in_plies(1)
    );
    let request = SearchRequest {
        trace_nodes: 50,
        ..SearchRequest::new(position, Limits::depth(3))
    };
    let found = ai.request(&request, Timing::default()).unwrap().result;
    assert!(!found.trace.is_empty());
    let position = fen("8/8/8/8/8/2k5/8/K1B1N3 w - - 0 1");
    let request = SearchRequest {
        trace_nodes: 50,
        ..SearchRequest::new(position, Limits::depth(3))
    };
    let found = ai.request(&request, Timing::default()).unwrap().result;
    assert_eq!(
        (found.trace[0].score, found.trace[0].kind),
        (found.score, NodeKind::Other)
    );
}

#[test]
fn equal_requests_after_new_game_have_equal_results() {
    let _alone = alone();
    let mut ai = ai();
    let search = |ai: &mut ai_api::harness::Harness<ai_nnue1::Nnue1>, text| {
        ai.search(&fen(text), Limits::nodes(3_000)).unwrap().result
    };
    let texts = [
        "8/8/8/8/2k5/8/r5RP/6K1 w - - 0 1",
        "8/8/8/8/8/2k5/8/K1B1N3 w - - 0 1",
    ];
    let first = texts.map(|text| search(&mut ai, text));
    ai.new_game().unwrap();
    assert_eq!(texts.map(|text| search(&mut ai, text)), first);
}
