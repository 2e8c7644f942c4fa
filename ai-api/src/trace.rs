//! The trace of a search: a part of its tree.

use crate::{Move, Score, further::Further, named_enum::named_enum};

/// A position in a search tree, and its result.
///
/// A trace is a list of nodes in the order in which they were entered. Each node comes after its
/// parent, and the first is the root. With iterative deepening, a trace is the tree of the last
/// finished iteration.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct TraceNode {
    /// The index of the parent in the list, or [`NO_PARENT`](Self::NO_PARENT).
    pub parent: u32,
    /// The plies left to search from here. 0 for a leaf or a quiescence node.
    pub depth: u32,
    /// The lower end of the window, from White's point of view.
    pub alpha: Score,
    /// The upper end of the window, from White's point of view.
    pub beta: Score,
    /// The score found, from White's point of view.
    pub score: Score,
    /// The move that leads here from the parent. Ignored for the root.
    pub chosen: Move,
    /// How `score` relates to the true score.
    pub bound: Bound,
    /// Why the search ended here.
    pub kind: NodeKind,
    /// Reserved for fields in later versions. End struct literals with `..`.
    #[doc(hidden)]
    #[cfg_attr(feature = "host", serde(skip))]
    pub further: Further,
}

impl TraceNode {
    /// The parent of a root.
    pub const NO_PARENT: u32 = u32::MAX;
    /// A root that was evaluated as a draw.
    pub const ROOT: Self = Self {
        parent: Self::NO_PARENT,
        depth: 0,
        alpha: Score::DRAW,
        beta: Score::DRAW,
        score: Score::DRAW,
        chosen: Move::from_bits(0),
        bound: Bound::Exact,
        kind: NodeKind::StaticEval,
        further: Further::NONE,
    };
}

named_enum! {
    /// How a score relates to the true score, from White's point of view.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
    #[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
    Bound {
        /// The score is the true score.
        Exact = "exact",
        /// The true score is at least this score.
        Lower = "lower",
        /// The true score is at most this score.
        Upper = "upper",
    }
}

named_enum! {
    /// Why a search ended at a node.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(feature = "layout", derive(abi_stable::StableAbi))]
    #[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
    grows NodeKind {
        /// Every move was searched.
        Complete = "complete",
        /// A move caused a beta cutoff.
        Cutoff = "cutoff",
        /// The position was evaluated.
        StaticEval = "static_eval",
        /// The result came from the transposition table.
        TtHit = "tt_hit",
        /// The node was pruned.
        Pruned = "pruned",
        /// The side to move is mated.
        Checkmate = "checkmate",
        /// The side to move has no legal move and is not in check.
        Stalemate = "stalemate",
        /// A draw by repetition: the position occurred before in the line from the root, or twice
        /// in the game.
        Repetition = "repetition",
        /// A draw by the 50-move rule.
        FiftyMoves = "fifty_moves",
        /// Neither side can mate.
        InsufficientMaterial = "insufficient_material",
        /// A limit was reached or the host requested a stop.
        Stopped = "stopped",
        /// Another reason.
        Other = "other",
    }
}
