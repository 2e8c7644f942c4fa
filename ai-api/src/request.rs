//! Search requests and their results.

use std::fmt;

use crate::{Bound, Move, Position, Score, TraceNode, Wdl, further::Further};

/// The limits on a search. The first limit reached ends it. Without limits, it ends at
/// [`Host::should_stop`](crate::Host::should_stop).
///
/// ```
/// use ai_api::Limits;
///
/// let limits = Limits { nodes: Some(100_000), ..Limits::depth(8) };
/// assert_eq!(limits.hard_ms, None);
/// assert_eq!(Limits::movetime_ms(50).soft_ms, Some(50));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct Limits {
    /// The number of plies to complete, at least 1.
    pub depth: Option<u32>,
    /// The maximum number of positions to visit, at least 1.
    pub nodes: Option<u64>,
    /// Ends the search when the side to move is known to mate within this many plies (2 × moves −
    /// 1), or when this many plies are complete.
    pub mate_plies: Option<u32>,
    /// The time that the host would spend on the search, in milliseconds, at least 1. It starts
    /// when [`Host::is_pondering`](crate::Host::is_pondering) turns false.
    pub soft_ms: Option<u64>,
    /// When the host asks the AI to stop, in milliseconds. Equals `soft_ms`, unless the AI [manages
    /// its time](crate::Capabilities::manages_time) and the game has clocks.
    pub hard_ms: Option<u64>,
    /// Reserved for fields in later versions. End struct literals with `..`.
    #[doc(hidden)]
    #[cfg_attr(feature = "host", serde(skip))]
    pub further: Further,
}

impl Limits {
    /// No limits: the search runs until the host asks the AI to stop.
    pub const NONE: Self = Self {
        depth: None,
        nodes: None,
        mate_plies: None,
        soft_ms: None,
        hard_ms: None,
        further: Further::NONE,
    };

    /// Creates a depth limit in plies.
    pub const fn depth(plies: u32) -> Self {
        Self {
            depth: Some(plies),
            ..Self::NONE
        }
    }

    /// Creates a limit on visited positions.
    pub const fn nodes(nodes: u64) -> Self {
        Self {
            nodes: Some(nodes),
            ..Self::NONE
        }
    }

    /// Creates a time limit in milliseconds.
    pub const fn movetime_ms(ms: u64) -> Self {
        Self {
            soft_ms: Some(ms),
            hard_ms: Some(ms),
            ..Self::NONE
        }
    }
}

impl fmt::Display for Limits {
    /// Writes every limit, such as `depth 8, 50 ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self {
            depth,
            nodes,
            mate_plies,
            soft_ms,
            hard_ms,
            further: _,
        } = self;
        let texts = [
            depth.map(|depth| format!("depth {depth}")),
            nodes.map(|nodes| format!("{nodes} nodes")),
            mate_plies.map(|plies| format!("mate in {}", plies.div_ceil(2))),
            soft_ms.map(|ms| format!("{ms} ms")),
            hard_ms
                .filter(|_| hard_ms != soft_ms)
                .map(|ms| format!("at most {ms} ms")),
        ];
        let texts: Vec<_> = texts.into_iter().flatten().collect();
        f.write_str(if texts.is_empty() { "no limit" } else { "" })?;
        f.write_str(&texts.join(", "))
    }
}

/// The clocks of a game, by [`Color::index`](crate::Color::index).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct Clocks {
    /// The time left, in milliseconds.
    pub remaining_ms: [u64; 2],
    /// The time that each move adds, in milliseconds.
    pub increment_ms: [u64; 2],
    /// The number of moves until the next time control. 0 for none.
    pub moves_to_go: u32,
    /// Reserved for fields in later versions. End struct literals with `..`.
    #[doc(hidden)]
    #[cfg_attr(feature = "host", serde(skip))]
    pub further: Further,
}

/// A position to search. The game is never over: the side to move has a legal move, the material
/// suffices for mate, no position has occurred five times, and the last capture or pawn move was
/// less than 75 moves ago. A player might be able to claim a draw (threefold repetition, 50 moves).
#[derive(Clone, Copy, Debug)]
pub struct SearchRequest<'a> {
    /// The position to search, for its side to move.
    pub position: Position,
    /// The [hashes](Position::hash) of the earlier positions in the game that can still repeat,
    /// oldest first, without `position`. A position that occurred twice appears twice, and its next
    /// occurrence is the third, a draw.
    pub history: &'a [u64],
    /// The limits on the search.
    pub limits: Limits,
    /// The first position of the game.
    pub start: Position,
    /// The moves that led from `start` to `position`.
    pub moves: &'a [Move],
    /// The clocks of the game, if it has any.
    pub clocks: Option<Clocks>,
    /// The moves to choose from. If this is empty, every legal move is allowed.
    pub root_moves: &'a [Move],
    /// The number of requested lines, at least 1; see [`SearchResult::multipv`].
    pub lines: u32,
    /// The maximum number of nodes in the requested [trace](SearchResult::trace). 0 for none.
    pub trace_nodes: u32,
    /// Whether the request analyses a position instead of playing a game. An AI then searches
    /// instead of answering from a book.
    pub analysis: bool,
    /// Reserved for fields in later versions. End struct literals with `..`.
    #[doc(hidden)]
    pub further: Further,
}

impl SearchRequest<'_> {
    /// Creates a request for the best move in a position without a history.
    pub fn new(position: Position, limits: Limits) -> Self {
        Self {
            position,
            history: &[],
            limits,
            start: position,
            moves: &[],
            clocks: None,
            root_moves: &[],
            lines: 1,
            trace_nodes: 0,
            analysis: false,
            further: Further::NONE,
        }
    }
}

/// The result of a [`Searcher`](crate::Searcher).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct SearchResult {
    /// The move to play, one of the legal moves.
    pub best_move: Option<Move>,
    /// The score after `pv`, from White's point of view.
    pub score: Score,
    /// How `score` relates to the true score.
    pub bound: Bound,
    /// White's chances, if known.
    pub wdl: Option<Wdl>,
    /// Completed plies.
    pub depth: u32,
    /// Positions visited.
    pub nodes: u64,
    /// The principal variation, `best_move` first. The host shows its legal part.
    pub pv: Vec<Move>,
    /// The second best line, the third best and so on, if [`SearchRequest::lines`] asks for
    /// several. Each starts with a different move.
    pub multipv: Vec<PvLine>,
    /// The search tree, if [`SearchRequest::trace_nodes`] asks for one.
    pub trace: Vec<TraceNode>,
    /// Reserved for fields in later versions. End struct literals with `..`.
    #[doc(hidden)]
    #[cfg_attr(feature = "host", serde(skip))]
    pub further: Further,
}

/// A further line, after the best one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct PvLine {
    /// The score after the moves, from White's point of view.
    pub score: Score,
    /// How `score` relates to the true score.
    pub bound: Bound,
    /// White's chances, if known.
    pub wdl: Option<Wdl>,
    /// Completed plies.
    pub depth: u32,
    /// The moves. The host shows their legal part.
    pub moves: Vec<Move>,
    /// Reserved for fields in later versions. End struct literals with `..`.
    #[doc(hidden)]
    #[cfg_attr(feature = "host", serde(skip))]
    pub further: Further,
}

impl PvLine {
    /// Creates a line with an exact score.
    pub fn new(depth: u32, score: Score, moves: Vec<Move>) -> Self {
        Self {
            score,
            bound: Bound::Exact,
            wdl: None,
            depth,
            moves,
            further: Further::NONE,
        }
    }
}

impl SearchResult {
    /// Creates a result with only a move.
    pub fn play(best_move: Move) -> Self {
        Self {
            best_move: Some(best_move),
            nodes: 1,
            pv: vec![best_move],
            ..Self::NONE
        }
    }

    /// A result without a move, with score 0 and no visited positions.
    pub const NONE: Self = Self {
        best_move: None,
        score: Score::DRAW,
        bound: Bound::Exact,
        wdl: None,
        depth: 0,
        nodes: 0,
        pv: Vec::new(),
        multipv: Vec::new(),
        trace: Vec::new(),
        further: Further::NONE,
    };
}

/// A report on a search in progress: a line after each iteration or, without a [line](Self::pv),
/// an update between two iterations.
#[derive(Clone, Copy, Debug)]
pub struct SearchInfo<'a> {
    /// Completed plies.
    pub depth: u32,
    /// The score after `pv`, from White's point of view.
    pub score: Score,
    /// How `score` relates to the true score.
    pub bound: Bound,
    /// White's chances, if known.
    pub wdl: Option<Wdl>,
    /// Positions visited so far.
    pub nodes: u64,
    /// The best line so far. Empty if there is none to report.
    pub pv: &'a [Move],
    /// The number of the [line](SearchRequest::lines): 1 is the best one, 2 the second best.
    pub pv_number: u32,
    /// The length of the longest line searched. 0 if unknown.
    pub selective_depth: u32,
    /// Positions found in endgame tables so far.
    pub tablebase_hits: u64,
    /// How full the transposition table is, per mille. 0 if unknown.
    pub hashfull: u16,
    /// The root move that is being searched, and its number from 1.
    pub current: Option<(Move, u32)>,
    /// A message for human readers.
    pub text: Option<&'a str>,
    /// Reserved for fields in later versions. End struct literals with `..`.
    #[doc(hidden)]
    pub further: Further,
}

impl<'a> SearchInfo<'a> {
    /// Creates a report of the best line, with an exact score.
    pub fn new(depth: u32, score: Score, nodes: u64, pv: &'a [Move]) -> Self {
        Self {
            depth,
            score,
            pv,
            ..Self::news(nodes)
        }
    }

    /// Creates a report without a line, for a message or the current move between two iterations.
    pub const fn news(nodes: u64) -> Self {
        Self {
            depth: 0,
            score: Score::DRAW,
            bound: Bound::Exact,
            wdl: None,
            nodes,
            pv: &[],
            pv_number: 1,
            selective_depth: 0,
            tablebase_hits: 0,
            hashfull: 0,
            current: None,
            text: None,
            further: Further::NONE,
        }
    }
}

/// A named part of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct EvalTerm {
    /// The name, such as `material`. The unnamed remainder is called `rest`, and claims ignore it.
    pub name: String,
    /// Its part of the score, from White's point of view.
    pub score: Score,
    /// Reserved for fields in later versions. End struct literals with `..`.
    #[doc(hidden)]
    #[cfg_attr(feature = "host", serde(skip))]
    pub further: Further,
}

impl EvalTerm {
    /// Creates a term with a name and a score from White's point of view.
    pub fn new(name: &str, score: Score) -> Self {
        Self {
            name: name.into(),
            score,
            further: Further::NONE,
        }
    }
}

/// Why an AI failed.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub struct AiError {
    /// The kind of failure.
    pub kind: AiErrorKind,
    /// The reason, as a sentence for the operator.
    pub message: String,
}

/// The kinds of [`AiError`].
#[cfg_attr(not(feature = "host"), non_exhaustive)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
pub enum AiErrorKind {
    /// The AI returned an error.
    Failed,
    /// The AI panicked, or its state is unknown for another reason. The host creates a new
    /// instance.
    Panicked,
}

impl AiError {
    /// Creates an error that the AI returns.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            kind: AiErrorKind::Failed,
            message: message.into(),
        }
    }

    /// Marks the instance's state as unknown. The host creates a new instance.
    #[must_use]
    pub fn panicked(self) -> Self {
        Self {
            kind: AiErrorKind::Panicked,
            ..self
        }
    }
}

impl fmt::Display for AiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            AiErrorKind::Failed => f.write_str(&self.message),
            AiErrorKind::Panicked => write!(f, "panicked: {}", self.message),
        }
    }
}

impl std::error::Error for AiError {}
