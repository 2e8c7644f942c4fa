//! A trace as an indented tree.

use std::fmt::Write;

use super::shown;
use server::replies::{
    game::ScoreReply,
    trace::{TraceNodeReply, TraceReply},
};

/// One line for each node: its move, indented by its distance from the root; how deep it was searched; what was found; the
/// window in which a score mattered; why it went no further. `*` marks the line that decided.
pub(super) fn tree(trace: &TraceReply) -> String {
    let labels = labels(trace);
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or_default();
    let mut text = String::new();
    for (node, label) in trace.nodes.iter().zip(&labels) {
        let TraceNodeReply { depth, bound, kind, .. } = node;
        let relation = match *bound {
            "lower" => '≥',
            "upper" => '≤',
            _ => ' ',
        };
        let score = shown(node.score);
        let window = window(node.alpha, node.beta);
        let line = format!(
            "{label:<width$}  depth {depth:>2}  {relation}{score:>7}  {window:<18}  {}",
            kind.replace('_', " ")
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if trace.truncated {
        text.push_str("the tree goes on where it is not shown; --trace N shows more\n");
    }
    text
}

fn window(alpha: Option<ScoreReply>, beta: Option<ScoreReply>) -> String {
    let alpha = alpha.map_or("-∞".to_owned(), shown);
    let beta = beta.map_or("+∞".to_owned(), shown);
    format!("({alpha}, {beta})")
}

fn labels(trace: &TraceReply) -> Vec<String> {
    let mut plies = Vec::<usize>::new();
    let mut decides = Vec::<bool>::new();
    let mut is_decided = vec![false; trace.nodes.len()];
    for node in &trace.nodes {
        let Some(parent) = node.parent else {
            plies.push(0);
            decides.push(true);
            continue;
        };
        plies.push(plies[parent] + 1);
        let same = node.score == trace.nodes[parent].score && node.bound == trace.nodes[parent].bound;
        let decides_here = decides[parent] && !is_decided[parent] && same;
        is_decided[parent] |= decides_here;
        decides.push(decides_here);
    }
    let label = |((node, ply), decides): ((&TraceNodeReply, usize), bool)| {
        let mark = if decides { '*' } else { ' ' };
        let chosen = node.chosen.as_ref().map_or("root", |chosen| &chosen.san);
        format!("{mark} {:indent$}{chosen}", "", indent = 2 * ply)
    };
    trace.nodes.iter().zip(plies).zip(decides).map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use server::replies::trace::TraceMoveReply;

    fn node(
        parent: Option<usize>,
        san: &str,
        depth: u32,
        score: i32,
        how: [&'static str; 2],
    ) -> TraceNodeReply {
        let chosen = parent.map(|_| TraceMoveReply { uci: String::new(), san: san.into() });
        let [bound, kind] = how;
        let beta = parent.map(|_| ScoreReply::Cp(35));
        TraceNodeReply { parent, chosen, depth, alpha: None, beta, score: ScoreReply::Cp(score), bound, kind }
    }

    #[test]
    fn each_node_is_a_line_with_all_that_is_known_of_it() {
        let nodes = vec![
            node(None, "", 2, 35, ["exact", "complete"]),
            node(Some(0), "e4", 1, 35, ["exact", "complete"]),
            node(Some(1), "e5", 0, 35, ["exact", "static_eval"]),
            node(Some(1), "d5", 0, 120, ["lower", "static_eval"]),
            node(Some(0), "Nf3", 1, 20, ["upper", "cutoff"]),
            node(Some(4), "Nc6", 0, 20, ["exact", "insufficient_material"]),
        ];
        let text = tree(&TraceReply { nodes, truncated: true });
        assert_eq!(
            text,
            "* root     depth  2     +0.35  (-∞, +∞)            complete\n\
             *   e4     depth  1     +0.35  (-∞, +0.35)         complete\n\
             *     e5   depth  0     +0.35  (-∞, +0.35)         static eval\n\
             \x20     d5   depth  0  ≥  +1.20  (-∞, +0.35)         static eval\n\
             \x20   Nf3    depth  1  ≤  +0.20  (-∞, +0.35)         cutoff\n\
             \x20     Nc6  depth  0     +0.20  (-∞, +0.35)         insufficient material\n\
             the tree goes on where it is not shown; --trace N shows more\n"
        );
    }
}
