//! The trace of a search: its tree, as far as the AI returns it.

use abi_stable::StableAbi;

use crate::{Move, Score};

/// A position that a search looked at, and what came of it.
///
/// A trace is a flat list of these in the order in which they were entered: a node stands behind its parent. The first
/// is the root; an AI that searches deeper and deeper tells the last iteration that it has finished.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TraceNode {
    /// The place of the parent in the list, or [`NO_PARENT`](Self::NO_PARENT).
    pub parent: u32,
    /// How many plies were still to be searched from here; 0 is a leaf or beyond.
    pub depth: u32,
    /// The least score that mattered to the one who asked, for White.
    pub alpha: Score,
    /// The greatest score that mattered to the one who asked, for White.
    pub beta: Score,
    /// What was found, for White.
    pub score: Score,
    /// The move that leads here from the parent; the root's means nothing.
    pub chosen: Move,
    /// What the score says of the true one.
    pub bound: Bound,
    /// Why the search went no further here.
    pub kind: NodeKind,
}

impl TraceNode {
    /// The parent of a root.
    pub const NO_PARENT: u32 = u32::MAX;
}

/// What a score says of the true one, for White.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bound {
    /// It is the true one.
    Exact,
    /// The true one is no less.
    Lower,
    /// The true one is no more.
    Upper,
}

impl Bound {
    /// In the order of their numbers.
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

/// Why a search went no further from a position.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NodeKind {
    /// Every move was looked at.
    Complete,
    /// A move was so good that the side before would not let it come to this.
    Cutoff,
    /// The last ply: the position was judged.
    StaticEval,
    /// The position was known from before.
    TtHit,
    /// Left out without a search, or judged not to be worth one.
    Pruned,
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no move and is not in check.
    Stalemate,
    /// The position occurred before.
    Repetition,
    /// Too long without capture or pawn move.
    FiftyMoves,
    /// Nobody can mate with what is left.
    InsufficientMaterial,
    /// The limit was reached or the host wanted an answer.
    Stopped,
    /// For another reason.
    Other,
}

impl NodeKind {
    /// In the order of their numbers.
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
