//! What can go wrong when an AI is asked.

use std::time::Duration;

/// What an AI did instead of answering, or why it was not asked. Each has its own code and its own status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It returned an error, or panicked and said so.
    #[error("the AI failed: {0}")]
    Failed(String),
    /// Its process ended.
    #[error("the AI crashed: {0}")]
    Crashed(String),
    /// It wanted more memory than there is for it.
    #[error("the AI ran out of memory: {0}")]
    OutOfMemory(String),
    /// It played no move, or one that is not legal.
    #[error("the AI {0}; only a legal move is an answer")]
    IllegalMove(String),
    /// It said something that is not of the protocol.
    #[error("the AI's process broke the protocol: {0}")]
    Protocol(String),
    /// It did not answer in time, even when asked to stop.
    #[error("the AI did not answer within {} ms, not even when asked to stop", .0.as_millis())]
    Stalled(Duration),
    /// It can't be started; when it is tried again.
    #[error("the AI does not run: {reason}; the next try is in {} ms", retry_after.as_millis())]
    Unavailable {
        /// Why not.
        reason: String,
        /// When it is tried again.
        retry_after: Duration,
    },
    /// Too many requests wait for it already.
    #[error("{waiting} requests wait for the AI already; try again in {} s", retry_after.as_secs())]
    QueueFull {
        /// How many.
        waiting: usize,
        /// When it makes sense to come again.
        retry_after: Duration,
    },
    /// The server is about to end.
    #[error("the server is shutting down; try again in {} s", .0.as_secs())]
    ShuttingDown(Duration),
}

impl Fault {
    /// The stable code that clients see.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Failed(_) => "ai_failed",
            Self::Crashed(_) => "ai_crashed",
            Self::OutOfMemory(_) => "ai_out_of_memory",
            Self::IllegalMove(_) => "ai_illegal_move",
            Self::Protocol(_) => "ai_protocol",
            Self::Stalled(_) => "ai_stalled",
            Self::Unavailable { .. } | Self::ShuttingDown(_) => "ai_unavailable",
            Self::QueueFull { .. } => "queue_full",
        }
    }

    /// Whether the AI's process is of no use after it.
    pub const fn costs_the_worker(&self) -> bool {
        matches!(self, Self::Crashed(_) | Self::OutOfMemory(_) | Self::Protocol(_) | Self::Stalled(_))
    }

    /// When the client may come again, where waiting helps.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Unavailable { retry_after, .. }
            | Self::QueueFull { retry_after, .. }
            | Self::ShuttingDown(retry_after) => Some(*retry_after),
            _ => None,
        }
    }
}
