//! Huo1's trace.

use ai_api::{Bound, Color, Move, NodeKind, Position, Role, SearchRequest, TraceNode};
use ai_huo1::MAX_TRACE_NODES;

use crate::{MIDDLEGAME, POSITIONS, at_depth, position, request, result};

fn trace(fen: &str, depth: u32, trace_nodes: u32) -> Vec<TraceNode> {
    result(&SearchRequest {
        trace_nodes,
        ..request(fen, depth)
    })
    .trace
}

/// Counts the legal moves without underpromotions.
fn searched_moves(position: &Position) -> usize {
    let is_searched = |chosen: &&Move| chosen.promotion().is_none_or(|role| role == Role::Queen);
    rules::legal_moves(position)
        .iter()
        .filter(is_searched)
        .count()
}

fn positions_of(fen: &str, trace: &[TraceNode]) -> Vec<Position> {
    let mut positions = vec![position(fen)];
    for node in &trace[1..] {
        let before = positions[node.parent as usize];
        assert!(
            rules::is_legal(&before, node.chosen),
            "{fen}: {}",
            node.chosen
        );
        positions.push(rules::play(&before, node.chosen));
    }
    positions
}

#[test]
fn the_trace_contains_every_root_move() {
    for fen in POSITIONS {
        let trace = trace(fen, 2, MAX_TRACE_NODES);
        assert_eq!(trace[0].parent, TraceNode::NO_PARENT);
        let returned = trace.iter().filter(|node| node.parent == 0).count();
        assert_eq!(returned, searched_moves(&position(fen)), "{fen}");
    }
}

#[test]
fn the_root_agrees_with_the_result() {
    for fen in POSITIONS {
        let root = trace(fen, 3, 10)[0];
        let returned = (root.score, root.depth, root.bound, root.kind);
        assert_eq!(
            returned,
            (at_depth(fen, 3).score, 3, Bound::Exact, NodeKind::Complete),
            "{fen}"
        );
    }
}

#[test]
fn values_propagate_from_the_leaves_to_the_root() {
    let mut propagated = 0;
    for fen in POSITIONS {
        let trace = trace(fen, 3, MAX_TRACE_NODES);
        let positions = positions_of(fen, &trace);
        for (place, (node, position)) in trace.iter().zip(&positions).enumerate() {
            let children: Vec<_> = trace
                .iter()
                .filter(|child| child.parent as usize == place)
                .collect();
            let has_all_moves = match node.kind {
                NodeKind::Complete => children.len() == searched_moves(position),
                NodeKind::Cutoff => trace.len() < MAX_TRACE_NODES as usize,
                _ => {
                    assert!(
                        children.is_empty(),
                        "{fen}: node {place} is {:?}",
                        node.kind
                    );
                    false
                }
            };
            let scores = children
                .iter()
                .filter(|child| child.kind != NodeKind::Pruned)
                .map(|child| child.score);
            let best = match position.turn() {
                Color::White => scores.max(),
                Color::Black => scores.min(),
            };
            if has_all_moves {
                assert_eq!(Some(node.score), best, "{fen}: node {place}");
                propagated += 1;
            }
        }
    }
    assert!(propagated > 200, "only {propagated}");
}

#[test]
fn a_trace_stays_within_its_limit_and_does_not_affect_results() {
    let whole = at_depth(MIDDLEGAME, 3);
    for trace_nodes in [1, 20, 400] {
        let result = result(&SearchRequest {
            trace_nodes,
            ..request(MIDDLEGAME, 3)
        });
        assert_eq!(result.trace.len(), trace_nodes as usize);
        assert_eq!(
            (result.score, result.nodes, result.pv),
            (whole.score, whole.nodes, whole.pv.clone())
        );
    }
    assert!(whole.trace.is_empty());
}
