//! Checks the trace of a search.

use std::collections::BTreeSet;

use ai_api::{
    Bound, Color, Evaluator, Limits, Move, NodeKind, Position, Score, SearchRequest, SearchResult,
    TraceNode,
};
use ai_basic1::Evaluation;

use crate::{
    Case, MIDDLEGAME, new_search, positions::varied, run, run_request, score_for,
    search_with_reports, with_host,
};

const WHOLE: u32 = ai_search::MAX_TRACE_NODES;

fn traced(quiescence: bool, case: &Case, limit: Limits, trace_nodes: u32) -> SearchResult {
    run_request(
        &mut new_search(quiescence),
        &SearchRequest {
            trace_nodes,
            ..case.request(limit)
        },
    )
}

/// Returns the positions of a trace's nodes, and checks that their moves are legal.
fn positions_of(case: &Case, trace: &[TraceNode]) -> Vec<Position> {
    assert_eq!(trace[0].parent, TraceNode::NO_PARENT, "{}", case.name);
    let mut positions = vec![case.position];
    for (place, node) in trace.iter().enumerate().skip(1) {
        assert!(
            (node.parent as usize) < place,
            "{}: node {place} before its parent",
            case.name
        );
        let before = positions[node.parent as usize];
        assert!(
            rules::is_legal(&before, node.chosen),
            "{}: {} in node {place}",
            case.name,
            node.chosen
        );
        positions.push(rules::play(&before, node.chosen));
    }
    positions
}

fn children(trace: &[TraceNode], place: usize) -> Vec<&TraceNode> {
    trace
        .iter()
        .filter(|node| node.parent as usize == place)
        .collect()
}

#[test]
fn a_trace_is_a_tree_of_unique_legal_moves() {
    for case in varied(4) {
        for most in [1, 2, 30, 400] {
            let result = traced(true, &case, Limits::depth(3), most);
            let trace = &result.trace;
            assert!(
                !trace.is_empty() && trace.len() <= most as usize,
                "{}: {}",
                case.name,
                trace.len()
            );
            positions_of(&case, trace);
            let moves: BTreeSet<_> = trace
                .iter()
                .map(|node| (node.parent, node.chosen.to_bits()))
                .collect();
            assert_eq!(moves.len(), trace.len(), "{}", case.name);
        }
    }
}

#[test]
fn a_trace_does_not_affect_the_result() {
    for case in varied(4) {
        for limit in [Limits::depth(4), Limits::nodes(3000)] {
            let result = run(&mut new_search(true), &case, limit);
            let with_trace = traced(true, &case, limit, 500);
            assert!(!with_trace.trace.is_empty(), "{}", case.name);
            assert_eq!(
                SearchResult {
                    trace: result.trace.clone(),
                    ..with_trace
                },
                result,
                "{}",
                case.name
            );
        }
    }
}

#[test]
fn the_root_of_a_trace_agrees_with_the_result() {
    for case in varied(4) {
        for quiescence in [false, true] {
            let result = traced(quiescence, &case, Limits::depth(3), 300);
            let root = result.trace[0];
            let expected = (result.score, 3, Bound::Exact, NodeKind::Complete);
            assert_eq!(
                (root.score, root.depth, root.bound, root.kind),
                expected,
                "{}",
                case.name
            );
            assert_eq!((root.alpha, root.beta), (Score::MIN, Score::MAX));
            let chosen = result.best_move;
            let children = children(&result.trace, 0);
            let best = children
                .iter()
                .find(|node| Some(node.chosen) == chosen)
                .expect("the best move leads to a child");
            assert_eq!(
                (best.score, best.bound, best.depth),
                (result.score, Bound::Exact, 2),
                "{}",
                case.name
            );
        }
    }
}

#[test]
fn values_propagate_from_the_leaves() {
    let mut propagated = 0;
    for case in varied(4) {
        for quiescence in [false, true] {
            let trace = traced(quiescence, &case, Limits::depth(3), WHOLE).trace;
            let positions = positions_of(&case, &trace);
            for (place, (node, position)) in trace.iter().zip(&positions).enumerate() {
                let children = children(&trace, place);
                let best = children
                    .iter()
                    .map(|child| score_for(position.turn(), child.score))
                    .max();
                let legal = rules::legal_moves(position).len();
                let (Some(best), score) = (best, score_for(position.turn(), node.score)) else {
                    continue;
                };
                match node.kind {
                    NodeKind::Complete if children.len() == legal => {
                        assert_eq!(score, best, "{}: node {place}", case.name);
                        propagated += 1;
                    }
                    NodeKind::Cutoff if node.depth > 0 => {
                        assert!(score >= best, "{}: node {place}", case.name);
                    }
                    NodeKind::StaticEval => {
                        assert!(quiescence && score >= best, "{}: node {place}", case.name);
                    }
                    NodeKind::Complete | NodeKind::Cutoff => {}
                    other => panic!("{}: node {place} is {other:?} and has moves", case.name),
                }
            }
        }
    }
    assert!(
        propagated > 2000,
        "only {propagated} nodes have all their moves"
    );
}

#[test]
fn exact_nodes_of_a_trace_agree_with_minimax() {
    let mut repetitions = 0;
    for case in varied(2) {
        let trace = traced(false, &case, Limits::depth(2), WHOLE).trace;
        let positions = positions_of(&case, &trace);
        for (node, position) in trace.iter().zip(&positions) {
            let lost = Score::mated_in_plies(if node.depth == 0 { 2 } else { 1 });
            let lost = if position.turn() == Color::White {
                lost
            } else {
                -lost
            };
            match node.kind {
                NodeKind::StaticEval => with_host(|host| {
                    let value = Evaluation::default().evaluate(position, host);
                    assert_eq!(
                        (node.score, node.bound),
                        (value, Bound::Exact),
                        "{}",
                        case.name
                    );
                }),
                NodeKind::Checkmate => {
                    assert!(
                        position.in_check() && rules::legal_moves(position).is_empty(),
                        "{}",
                        case.name
                    );
                    assert_eq!(
                        (node.score, node.bound),
                        (lost, Bound::Exact),
                        "{}",
                        case.name
                    );
                }
                NodeKind::Stalemate => {
                    assert!(
                        !position.in_check() && rules::legal_moves(position).is_empty(),
                        "{}",
                        case.name
                    );
                    assert_eq!(node.score, Score::DRAW);
                }
                NodeKind::InsufficientMaterial => {
                    assert!(rules::is_insufficient_material(position));
                }
                NodeKind::FiftyMoves => assert!(position.halfmove_clock() >= 100, "{}", case.name),
                NodeKind::Repetition => {
                    let earlier = case
                        .history
                        .iter()
                        .filter(|&&earlier| earlier == position.hash());
                    assert!(earlier.count() >= 2, "{}", case.name);
                    repetitions += 1;
                }
                _ => {}
            }
        }
    }
    assert!(
        repetitions >= 10,
        "only {repetitions} nodes repeat the game"
    );
}

#[test]
fn a_trace_contains_every_node_kind() {
    let cases = varied(4);
    let returned: BTreeSet<_> = cases
        .iter()
        .flat_map(|case| {
            traced(true, case, Limits::depth(4), WHOLE)
                .trace
                .into_iter()
                .collect::<Vec<_>>()
        })
        .map(|node| node.kind as u8)
        .collect();
    let expected = NodeKind::ALL
        .iter()
        .filter(|kind| !matches!(kind, NodeKind::Stopped | NodeKind::Other));
    assert_eq!(returned, expected.map(|&kind| kind as u8).collect());
}

#[test]
fn a_short_trace_keeps_the_nodes_closest_to_the_root() {
    let case = Case::of(MIDDLEGAME);
    let plies = |trace: &[TraceNode]| {
        let mut plies = vec![0_usize];
        for node in &trace[1..] {
            plies.push(plies[node.parent as usize] + 1);
        }
        plies
    };
    let legal = rules::legal_moves(&case.position).len();
    for most in [10, legal as u32 + 1, 60, 1000] {
        let trace = traced(true, &case, Limits::depth(5), most).trace;
        let plies = plies(&trace);
        let of_ply = |ply| plies.iter().filter(|&&other| other == ply).count();
        assert_eq!(of_ply(1), legal.min(most as usize - 1), "{most} nodes");
        assert_eq!(of_ply(2) > 0, most as usize > legal + 1, "{most} nodes");
    }
}

#[test]
fn a_stopped_search_traces_the_last_iteration() {
    for case in varied(1) {
        for nodes in [1, 2, 40, 700, 5000] {
            let request = SearchRequest {
                trace_nodes: 200,
                ..case.request(Limits::nodes(nodes))
            };
            let stop = ai_api::Flag::new(false);
            let (reports, result) = search_with_reports(
                &mut new_search(true),
                &mut Evaluation::default(),
                &request,
                &stop,
            );
            let root = result.trace[0];
            match reports.last() {
                Some(&(depth, score, ..)) => {
                    assert_eq!(
                        (root.depth, root.score, root.kind),
                        (depth, score, NodeKind::Complete)
                    );
                }
                None => assert_eq!(
                    (result.trace.len(), root.kind),
                    (1, NodeKind::Stopped),
                    "{}",
                    case.name
                ),
            }
        }
    }
}

#[test]
fn windows_and_bounds_are_from_whites_point_of_view() {
    let case = Case::of("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10");
    let trace = traced(true, &case, Limits::depth(3), 500).trace;
    for node in &trace {
        assert!(node.alpha <= node.beta, "{node:?}");
        match node.bound {
            Bound::Lower => assert!(node.score >= node.beta, "{node:?}"),
            Bound::Upper => assert!(node.score <= node.alpha, "{node:?}"),
            Bound::Exact => {}
        }
    }
    // Black's other moves are worse for Black, so their values for White are lower bounds.
    let worse = children(&trace, 0);
    assert!(
        worse
            .iter()
            .filter(|node| node.bound == Bound::Lower)
            .count()
            > 10
    );
    assert!(
        worse
            .iter()
            .all(|node| node.bound != Bound::Upper && node.chosen != Move::from_bits(0))
    );
}
