//! The options and capabilities of a search.

use ai_api::Capabilities;
use ai_search::{MAX_LINES, MAX_TRACE_NODES};

/// The options of a [`Search`](crate::search::Search).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchOptions {
    /// The size of the transposition table in mebibytes.
    pub hash_mb: u32,
    /// The number of threads that search.
    pub threads: u32,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            hash_mb: 16,
            threads: 1,
        }
    }
}

impl SearchOptions {
    /// Returns the capabilities of an AI whose search has these options.
    pub const fn capabilities(self) -> Capabilities {
        const MB_OF_PROCESS: u32 = 32;
        const MB_PER_THREAD: u32 = 8;
        Capabilities {
            chess960: true,
            root_moves: true,
            ponder: true,
            manages_time: true,
            max_lines: MAX_LINES,
            max_trace_nodes: MAX_TRACE_NODES,
            threads: self.threads.saturating_sub(1),
            varies: self.threads > 1,
            memory_mb: (self.hash_mb + MB_OF_PROCESS + MB_PER_THREAD * self.threads) as u64,
            ..Capabilities::SIMPLEST
        }
    }
}
