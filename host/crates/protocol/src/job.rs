//! A job for an AI, and its result.

use ai_api::{
    Bound, Clocks, EvalTerm, Limits, Move, OptionSetting, Score, SearchInfo, SearchResult,
    TableProbe, Wdl,
};
use serde::{Deserialize, Serialize};

/// The maximum number of principal variations per search.
pub const MAX_LINES: u32 = 64;
/// The maximum number of nodes per trace. That many fit into a frame with [`MAX_LINES`] lines.
pub const MAX_TRACE_NODES: u32 = 4000;

/// A search, an evaluation or a tablebase probe, with the complete game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Whether the job must not depend on earlier ones. If so, the AI starts a new game first.
    #[serde(default = "yes")]
    pub fresh: bool,
    /// The first position of the game.
    pub fen: String,
    /// The moves played from that position.
    pub moves: Vec<Move>,
    pub task: Task,
    pub params: SearchParams,
    /// The value of each of the AI's options; empty for the configured values. A worker applies
    /// them before the job.
    pub options: Vec<OptionSetting>,
}

/// Servers of earlier versions do not send `fresh`.
const fn yes() -> bool {
    true
}

impl Job {
    /// Returns whether this job continues the game of an earlier one.
    pub fn continues(&self, earlier: &Self) -> bool {
        self.fen == earlier.fen && self.moves.starts_with(&earlier.moves)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    Search(Limits),
    /// Evaluate the position without a search.
    Evaluate,
    /// Probe the tablebases. The worker answers, not its AI.
    Probe,
}

impl Task {
    /// Returns whether a search is repeatable: it has a limit other than time.
    pub const fn is_repeatable(&self) -> bool {
        let limits = self.limits();
        limits.depth.is_some() || limits.nodes.is_some() || limits.mate_plies.is_some()
    }

    /// Returns the limits of a search; none for other tasks.
    pub const fn limits(&self) -> Limits {
        match *self {
            Self::Search(limits) => limits,
            Self::Evaluate | Self::Probe => Limits::NONE,
        }
    }
}

/// Parameters of a search other than its limits. They stay within the AI's declared capabilities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchParams {
    /// The number of principal variations, at least 1.
    pub lines: u32,
    pub trace_nodes: u32,
    /// The moves to choose from; empty for all legal moves.
    pub root_moves: Vec<Move>,
    pub clocks: Option<Clocks>,
    /// Whether the opponent is still thinking. The AI then ponders until
    /// [`Control::PonderHit`](crate::Control::PonderHit).
    pub ponder: bool,
    /// Whether the request analyses a position rather than plays a game.
    #[serde(default)]
    pub analysis: bool,
}

impl Default for SearchParams {
    /// One principal variation, and no trace.
    fn default() -> Self {
        Self {
            lines: 1,
            trace_nodes: 0,
            root_moves: Vec::new(),
            clocks: None,
            ponder: false,
            analysis: false,
        }
    }
}

/// The result of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Response {
    Searched(SearchResult),
    /// The score and its terms, for White.
    Evaluated(Score, Vec<EvalTerm>),
    Probed(Probed),
}

/// What the tablebases say about a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Probed {
    /// `None` if no table covers the position.
    pub found: Option<TableProbe>,
    /// The maximum number of pieces in a table, including kings; 0 without tables.
    pub max_pieces: u32,
}

/// The form in which [`ai_api::SearchInfo`] is sent. A value without a principal variation is an
/// update between two iterations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    pub depth: u32,
    pub score: Score,
    pub nodes: u64,
    pub pv: Vec<Move>,
    pub pv_number: u32,
    pub bound: Bound,
    pub wdl: Option<Wdl>,
    pub selective_depth: u32,
    #[serde(default)]
    pub tablebase_hits: u64,
    #[serde(default)]
    pub hashfull: u16,
    #[serde(default)]
    pub current: Option<(Move, u32)>,
    #[serde(default)]
    pub text: Option<String>,
}

impl From<&SearchInfo<'_>> for Iteration {
    fn from(info: &SearchInfo<'_>) -> Self {
        Self {
            depth: info.depth,
            score: info.score,
            nodes: info.nodes,
            pv: info.pv.to_vec(),
            pv_number: info.pv_number,
            bound: info.bound,
            wdl: info.wdl,
            selective_depth: info.selective_depth,
            tablebase_hits: info.tablebase_hits,
            hashfull: info.hashfull,
            current: info.current,
            text: info.text.map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continues_a_game_with_the_same_start_and_further_moves() {
        let job = |fen: &str, moves: &[u16]| {
            let moves = moves.iter().map(|&bits| Move::from_bits(bits)).collect();
            let (params, options) = (SearchParams::default(), Vec::new());
            Job {
                fresh: false,
                fen: fen.into(),
                moves,
                task: Task::Evaluate,
                params,
                options,
            }
        };
        let earlier = job("8/8", &[1, 2]);
        assert!(job("8/8", &[1, 2]).continues(&earlier));
        assert!(job("8/8", &[1, 2, 3, 4]).continues(&earlier));
        for other in [
            job("8/7", &[1, 2]),
            job("8/8", &[1]),
            job("8/8", &[1, 3, 2]),
        ] {
            assert!(!other.continues(&earlier), "{other:?}");
        }
    }
}
