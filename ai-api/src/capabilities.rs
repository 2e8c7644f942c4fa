//! Capabilities that an AI declares.

use crate::further::Further;

/// What an AI can do beyond the minimum, and what it needs. The host requests nothing that an AI
/// does not declare.
///
/// ```
/// use ai_api::Capabilities;
///
/// let capabilities = Capabilities { chess960: true, threads: 3, ..Capabilities::default() };
/// assert_eq!(capabilities.max_lines, 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "host", derive(serde::Serialize, serde::Deserialize))]
#[expect(clippy::struct_excessive_bools, reason = "independent capabilities")]
pub struct Capabilities {
    /// Plays positions where kings and rooks may start elsewhere, as in Chess960.
    pub chess960: bool,
    /// Chooses only among [`SearchRequest::root_moves`](crate::SearchRequest::root_moves) if a
    /// request lists any.
    pub root_moves: bool,
    /// Keeps searching while [`Host::is_pondering`](crate::Host::is_pondering).
    pub ponder: bool,
    /// Divides the time on the [clocks](crate::SearchRequest::clocks) itself, between [`soft_ms`
    /// and `hard_ms`](crate::Limits).
    pub manages_time: bool,
    /// The maximum number of [lines](crate::SearchRequest::lines) that it reports at once,
    /// including the best one. 1 for only the best line.
    pub max_lines: u32,
    /// The maximum number of nodes in a [trace](crate::SearchRequest::trace_nodes) that it returns.
    /// 0 for none.
    pub max_trace_nodes: u32,
    /// The number of threads that it starts in addition to the searching one. The host does not
    /// start an AI that needs more than the operator grants.
    pub threads: u32,
    /// How many megabytes of memory it needs, including its library. 0 if unknown. The host does
    /// not start an AI that needs more than the operator grants.
    pub memory_mb: u64,
    /// Whether its results may differ under the same depth or node limit, because it searches with
    /// several threads or keeps a table across [`Ai::new_game`](crate::Ai::new_game).
    #[cfg_attr(feature = "host", serde(default))]
    pub varies: bool,
    /// Reserved for fields in later versions. End struct literals with `..`.
    #[doc(hidden)]
    #[cfg_attr(feature = "host", serde(skip))]
    pub further: Further,
}

impl Capabilities {
    /// The minimum: only the best line, in orthodox chess, on one thread.
    pub const SIMPLEST: Self = Self {
        chess960: false,
        root_moves: false,
        ponder: false,
        manages_time: false,
        max_lines: 1,
        max_trace_nodes: 0,
        threads: 0,
        memory_mb: 0,
        varies: false,
        further: Further::NONE,
    };
}

impl Default for Capabilities {
    fn default() -> Self {
        Self::SIMPLEST
    }
}
