//! Several lines, root moves and traces.

use std::collections::BTreeSet;

use ai_api::{Limits, SearchRequest, SearchResult, TraceNode};

use crate::{ENDING, MIDDLEGAME, START, TACTICAL, ai, fen, request, value};

#[test]
fn lines_begin_with_different_moves_and_are_ordered_by_value() {
    for text in [START, MIDDLEGAME, TACTICAL, ENDING] {
        let position = fen(text);
        let asked = SearchRequest {
            lines: 4,
            ..SearchRequest::new(position, Limits::depth(6))
        };
        let result = request(&mut ai(), &asked).result;
        let mut firsts = BTreeSet::from([result.pv[0].to_bits()]);
        let mut values = vec![value(&position, result.score)];
        for line in &result.multipv {
            firsts.insert(line.moves[0].to_bits());
            values.push(value(&position, line.score));
        }
        assert_eq!((firsts.len(), values.len()), (4, 4), "{text}");
        assert!(
            values.is_sorted_by(|better, worse| better >= worse),
            "{text}: {values:?}"
        );
    }
}

#[test]
fn plays_only_root_moves() {
    let position = fen(START);
    let all = rules::legal_moves(&position);
    for root_moves in [&all[3..4], &all[5..8]] {
        let asked = SearchRequest {
            root_moves,
            lines: 9,
            ..SearchRequest::new(position, Limits::depth(4))
        };
        let result = request(&mut ai(), &asked).result;
        assert!(root_moves.contains(&result.best_move.unwrap()));
        assert!(
            result
                .multipv
                .iter()
                .all(|line| root_moves.contains(&line.moves[0]))
        );
        assert_eq!(result.multipv.len() + 1, root_moves.len());
    }
}

#[test]
fn a_trace_is_a_tree_of_legal_moves_and_changes_nothing() {
    for text in [MIDDLEGAME, TACTICAL, ENDING] {
        let position = fen(text);
        for depth in [1, 5, 8] {
            let plain = SearchRequest::new(position, Limits::depth(depth));
            let expected = request(&mut ai(), &plain).result;
            let result = request(
                &mut ai(),
                &SearchRequest {
                    trace_nodes: 300,
                    ..plain
                },
            )
            .result;
            assert_eq!(
                SearchResult {
                    trace: Vec::new(),
                    ..result.clone()
                },
                expected,
                "{text}"
            );
            assert_eq!(
                (result.trace[0].parent, result.trace[0].score),
                (TraceNode::NO_PARENT, result.score)
            );
            let mut positions = vec![position];
            let mut moves = BTreeSet::new();
            for node in &result.trace[1..] {
                let before = positions[node.parent as usize];
                assert!(
                    rules::is_legal(&before, node.chosen),
                    "{text}: {}",
                    node.chosen
                );
                assert!(
                    moves.insert((node.parent, node.chosen.to_bits())),
                    "{text}: {} twice",
                    node.chosen
                );
                positions.push(rules::play(&before, node.chosen));
            }
        }
    }
}
