//! Limits and cleans what an AI returns. The worker does this before it sends a reply. The host
//! repeats this, because an AI can write frames to the socket itself.

use ai_api::{AiError, EvalTerm, MAX_MOVES, Score, TraceNode};

use crate::{
    job::{Iteration, MAX_LINES, MAX_TRACE_NODES, Response, SearchParams},
    messages::Refusal,
};
use text::is_control_or_bidi;

const MAX_LINE_MOVES: usize = 256;
const MAX_TERMS: usize = 64;
const MAX_NAME_CHARS: usize = 64;
const MAX_MESSAGE_CHARS: usize = 1000;
/// Enough room for the reasons if every part of a sandbox is missing.
const MAX_REFUSAL_CHARS: usize = 4000;
const MAX_DETAIL_CHARS: usize = 30_000;

/// The largest count: the largest integer that every JSON parser represents exactly.
pub const MAX_COUNT: u64 = (1 << 53) - 1;

/// Returns the nearest score that an unfinished game can have: at best, the next move mates.
fn score(score: Score) -> Score {
    score.clamp(Score::mated_in_plies(1), Score::mate_in_plies(1))
}

/// Limits a response to what the job requested.
pub fn response(response: Response, params: &SearchParams) -> Response {
    match response {
        Response::Searched(mut result) => {
            result.score = score(result.score);
            result.nodes = result.nodes.min(MAX_COUNT);
            result.pv.truncate(MAX_LINE_MOVES);
            let further = params.lines.clamp(1, MAX_LINES) - 1;
            result.multipv.truncate(further as usize);
            for line in &mut result.multipv {
                line.score = score(line.score);
                line.moves.truncate(MAX_LINE_MOVES);
            }
            result.trace.truncate(tree_length(
                &result.trace,
                params.trace_nodes.min(MAX_TRACE_NODES),
            ));
            Response::Searched(result)
        }
        Response::Evaluated(total, terms) => {
            let bounded =
                |term: EvalTerm| EvalTerm::new(&cut(&term.name, MAX_NAME_CHARS), score(term.score));
            Response::Evaluated(
                score(total),
                terms.into_iter().take(MAX_TERMS).map(bounded).collect(),
            )
        }
        Response::Probed(mut probed) => {
            if let Some(found) = &mut probed.found {
                found.moves.truncate(MAX_MOVES);
            }
            Response::Probed(probed)
        }
    }
}

pub fn iteration(mut iteration: Iteration) -> Iteration {
    iteration.score = score(iteration.score);
    iteration.nodes = iteration.nodes.min(MAX_COUNT);
    iteration.pv.truncate(MAX_LINE_MOVES);
    iteration.tablebase_hits = iteration.tablebase_hits.min(MAX_COUNT);
    iteration.hashfull = iteration.hashfull.min(1000);
    iteration.text = iteration.text.map(|text| visible(&text, MAX_MESSAGE_CHARS));
    iteration
}

/// Returns how many leading nodes form a tree: one root, then nodes that follow their parents.
fn tree_length(nodes: &[TraceNode], most: u32) -> usize {
    let belongs = |(index, node): &(usize, &TraceNode)| match *index {
        0 => node.parent == TraceNode::NO_PARENT,
        index => (node.parent as usize) < index,
    };
    nodes
        .iter()
        .take(most as usize)
        .enumerate()
        .take_while(belongs)
        .count()
}

/// Returns a log message on one line.
pub fn log_message(message: &str) -> String {
    visible(message, MAX_MESSAGE_CHARS)
}

/// Returns an error whose message is one line.
pub fn error(mut error: AiError) -> AiError {
    error.message = visible(&error.message, MAX_MESSAGE_CHARS);
    error
}

pub fn refusal(Refusal { message, details }: Refusal) -> Refusal {
    let details: Vec<_> = cut(&details, MAX_DETAIL_CHARS)
        .lines()
        .map(|line| visible(line, MAX_DETAIL_CHARS))
        .collect();
    Refusal {
        message: visible(&message, MAX_REFUSAL_CHARS),
        details: details.join("\n"),
    }
}

fn visible(text: &str, max_chars: usize) -> String {
    text.chars()
        .take(max_chars)
        .map(|c| if is_control_or_bidi(c) { ' ' } else { c })
        .collect()
}

fn cut(text: &str, max_chars: usize) -> String {
    text.chars().take(max_chars).collect()
}

#[cfg(test)]
mod tests {
    use ai_api::{Bound, Move, NodeKind, PvLine, SearchInfo, SearchResult};

    use super::*;
    use crate::{MAX_FRAME_BYTES, WorkerReply, encode};

    fn node(parent: u32) -> TraceNode {
        TraceNode {
            parent,
            depth: u32::MAX,
            alpha: Score::MIN,
            beta: Score::MAX,
            score: Score::MIN,
            chosen: Move::from_bits(u16::MAX),
            bound: Bound::Upper,
            kind: NodeKind::Other,
            ..TraceNode::ROOT
        }
    }

    #[test]
    fn truncates_a_trace_where_it_stops_being_a_tree() {
        const NONE: u32 = TraceNode::NO_PARENT;
        for (parents, kept) in [
            (&[][..], 0),
            (&[NONE, 0, 1, 0, 3], 5),
            (&[0, 0], 0),
            (&[NONE, 1], 1),
            (&[NONE, 0, 2, 0], 2),
            (&[NONE, 0, NONE], 2),
            (&[NONE, 0, 7, 0], 2),
        ] {
            let nodes: Vec<_> = parents.iter().map(|&parent| node(parent)).collect();
            assert_eq!(tree_length(&nodes, 100), kept, "{parents:?}");
            assert_eq!(tree_length(&nodes, 1), kept.min(1), "{parents:?}");
        }
    }

    fn oversized() -> SearchResult {
        let moves = vec![Move::from_bits(u16::MAX); 10_000];
        let line = PvLine::new(u32::MAX, Score::MIN, moves.clone());
        let trace = std::iter::once(node(TraceNode::NO_PARENT)).chain((0..50_000).map(node));
        SearchResult {
            depth: u32::MAX,
            nodes: u64::MAX,
            score: Score::MIN,
            pv: moves,
            multipv: vec![line; 1000],
            trace: trace.collect(),
            ..SearchResult::play(Move::from_bits(u16::MAX))
        }
    }

    fn kept(params: &SearchParams) -> SearchResult {
        match response(Response::Searched(oversized()), params) {
            Response::Searched(result) => result,
            Response::Evaluated(..) | Response::Probed(_) => panic!("no search"),
        }
    }

    #[test]
    fn bounds_lines_and_replaces_control_characters() {
        let moves = vec![Move::from_bits(u16::MAX); 10_000];
        let text = "a
"
        .repeat(MAX_MESSAGE_CHARS);
        let info = SearchInfo {
            hashfull: u16::MAX,
            text: Some(&text),
            ..SearchInfo::new(1, Score::MIN, 1, &moves)
        };
        let bounded = iteration(Iteration::from(&info));
        assert_eq!((bounded.pv.len(), bounded.hashfull), (MAX_LINE_MOVES, 1000));
        assert_eq!(bounded.text.unwrap(), "a ".repeat(MAX_MESSAGE_CHARS / 2));
        let Refusal { message, details } = refusal(Refusal {
            message: "\u{1b}[2J\n".repeat(9000),
            details: "a\u{1b}\nb\r\n".repeat(9000),
        });
        assert_eq!(message.chars().count(), MAX_REFUSAL_CHARS);
        assert!(message.starts_with(" [2J  [2J"));
        assert!(details.starts_with("a \nb\na \nb\n"), "{}", &details[..20]);
        assert!(details.chars().count() <= MAX_DETAIL_CHARS);
    }

    /// A score that the constructors can't produce but a frame can contain.
    fn raw(value: i32) -> Score {
        serde_json::from_value(value.into()).unwrap()
    }

    #[test]
    fn clamps_scores_symmetrically() {
        let (best, worst) = (Score::mate_in_plies(1), Score::mated_in_plies(1));
        for (value, expected) in [
            (i32::MAX, best),
            (Score::MAX.value(), best),
            (best.value(), best),
            (best.value() - 1, Score::mate_in_plies(2)),
            (0, Score::DRAW),
            (worst.value() + 1, Score::mated_in_plies(2)),
            (worst.value(), worst),
            (Score::MIN.value(), worst),
            (i32::MIN, worst),
        ] {
            assert_eq!(score(raw(value)), expected, "{value}");
            assert_eq!(
                -score(raw(value)),
                score(raw(value.saturating_neg())),
                "{value}"
            );
            let evaluated = Response::Evaluated(raw(value), vec![EvalTerm::new("all", raw(value))]);
            let kept = response(evaluated, &SearchParams::default());
            assert_eq!(
                kept,
                Response::Evaluated(expected, vec![EvalTerm::new("all", expected)]),
                "{value}"
            );
        }
    }

    #[test]
    fn clamps_counts_to_exact_json_integers() {
        let result = kept(&SearchParams::default());
        assert_eq!(
            (result.nodes, result.score),
            (MAX_COUNT, Score::mated_in_plies(1))
        );
    }

    #[test]
    fn drops_lines_and_nodes_that_were_not_requested() {
        let none = kept(&SearchParams::default());
        assert_eq!(
            (none.pv.len(), none.multipv.len(), none.trace.len()),
            (MAX_LINE_MOVES, 0, 0)
        );
        let some = kept(&SearchParams {
            lines: 3,
            trace_nodes: 50,
            ..SearchParams::default()
        });
        assert_eq!((some.multipv.len(), some.trace.len()), (2, 50));
    }

    #[test]
    fn fits_the_largest_response_into_a_frame() {
        let all = SearchParams {
            lines: u32::MAX,
            trace_nodes: u32::MAX,
            ..SearchParams::default()
        };
        let largest = Response::Searched(kept(&all));
        let frame = encode(&WorkerReply::Finished(u64::MAX, Ok(largest))).unwrap();
        assert!(frame.len() < MAX_FRAME_BYTES, "{}", frame.len());
    }
}
