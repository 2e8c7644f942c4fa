//! A search trace as an indented tree.

use std::fmt::Write;

use super::text::score_text;
use api::replies::{
    game::ScoreReply,
    trace::{TraceNodeReply, TraceReply},
};

/// Formats each node on one line: its move, indented by ply, then its depth, score, window and
/// kind. `*` marks the principal variation.
pub(crate) fn tree(trace: &TraceReply) -> String {
    let labels = labels(trace);
    let width = labels
        .iter()
        .map(|label| label.chars().count())
        .max()
        .unwrap_or_default();
    let mut text = String::new();
    for (node, label) in trace.nodes.iter().zip(&labels) {
        let TraceNodeReply {
            depth, bound, kind, ..
        } = node;
        let relation = match *bound {
            "lower" => '≥',
            "upper" => '≤',
            _ => ' ',
        };
        let score = score_text(node.score);
        let window = window(node.alpha, node.beta);
        let line = format!(
            "{label:<width$}  depth {depth:>2}  {relation}{score:>7}  {window:<18}  {}",
            kind.replace('_', " ")
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if trace.truncated {
        text.push_str("the tree is truncated; --trace N sets the number of nodes\n");
    }
    text
}

fn window(alpha: Option<ScoreReply>, beta: Option<ScoreReply>) -> String {
    let alpha = alpha.map_or("-∞".to_owned(), score_text);
    let beta = beta.map_or("+∞".to_owned(), score_text);
    format!("({alpha}, {beta})")
}

fn labels(trace: &TraceReply) -> Vec<String> {
    let mut plies = Vec::<usize>::new();
    let mut in_pv = Vec::<bool>::new();
    let mut has_pv_child = vec![false; trace.nodes.len()];
    for node in &trace.nodes {
        let Some(parent) = node.parent else {
            plies.push(0);
            in_pv.push(true);
            continue;
        };
        plies.push(plies[parent] + 1);
        let same =
            node.score == trace.nodes[parent].score && node.bound == trace.nodes[parent].bound;
        let continues_pv = in_pv[parent] && !has_pv_child[parent] && same;
        has_pv_child[parent] |= continues_pv;
        in_pv.push(continues_pv);
    }
    let label = |((node, ply), is_marked): ((&TraceNodeReply, usize), bool)| {
        let mark = if is_marked { '*' } else { ' ' };
        let chosen = node.chosen.as_ref().map_or("root", |chosen| &chosen.san);
        format!("{mark} {:indent$}{chosen}", "", indent = 2 * ply)
    };
    trace
        .nodes
        .iter()
        .zip(plies)
        .zip(in_pv)
        .map(label)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::replies::trace::TraceMoveReply;

    fn node(
        parent: Option<usize>,
        san: &str,
        depth: u32,
        score: i32,
        bound_and_kind: [&'static str; 2],
    ) -> TraceNodeReply {
        let chosen = parent.map(|_| TraceMoveReply {
            uci: String::new(),
            san: san.into(),
        });
        let [bound, kind] = bound_and_kind;
        let beta = parent.map(|_| ScoreReply::Cp(35));
        TraceNodeReply {
            parent,
            chosen,
            depth,
            alpha: None,
            beta,
            score: ScoreReply::Cp(score),
            bound,
            kind,
        }
    }

    #[test]
    fn formats_each_node_on_one_line() {
        let nodes = vec![
            node(None, "", 2, 35, ["exact", "complete"]),
            node(Some(0), "e4", 1, 35, ["exact", "complete"]),
            node(Some(1), "e5", 0, 35, ["exact", "static_eval"]),
            node(Some(1), "d5", 0, 120, ["lower", "static_eval"]),
            node(Some(0), "Nf3", 1, 20, ["upper", "cutoff"]),
            node(Some(4), "Nc6", 0, 20, ["exact", "insufficient_material"]),
        ];
        let text = tree(&TraceReply {
            nodes,
            truncated: true,
        });
        assert_eq!(
            text,
            "* root     depth  2     +0.35  (-∞, +∞)            complete\n\
             *   e4     depth  1     +0.35  (-∞, +0.35)         complete\n\
             *     e5   depth  0     +0.35  (-∞, +0.35)         static eval\n\
             \x20     d5   depth  0  ≥  +1.20  (-∞, +0.35)         static eval\n\
             \x20   Nf3    depth  1  ≤  +0.20  (-∞, +0.35)         cutoff\n\
             \x20     Nc6  depth  0     +0.20  (-∞, +0.35)         insufficient material\n\
             the tree is truncated; --trace N sets the number of nodes\n"
        );
    }
}
