//! The trace of a search: a part of its tree.

use abi_stable::StableAbi;

use crate::{Move, Score};

/// A position in a search tree, and its result.
///
/// A trace is a list of nodes in the order in which they were entered: each comes after its parent, and the first is the root.
/// With iterative deepening it is the tree of the last finished iteration.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TraceNode {
    /// The index of the parent in the list, or [`NO_PARENT`](Self::NO_PARENT).
    pub parent: u32,
    /// The plies left to search from here; 0 for a leaf or a node of quiescence.
    pub depth: u32,
    /// The lower end of the window, for White.
    pub alpha: Score,
    /// The upper end of the window, for White.
    pub beta: Score,
    /// The score found, for White.
    pub score: Score,
    /// The move that leads here from the parent; ignored for the root.
    pub chosen: Move,
    /// How `score` relates to the true one.
    pub bound: Bound,
    /// Why the search ended here.
    pub kind: NodeKind,
}

impl TraceNode {
    /// The parent of a root.
    pub const NO_PARENT: u32 = u32::MAX;
}

/// How a score relates to the true one, for White.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bound {
    /// The score is the true one.
    Exact,
    /// The true score is at least this one.
    Lower,
    /// The true score is at most this one.
    Upper,
}

impl Bound {
    /// Every variant, in the order of its number.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Lower, Self::Upper];

    /// `exact`, `lower` or `upper`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Lower => "lower",
            Self::Upper => "upper",
        }
    }
}

/// Why a search ended at a node.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NodeKind {
    /// Every move was searched.
    Complete,
    /// A move caused a beta cutoff.
    Cutoff,
    /// The position was evaluated.
    StaticEval,
    /// The transposition table had the result.
    TtHit,
    /// The node was pruned.
    Pruned,
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// The position occurred before.
    Repetition,
    /// A draw by the 50-move rule.
    FiftyMoves,
    /// Neither side can mate.
    InsufficientMaterial,
    /// A limit was reached or the host requested a stop.
    Stopped,
    /// Another reason.
    Other,
}

impl NodeKind {
    /// Every variant, in the order of its number.
    pub const ALL: [Self; 12] = [
        Self::Complete,
        Self::Cutoff,
        Self::StaticEval,
        Self::TtHit,
        Self::Pruned,
        Self::Checkmate,
        Self::Stalemate,
        Self::Repetition,
        Self::FiftyMoves,
        Self::InsufficientMaterial,
        Self::Stopped,
        Self::Other,
    ];

    /// The name in `snake_case`, such as `tt_hit`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Cutoff => "cutoff",
            Self::StaticEval => "static_eval",
            Self::TtHit => "tt_hit",
            Self::Pruned => "pruned",
            Self::Checkmate => "checkmate",
            Self::Stalemate => "stalemate",
            Self::Repetition => "repetition",
            Self::FiftyMoves => "fifty_moves",
            Self::InsufficientMaterial => "insufficient_material",
            Self::Stopped => "stopped",
            Self::Other => "other",
        }
    }
}
