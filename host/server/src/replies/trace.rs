//! The tree of an AI's thought, as clients read it. Its moves are played out from the root like those of a line: what can't
//! be played is cut off, with all that hangs on it.

use ai_api::{Move, NodeKind, Position, Score, TraceNode};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    game::ScoreReply,
    words::{BoundWord, NodeKindWord},
};

/// What an AI tells of its search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TraceReply {
    /// The root first, and each other node behind its parent.
    pub nodes: Vec<TraceNodeReply>,
    /// Whether there was more to tell: the nodes were not enough, or some could not be played.
    pub truncated: bool,
}

/// A position that a search looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TraceNodeReply {
    /// The place of its parent among the nodes, from 0; none for the root.
    #[schema(required)]
    pub parent: Option<usize>,
    /// The move that leads here; none for the root.
    #[serde(rename = "move")]
    #[schema(required)]
    pub chosen: Option<TraceMoveReply>,
    /// The plies that were still to be searched from here; 0 is a leaf or beyond.
    pub depth: u32,
    /// The least score that mattered, for White; none where every one did.
    #[schema(required)]
    pub alpha: Option<ScoreReply>,
    /// The greatest score that mattered, for White; none where every one did.
    #[schema(required)]
    pub beta: Option<ScoreReply>,
    /// What was found, for White.
    pub score: ScoreReply,
    /// Whether that is the true score, or that is at least or at most this one, for White.
    #[schema(value_type = BoundWord)]
    pub bound: &'static str,
    /// Why the search went no further here.
    #[schema(value_type = NodeKindWord)]
    pub kind: &'static str,
}

/// A move of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TraceMoveReply {
    /// In UCI.
    pub uci: String,
    /// In SAN.
    pub san: String,
}

impl TraceReply {
    /// What an AI tells of its search from `root`, when it was asked for at most `wanted` nodes.
    pub(crate) fn new(root: &Position, told: &[TraceNode], wanted: u32) -> Self {
        let told = &told[..told.len().min(wanted as usize)];
        let mut nodes = Vec::with_capacity(told.len());
        // Of each node that was told: where it now stands, and its position.
        let mut kept = Vec::<Option<(usize, Position)>>::with_capacity(told.len());
        let mut has_children = Vec::with_capacity(told.len());
        for (place, node) in told.iter().enumerate() {
            let reached = if place == 0 {
                (node.parent == TraceNode::NO_PARENT).then_some((None, *root))
            } else {
                let parent = kept.get(node.parent as usize).copied().flatten();
                parent
                    .filter(|(_, before)| rules::is_legal(before, node.chosen))
                    .map(|(parent, before)| (Some((parent, before)), rules::play(&before, node.chosen)))
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
                alpha: Some(node.alpha).filter(|&alpha| alpha > Score::MIN).map(|alpha| limit(alpha).into()),
                beta: Some(node.beta).filter(|&beta| beta < Score::MAX).map(|beta| limit(beta).into()),
                score: score(node).into(),
                bound: node.bound.name(),
                kind: node.kind.name(),
            });
        }
        let is_open = |(node, has_children): (&TraceNodeReply, &bool)| {
            !has_children && [NodeKind::Complete.name(), NodeKind::Cutoff.name()].contains(&node.kind)
        };
        let truncated = nodes.len() < told.len()
            || told.len() == wanted as usize
            || nodes.iter().zip(&has_children).any(is_open);
        Self { nodes, truncated }
    }
}

impl TraceMoveReply {
    fn new(position: &Position, chosen: Move) -> Self {
        Self {
            uci: rules::format_uci(position, chosen).to_string(),
            san: rules::format_san(position, chosen),
        }
    }
}

/// The score of a node. Only a mate on the board is a mate in no more moves, whose sign would be lost.
fn score(node: &TraceNode) -> Score {
    if node.kind == NodeKind::Checkmate { Score::from_value(node.score.value()) } else { limit(node.score) }
}

/// A score of a game that is not over.
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
        }
    }

    fn reply(told: &[TraceNode], wanted: u32) -> TraceReply {
        TraceReply::new(&rules::start_position(), told, wanted)
    }

    fn shown(reply: &TraceReply) -> Vec<(Option<usize>, String)> {
        let san =
            |node: &TraceNodeReply| node.chosen.as_ref().map_or(String::new(), |chosen| chosen.san.clone());
        reply.nodes.iter().map(|node| (node.parent, san(node))).collect()
    }

    const ROOT: u32 = TraceNode::NO_PARENT;

    #[test]
    fn plays_moves_from_the_root() {
        let told = [node(ROOT, ""), node(0, "e2e4"), node(1, "g8f6"), node(0, "g1f3")];
        let reply = reply(&told, 100);
        let expected = [(None, ""), (Some(0), "e4"), (Some(1), "Nf6"), (Some(0), "Nf3")];
        assert_eq!(shown(&reply), expected.map(|(parent, san)| (parent, san.to_owned())));
        let root = &reply.nodes[0];
        assert_eq!((root.alpha, root.beta), (None, Some(ScoreReply::Cp(20))));
        assert_eq!((root.bound, root.kind, reply.truncated), ("lower", "static_eval", false));
    }

    #[test]
    fn removes_an_illegal_move_with_its_subtree() {
        let told = [
            node(ROOT, ""),
            node(0, "e2e5"),
            node(1, "g8f6"),
            node(0, "e2e4"),
            node(3, "e2e4"),
            node(3, "e7e5"),
            node(2, "b1c3"),
        ];
        let reply = reply(&told, 100);
        let expected = [(None, ""), (Some(0), "e4"), (Some(1), "e5")];
        assert_eq!(shown(&reply), expected.map(|(parent, san)| (parent, san.to_owned())));
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
        let told = [node(ROOT, ""), node(0, "e2e4")];
        assert!(!reply(&told, 3).truncated);
        assert!(reply(&told, 2).truncated, "there may be more");
        assert_eq!(reply(&told, 1).nodes.len(), 1);
        for ending in [NodeKind::Complete, NodeKind::Cutoff] {
            assert!(
                reply(&[TraceNode { kind: ending, ..told[0] }], 9).truncated,
                "{ending:?} without any move"
            );
            assert!(!reply(&[TraceNode { kind: ending, ..told[0] }, told[1]], 9).truncated, "{ending:?}");
        }
    }
}
