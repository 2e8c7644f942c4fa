//! What an AI declares that it can do and that it needs.

/// What an AI can do beyond the simplest, and what it needs. The host asks nothing of an AI that it does not declare.
///
/// ```
/// use ai_api::Abilities;
///
/// let abilities = Abilities { chess960: true, threads: 3, ..Abilities::default() };
/// assert_eq!(abilities.max_lines, 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Abilities {
    /// Plays Chess960 and every other start from which castling is written as king takes rook.
    pub chess960: bool,
    /// Keeps to [`Question::root_moves`](crate::Question::root_moves).
    pub root_moves: bool,
    /// Thinks on while [`Host::is_pondering`](crate::Host::is_pondering), its time not running.
    pub ponder: bool,
    /// The most [lines](crate::Question::lines) that it tells at once; 1 for an AI that knows its best alone.
    pub max_lines: u32,
    /// The most nodes of a [trace](crate::Question::trace_nodes) that it tells; 0 for none.
    pub max_trace_nodes: u32,
    /// The threads that it starts beside the one that is asked. The host does not start an AI that needs more than it
    /// may have.
    pub threads: u32,
    /// The megabytes of memory that it needs, its library included; 0 where it does not say. As with `threads`.
    pub memory_mb: u64,
}

impl Abilities {
    /// An AI that tells its best line of orthodox chess, on one thread.
    pub const SIMPLEST: Self = Self {
        chess960: false,
        root_moves: false,
        ponder: false,
        max_lines: 1,
        max_trace_nodes: 0,
        threads: 0,
        memory_mb: 0,
    };
}

impl Default for Abilities {
    fn default() -> Self {
        Self::SIMPLEST
    }
}
