//! The options and bounds of a search.

/// The deepest iteration.
pub const MAX_DEPTH: u32 = 128;
/// The greatest number of lines that a search reports.
pub const MAX_LINES: u32 = 64;
/// The most nodes of a trace.
pub const MAX_TRACE_NODES: u32 = 4000;
/// The longest path from the root, quiescence included.
pub(crate) const MAX_PLY: usize = MAX_DEPTH as usize + 32;
/// The half-move clock from which a position counts as drawn.
pub(crate) const FIFTY_MOVES: u8 = 100;

/// The options of a [`Search`](crate::Search).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// Size of the transposition table in mebibytes. The system allocates its memory on first use.
    pub hash_mb: u32,
    /// Whether captures, promotions and evasions of checks are searched below the last ply.
    pub quiescence: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { hash_mb: 16, quiescence: true }
    }
}
