//! What the host asks and what an AI answers.

use abi_stable::{
    StableAbi,
    std_types::{ROption, RSlice, RString, RVec},
};

use crate::{Move, Position, Score};

/// How long to think; exactly one of three.
#[repr(C, u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Limit {
    /// Finish this many plies, no more.
    Depth(u32),
    /// Look at no more than this many positions.
    Nodes(u64),
    /// Answer within this many milliseconds.
    MovetimeMs(u64),
}

/// A position to think about. It is never one where the game is over.
#[repr(C)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub struct Question<'a> {
    /// The position; its side to move wants a move.
    pub position: Position,
    /// [`Position::hash`] of the earlier positions of the game that can still be repeated, oldest first, without
    /// `position` itself.
    pub history: RSlice<'a, u64>,
    /// How long to think.
    pub limit: Limit,
}

impl Question<'_> {
    /// A question about a position without a past.
    pub fn new(position: Position, limit: Limit) -> Self {
        Self { position, history: RSlice::EMPTY, limit }
    }
}

/// What a [`Searcher`](crate::Searcher) found.
#[repr(C)]
#[derive(Clone, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Answer {
    /// The move to play; one of the legal moves.
    pub best_move: ROption<Move>,
    /// What the move leads to, for White.
    pub score: Score,
    /// Plies that were searched completely.
    pub depth: u32,
    /// Positions that were looked at.
    pub nodes: u64,
    /// The line of play that the score comes from, `best_move` first. The host shows it as far as it is legal.
    pub line: RVec<Move>,
}

impl Answer {
    /// An answer that knows only its move.
    pub fn play(best_move: Move) -> Self {
        Self {
            best_move: ROption::RSome(best_move),
            score: Score::DRAW,
            depth: 0,
            nodes: 1,
            line: vec![best_move].into(),
        }
    }
}

/// What an AI tells on the way, after each iteration of its search.
#[repr(C)]
#[derive(Clone, Copy, Debug, StableAbi)]
pub struct Report<'a> {
    /// Plies searched completely.
    pub depth: u32,
    /// What the best line leads to, for White.
    pub score: Score,
    /// Positions looked at so far.
    pub nodes: u64,
    /// The best line so far.
    pub line: RSlice<'a, Move>,
}

/// One named part of an evaluation.
#[repr(C)]
#[derive(Clone, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Term {
    /// What is judged, such as `material`.
    pub name: RString,
    /// Its part of the score, for White.
    pub score: Score,
}

impl Term {
    /// A term of a name and a score for White.
    pub fn new(name: &str, score: Score) -> Self {
        Self { name: name.into(), score }
    }
}

/// Why an AI could not do what it was asked.
#[repr(C)]
#[derive(Clone, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AiError {
    /// What kind of failure.
    pub kind: AiErrorKind,
    /// What happened, in a sentence for the operator.
    pub message: RString,
}

/// The kinds of [`AiError`].
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AiErrorKind {
    /// The AI says so itself.
    Failed,
    /// It panicked; the instance is gone.
    Panicked,
}

impl AiError {
    /// An error of the AI's own words.
    pub fn new(message: impl Into<String>) -> Self {
        Self { kind: AiErrorKind::Failed, message: RString::from(message.into()) }
    }
}

impl std::fmt::Display for AiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            AiErrorKind::Failed => f.write_str(&self.message),
            AiErrorKind::Panicked => write!(f, "panicked: {}", self.message),
        }
    }
}

impl std::error::Error for AiError {}
