//! What the host asks and what an AI answers.

use abi_stable::StableAbi;

use crate::{Move, Position, Score, TraceNode};

/// How long to think; exactly one of three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Limit {
    /// Finish this many plies, no more.
    Depth(u32),
    /// Look at no more than this many positions.
    Nodes(u64),
    /// Answer within this many milliseconds; they begin when [`Host::is_pondering`](crate::Host::is_pondering) turns
    /// false.
    MovetimeMs(u64),
}

impl Limit {
    /// Think until the host wants an answer.
    pub const UNTIL_STOPPED: Self = Self::Nodes(u64::MAX);
}

/// The clocks of a game, by [`Color::index`](crate::Color::index).
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, StableAbi)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Clocks {
    /// What is left, in milliseconds.
    pub remaining_ms: [u64; 2],
    /// What each move brings, in milliseconds.
    pub increment_ms: [u64; 2],
    /// Moves until the next time control; 0 where none is to come.
    pub moves_to_go: u32,
}

/// A position to think about. It is never one where the game is over.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The position; its side to move wants a move.
    pub position: Position,
    /// [`Position::hash`] of the earlier positions of the game that can still be repeated, oldest first, without
    /// `position` itself.
    pub history: &'a [u64],
    /// How long to think.
    pub limit: Limit,
    /// The game's first position…
    pub start: Position,
    /// …and the moves that led from there to `position`.
    pub moves: &'a [Move],
    /// The clocks of the game, if it has some. They are advice: the limit holds.
    pub clocks: Option<&'a Clocks>,
    /// The moves to choose from; every legal one where there are none.
    pub root_moves: &'a [Move],
    /// How many lines are wanted, at least 1; see [`Answer::further_lines`].
    pub lines: u32,
    /// How many nodes of a [trace](Answer::trace) are wanted at most; 0 for none.
    pub trace_nodes: u32,
}

impl Question<'_> {
    /// A question for the best move in a position without a past.
    pub fn new(position: Position, limit: Limit) -> Self {
        Self {
            position,
            history: &[],
            limit,
            start: position,
            moves: &[],
            clocks: None,
            root_moves: &[],
            lines: 1,
            trace_nodes: 0,
        }
    }
}

/// What a [`Searcher`](crate::Searcher) found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Answer {
    /// The move to play; one of the legal moves.
    pub best_move: Option<Move>,
    /// What the move leads to, for White.
    pub score: Score,
    /// Plies that were searched completely.
    pub depth: u32,
    /// Positions that were looked at.
    pub nodes: u64,
    /// The line of play that the score comes from, `best_move` first. The host shows it as far as it is legal.
    pub line: Vec<Move>,
    /// The second best line, the third best and so on, where [`Question::lines`] wants several; each begins with another
    /// move.
    pub further_lines: Vec<Line>,
    /// The tree of the search, where [`Question::trace_nodes`] wants one.
    pub trace: Vec<TraceNode>,
}

/// A line of play beside the best one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Line {
    /// What it leads to, for White.
    pub score: Score,
    /// Plies that were searched completely.
    pub depth: u32,
    /// The moves. The host shows them as far as they are legal.
    pub moves: Vec<Move>,
}

impl Answer {
    /// An answer that knows only its move.
    pub fn play(best_move: Move) -> Self {
        Self {
            best_move: Some(best_move),
            score: Score::DRAW,
            depth: 0,
            nodes: 1,
            line: vec![best_move],
            further_lines: Vec::new(),
            trace: Vec::new(),
        }
    }
}

/// What an AI tells on the way, after each iteration of its search.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// Plies searched completely.
    pub depth: u32,
    /// What the line leads to, for White.
    pub score: Score,
    /// Positions looked at so far.
    pub nodes: u64,
    /// The line, the best so far.
    pub line: &'a [Move],
    /// Which of the [lines](Question::lines) it is: 1 is the best one, 2 the second best.
    pub line_number: u32,
    /// The length of the longest line looked at; 0 where the AI does not say.
    pub selective_depth: u32,
}

impl<'a> Report<'a> {
    /// A report of the best line.
    pub fn new(depth: u32, score: Score, nodes: u64, line: &'a [Move]) -> Self {
        Self { depth, score, nodes, line, line_number: 1, selective_depth: 0 }
    }
}

/// One named part of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Term {
    /// What is judged, such as `material`.
    pub name: String,
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
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AiError {
    /// What kind of failure.
    pub kind: AiErrorKind,
    /// What happened, in a sentence for the operator.
    pub message: String,
}

/// The kinds of [`AiError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        Self { kind: AiErrorKind::Failed, message: message.into() }
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
