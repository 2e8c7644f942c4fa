//! The game service's errors.

use pool::{Ai, Fault, FaultCode, TablebaseError};

#[derive(Clone, Debug, thiserror::Error)]
pub enum ServiceError {
    #[error(
        "the AI '{ai}' only searches and does not evaluate positions; choose an AI with \
         'evaluator' in its 'kinds'"
    )]
    NoEvaluator { ai: String },
    #[error(
        "the game is Chess960, which the AI '{ai}' does not play; choose an AI with the capability \
         'chess960'"
    )]
    NoChess960 { ai: String },
    #[error(
        "the AI '{ai}' does not return a search trace; choose an AI with the capability \
         'trace_nodes', or omit 'trace'"
    )]
    NoTrace { ai: String },
    #[error(
        "the AI '{ai}' does not restrict its search to given moves; choose an AI with the \
         capability 'root_moves', or omit 'root_moves'"
    )]
    NoRootMoves { ai: String },
    #[error("AI '{ai}': {fault}{}", if fault.kills_worker() {
        "; its process is restarting; try again"
    } else {
        ""
    })]
    Fault { ai: String, fault: Fault },
    /// The AI is unavailable, and its fallback was not asked because the request sets options of
    /// the AI.
    #[error(
        "AI '{ai}': {fault}; its fallback '{fallback}' does not have the requested options; omit \
         them to use it"
    )]
    NotForFallback {
        ai: String,
        fault: Fault,
        fallback: String,
    },
    #[error(
        "the report timed out after {time_ms} ms (report_timeout_ms in [server]) with {done} of \
         {of} half-moves judged; try again later, or send fewer moves"
    )]
    ReportTimeout {
        time_ms: u64,
        done: usize,
        of: usize,
    },
    #[error(
        "no table covers the position, which has {pieces} pieces{}; {}",
        if *has_castling { " and castling rights" } else { "" },
        match max_pieces {
            0 => "no tables are installed ([tablebases] directories)".to_owned(),
            _ => format!("tables have at most {max_pieces}"),
        }
    )]
    NoTable {
        pieces: u32,
        has_castling: bool,
        /// 0 if no tables are installed.
        max_pieces: u32,
    },
    #[error("{0}")]
    Tablebase(TablebaseError),
    #[error("internal error: {0}")]
    Internal(&'static str),
}

impl ServiceError {
    pub(crate) fn fault(ai: &Ai, fault: Fault) -> Self {
        Self::Fault {
            ai: ai.id.clone(),
            fault,
        }
    }

    /// Returns whether the AI's queue was full, or no worker was free in time.
    pub fn is_queue_full(&self) -> bool {
        matches!(self, Self::Fault { fault, .. } if fault.code() == FaultCode::QueueFull)
    }
}
