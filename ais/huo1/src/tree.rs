//! The search tree, as a list in which each node comes after its parent.

use ai_api::{Bound, Move, NodeKind, Score, TraceNode};

pub const MAX_TRACE_NODES: u32 = 4000;

/// The tree of one iteration.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<TraceNode>,
}

impl Tree {
    /// The node limit. Beyond it, a subtree is dropped once its root is finished.
    const MAX_NODES: usize = 200_000;

    /// Starts a new tree and returns the index of its root.
    pub(crate) fn reset(&mut self, depth: u32) -> usize {
        self.nodes.clear();
        self.add(TraceNode::NO_PARENT, Move::from_bits(0), depth, Window::ALL)
    }

    /// Adds the node after a move and returns its index.
    pub(crate) fn add(&mut self, parent: u32, chosen: Move, depth: u32, window: Window) -> usize {
        let Window { alpha, beta } = window;
        let (score, bound, kind) = (Score::DRAW, Bound::Exact, NodeKind::Stopped);
        self.nodes.push(TraceNode {
            parent,
            depth,
            alpha,
            beta,
            score,
            chosen,
            bound,
            kind,
            ..TraceNode::ROOT
        });
        self.nodes.len() - 1
    }

    /// Sets the result of a node. A score outside the window is a bound.
    pub(crate) fn finish(&mut self, place: usize, score: Score, kind: NodeKind) {
        let node = &mut self.nodes[place];
        let has_moves = matches!(kind, NodeKind::Complete | NodeKind::Cutoff);
        node.bound = if has_moves && score >= node.beta {
            Bound::Lower
        } else if has_moves && score <= node.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        };
        (node.score, node.kind) = (score, kind);
        if self.nodes.len() > Self::MAX_NODES {
            self.nodes.truncate(place + 1);
        }
    }

    /// Returns the nodes closest to the root, at most `limit`, complete plies first.
    pub(crate) fn nearest(&self, limit: usize) -> Vec<TraceNode> {
        let mut plies = Vec::<u32>::with_capacity(self.nodes.len());
        for node in &self.nodes {
            plies.push(if node.parent == TraceNode::NO_PARENT {
                0
            } else {
                plies[node.parent as usize] + 1
            });
        }
        let mut places: Vec<usize> = (0..self.nodes.len()).collect();
        places.sort_by_key(|&place| plies[place]);
        places.truncate(limit);
        places.sort_unstable();
        let now = |parent: u32| match places.binary_search(&(parent as usize)) {
            Ok(place) => place as u32,
            Err(_) => TraceNode::NO_PARENT,
        };
        places
            .iter()
            .map(|&place| self.nodes[place])
            .map(|node| TraceNode {
                parent: now(node.parent),
                ..node
            })
            .collect()
    }
}

/// The alpha-beta window, from White's point of view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    pub(crate) alpha: Score,
    pub(crate) beta: Score,
}

impl Window {
    pub(crate) const ALL: Self = Self {
        alpha: Score::MIN,
        beta: Score::MAX,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: u32 = TraceNode::NO_PARENT;

    fn tree(parents: &[u32]) -> Tree {
        let mut tree = Tree::default();
        tree.reset(3);
        for &parent in parents {
            tree.add(parent, Move::from_bits(1), 1, Window::ALL);
        }
        tree
    }

    #[test]
    fn nearest_returns_a_tree() {
        let tree = tree(&[0, 1, 2, 0, 4, 0]);
        let parents = |most| {
            tree.nearest(most)
                .iter()
                .map(|node| node.parent)
                .collect::<Vec<_>>()
        };
        assert_eq!(parents(0), []);
        assert_eq!(parents(1), [ROOT]);
        assert_eq!(parents(3), [ROOT, 0, 0]);
        assert_eq!(parents(5), [ROOT, 0, 1, 0, 0]);
        assert_eq!(parents(9), [ROOT, 0, 1, 2, 0, 4, 0]);
    }

    #[test]
    fn drops_subtrees_beyond_the_limit() {
        let mut tree = tree(&[0]);
        for _ in 0..Tree::MAX_NODES {
            tree.add(1, Move::from_bits(2), 0, Window::ALL);
        }
        tree.finish(1, Score::centipawns(5), NodeKind::Complete);
        assert_eq!(
            (tree.nodes.len(), tree.nodes[1].score),
            (2, Score::centipawns(5))
        );
        tree.add(0, Move::from_bits(3), 1, Window::ALL);
        tree.finish(0, Score::centipawns(5), NodeKind::Complete);
        assert_eq!(tree.nearest(9).len(), 3);
    }
}
