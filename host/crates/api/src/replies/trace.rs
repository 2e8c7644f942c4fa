//! The tree that an AI searched. Its moves are played from the root. A node with an illegal move is
//! removed, together with its subtree.

use crate::{
    replies::game::ScoreReply,
    words::{BoundWord, NodeKindWord},
};
use ai_api::{Move, NodeKind, Position, Score, TraceNode};
use serde::Serialize;
use utoipa::ToSchema;

/// The tree of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TraceReply {
    /// The nodes. The root is first, and each other node comes after its parent.
    pub nodes: Vec<TraceNodeReply>,
    /// Whether nodes are missing, because there were more than requested or some were invalid.
    pub truncated: bool,
}

/// A searched position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TraceNodeReply {
    /// The index of the parent in `nodes`, or `null` for the root.
    #[schema(required)]
    pub parent: Option<usize>,
    /// The move to this node, or `null` for the root.
    #[serde(rename = "move")]
    #[schema(required)]
    pub chosen: Option<TraceMoveReply>,
    /// The remaining depth in plies. 0 for a leaf and in the quiescence search.
    pub depth: u32,
    /// The lower bound of the search window, from White's point of view, or `null`.
    #[schema(required)]
    pub alpha: Option<ScoreReply>,
    /// The upper bound of the search window, from White's point of view, or `null`.
    #[schema(required)]
    pub beta: Option<ScoreReply>,
    /// The score, from White's point of view.
    pub score: ScoreReply,
    /// `exact`, `lower` (the true score is at least this) or `upper` (at most this).
    #[schema(value_type = BoundWord)]
    pub bound: &'static str,
    /// Why the search stopped here: `complete` (every move was searched), `cutoff` (a move refuted
    /// the previous one), `static_eval`, `tt_hit` (found in the transposition table), `pruned` (not
    /// searched), `checkmate`, `stalemate`, `repetition` (since the root, or the third time in the
    /// game), `fifty_moves`, `insufficient_material`, `stopped` or `other`.
    #[schema(value_type = NodeKindWord)]
    pub kind: &'static str,
}

/// A move in a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TraceMoveReply {
    /// The move in UCI.
    pub uci: String,
    /// The move in SAN.
    pub san: String,
}

impl TraceReply {
    /// Creates the trace of a search from `root`, with at most `requested` nodes.
    pub fn new(root: &Position, reported: &[TraceNode], requested: u32) -> Self {
        let reported = &reported[..reported.len().min(requested as usize)];
        let mut nodes = Vec::with_capacity(reported.len());
        // The index in `nodes` and the position of each reported node that is kept.
        let mut kept = Vec::<Option<(usize, Position)>>::with_capacity(reported.len());
        let mut has_children = Vec::with_capacity(reported.len());
        for (index, node) in reported.iter().enumerate() {
            let reached = if index == 0 {
                (node.parent == TraceNode::NO_PARENT).then_some((None, *root))
            } else {
                let parent = kept.get(node.parent as usize).copied().flatten();
                parent
                    .filter(|(_, before)| rules::is_legal(before, node.chosen))
                    .map(|(parent, before)| {
                        (Some((parent, before)), rules::play(&before, node.chosen))
                    })
            };
            kept.push(reached.map(|(_, position)| (nodes.len(), position)));
            let Some((parent, _)) = reached else { continue };
            if let Some((parent, _)) = parent {
                has_children[parent] = true;
            }
            has_children.push(false);
            nodes.push(TraceNodeReply {
                parent: parent.map(|(parent, _)| parent),
                chosen: parent.map(|(_, before)| TraceMoveReply::new(&before, node.chosen)),
                depth: node.depth,
                alpha: Some(node.alpha)
                    .filter(|&alpha| alpha > Score::MIN)
                    .map(|alpha| limit(alpha).into()),
                beta: Some(node.beta)
                    .filter(|&beta| beta < Score::MAX)
                    .map(|beta| limit(beta).into()),
                score: score(node).into(),
                bound: node.bound.name(),
                kind: node.kind.name(),
            });
        }
        let is_childless = |(node, is_parent): (&TraceNodeReply, &bool)| {
            !is_parent && [NodeKind::Complete.name(), NodeKind::Cutoff.name()].contains(&node.kind)
        };
        let truncated = nodes.len() < reported.len()
            || reported.len() == requested as usize
            || nodes.iter().zip(&has_children).any(is_childless);
        Self { nodes, truncated }
    }
}

impl TraceMoveReply {
    fn new(position: &Position, chosen: Move) -> Self {
        Self {
            uci: rules::format_uci(position, chosen).to_string(),
            san: rules::format_san(position, chosen).into(),
        }
    }
}

/// Returns the score of a node. Only a checkmate keeps a mate in 0, because 0 does not show the
/// winner in a reply.
fn score(node: &TraceNode) -> Score {
    if node.kind == NodeKind::Checkmate {
        Score::from_value(node.score.value())
    } else {
        limit(node.score)
    }
}

/// Clamps the score of a position in which the game is not over.
fn limit(score: Score) -> Score {
    score.clamp(Score::mated_in_plies(1), Score::mate_in_plies(1))
}

#[cfg(test)]
mod tests {
    use ai_api::Bound;

    use super::*;

    fn node(parent: u32, chosen: &str) -> TraceNode {
        let squares = (!chosen.is_empty()).then(|| {
            let square = |text: &str| text.parse::<ai_api::Square>().unwrap();
            Move::new(square(&chosen[..2]), square(&chosen[2..]))
        });
        TraceNode {
            parent,
            depth: 1,
            alpha: Score::MIN,
            beta: Score::centipawns(20),
            score: Score::centipawns(7),
            chosen: squares.unwrap_or(Move::from_bits(0)),
            bound: Bound::Lower,
            kind: NodeKind::StaticEval,
            ..TraceNode::ROOT
        }
    }

    fn reply(reported: &[TraceNode], requested: u32) -> TraceReply {
        TraceReply::new(&rules::start_position(), reported, requested)
    }

    fn shown(reply: &TraceReply) -> Vec<(Option<usize>, &str)> {
        let nodes = reply.nodes.iter();
        nodes
            .map(|node| {
                (
                    node.parent,
                    node.chosen.as_ref().map_or("", |chosen| &chosen.san),
                )
            })
            .collect()
    }

    const ROOT: u32 = TraceNode::NO_PARENT;

    #[test]
    fn plays_moves_from_the_root() {
        let nodes = [
            node(ROOT, ""),
            node(0, "e2e4"),
            node(1, "g8f6"),
            node(0, "g1f3"),
        ];
        let reply = reply(&nodes, 100);
        let expected = [
            (None, ""),
            (Some(0), "e4"),
            (Some(1), "Nf6"),
            (Some(0), "Nf3"),
        ];
        assert_eq!(shown(&reply), expected);
        let root = &reply.nodes[0];
        assert_eq!((root.alpha, root.beta), (None, Some(ScoreReply::Cp(20))));
        assert_eq!(
            (root.bound, root.kind, reply.truncated),
            ("lower", "static_eval", false)
        );
    }

    #[test]
    fn removes_an_illegal_move_with_its_subtree() {
        let nodes = [
            node(ROOT, ""),
            node(0, "e2e5"),
            node(1, "g8f6"),
            node(0, "e2e4"),
            node(3, "e2e4"),
            node(3, "e7e5"),
            node(2, "b1c3"),
        ];
        let reply = reply(&nodes, 100);
        let expected = [(None, ""), (Some(0), "e4"), (Some(1), "e5")];
        assert_eq!(shown(&reply), expected);
        assert!(reply.truncated);
    }

    #[test]
    fn truncates_an_invalid_tree() {
        assert_eq!(shown(&reply(&[node(0, "e2e4")], 9)), []);
        for wrong in [node(1, "e2e4"), node(7, "e2e4"), node(ROOT, "e2e4")] {
            let reply = reply(&[node(ROOT, ""), wrong], 9);
            assert_eq!((reply.nodes.len(), reply.truncated), (1, true), "{wrong:?}");
        }
    }

    #[test]
    fn marks_incomplete_trees_as_truncated() {
        let nodes = [node(ROOT, ""), node(0, "e2e4")];
        assert!(!reply(&nodes, 3).truncated);
        assert!(reply(&nodes, 2).truncated, "there may be more");
        assert_eq!(reply(&nodes, 1).nodes.len(), 1);
        for kind in [NodeKind::Complete, NodeKind::Cutoff] {
            assert!(
                reply(&[TraceNode { kind, ..nodes[0] }], 9).truncated,
                "{kind:?} without any move"
            );
            assert!(
                !reply(&[TraceNode { kind, ..nodes[0] }, nodes[1]], 9).truncated,
                "{kind:?}"
            );
        }
    }
}
