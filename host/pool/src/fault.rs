//! What can go wrong when an AI is asked.

use std::{fmt, time::Duration};

/// How often a question is put to an AI that crashes over it: once more.
const TIMES_TO_ASK: u32 = 2;
/// How often it is where the AI can't help it, because somebody else has killed its process.
pub(super) const TIMES_TO_ASK_IF_KILLED: u32 = 5;

/// What an AI did instead of answering, or why it was not asked. Each has its own code and its own status.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It returned an error, or panicked and said so.
    #[error("the AI failed: {0}")]
    Failed(FaultReason),
    /// Its process ended.
    #[error("the AI crashed: {0}")]
    Crashed(FaultReason),
    /// Somebody else has ended its process: an operator, or the kernel for want of memory.
    #[error("the AI's process was killed: {0}")]
    Killed(FaultReason),
    /// It wanted more memory than there is for it.
    #[error("the AI ran out of memory: {0}")]
    OutOfMemory(FaultReason),
    /// It played no move, or one that is not legal.
    #[error("the AI {0}; only a legal move is an answer")]
    IllegalMove(FaultReason),
    /// It said something that is not of the protocol.
    #[error("the AI's process broke the protocol: {0}")]
    Protocol(FaultReason),
    /// It did not do in time what it was asked to.
    #[error("{0}")]
    Stalled(Stall),
    /// The question has cost it too many workers already.
    #[error(
        "{fault}; this request killed {kills} workers in a row; blocked for {} s",
        whole_seconds(*retry_after)
    )]
    BlockedRequest {
        /// What happened the last time.
        fault: Box<Fault>,
        /// How many.
        kills: u32,
        /// When it may be asked again.
        retry_after: Duration,
    },
    /// It fails again and again, and is left alone for a while.
    #[error("the AI is not available: {reason}; the next try is in {} ms", retry_after.as_millis())]
    Unavailable {
        /// Why not.
        reason: FaultReason,
        /// When it is tried again.
        retry_after: Duration,
    },
    /// Too many requests wait for it already.
    #[error("{waiting} requests wait for the AI already; try again in {} s", whole_seconds(*retry_after))]
    QueueFull {
        /// How many.
        waiting: usize,
        /// When it makes sense to come again.
        retry_after: Duration,
    },
    /// No worker has become free in time.
    #[error("no worker of the AI was free within {} ms; try again in {} s", waited.as_millis(), whole_seconds(*retry_after))]
    NotStarted {
        /// How long the request waited.
        waited: Duration,
        /// When it makes sense to come again.
        retry_after: Duration,
    },
    /// The server is about to end.
    #[error("the server is shutting down; try again in {} s", .0.as_secs())]
    ShuttingDown(Duration),
}

/// Why an AI failed, in two parts. [`Display`](fmt::Display) writes only what every client may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultReason {
    /// For clients and operators.
    summary: String,
    /// For operators only, such as what the process wrote before it ended; often empty. It can hold what one client asked, and
    /// another client must not read that.
    details: String,
}

impl FaultReason {
    /// The AI returned an error. Its message is for operators only: it can name files and processes of the server, or the game
    /// of another client.
    pub fn returned_error(message: impl Into<String>) -> Self {
        Self::from("it returned an error").with_details(message)
    }

    /// The same under another summary.
    #[must_use]
    pub fn summed_up(&self, summary: impl Into<String>) -> Self {
        Self { summary: summary.into(), ..self.clone() }
    }

    /// Adds what only operators read.
    #[must_use]
    pub fn with_details(self, details: impl Into<String>) -> Self {
        Self { details: details.into(), ..self }
    }
}

impl<T: Into<String>> From<T> for FaultReason {
    fn from(summary: T) -> Self {
        Self { summary: summary.into(), details: String::new() }
    }
}

impl fmt::Display for FaultReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)
    }
}

/// What took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stall {
    /// An answer; how long it may take.
    #[error("the AI did not answer within {} ms, not even when asked to stop", .0.as_millis())]
    Answer(Duration),
    /// The beginning of a new game; how long it may take.
    #[error(
        "the AI was not ready for a new game within {} ms (new_game_timeout_ms in its [ai.ID])",
        .0.as_millis()
    )]
    NewGame(Duration),
    /// The making of an instance with other options; how long it may take.
    #[error(
        "the AI was not ready with other options within {} ms (new_game_timeout_ms in its [ai.ID])",
        .0.as_millis()
    )]
    Instance(Duration),
}

impl Fault {
    /// Every code.
    pub const CODES: [&'static str; 8] = [
        "ai_failed",
        "ai_crashed",
        "ai_out_of_memory",
        "ai_illegal_move",
        "ai_protocol_error",
        "ai_timeout",
        "ai_unavailable",
        "queue_full",
    ];

    /// The stable code that clients see.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Failed(_) => "ai_failed",
            Self::Crashed(_) | Self::Killed(_) => "ai_crashed",
            Self::OutOfMemory(_) => "ai_out_of_memory",
            Self::IllegalMove(_) => "ai_illegal_move",
            Self::Protocol(_) => "ai_protocol_error",
            Self::Stalled(_) => "ai_timeout",
            Self::BlockedRequest { fault, .. } => fault.code(),
            Self::Unavailable { .. } | Self::ShuttingDown(_) => "ai_unavailable",
            Self::QueueFull { .. } | Self::NotStarted { .. } => "queue_full",
        }
    }

    /// What only operators read, if there is anything.
    pub fn details(&self) -> Option<&str> {
        match self {
            Self::Failed(reason)
            | Self::Crashed(reason)
            | Self::Killed(reason)
            | Self::OutOfMemory(reason)
            | Self::IllegalMove(reason)
            | Self::Protocol(reason)
            | Self::Unavailable { reason, .. } => {
                Some(reason.details.as_str()).filter(|details| !details.is_empty())
            }
            Self::BlockedRequest { fault, .. } => fault.details(),
            _ => None,
        }
    }

    /// The message with the details, for operators: logs, the command line, administrators.
    pub fn in_full(&self) -> String {
        match (self, self.details()) {
            // The message says more than that there is one.
            (Self::Failed(_), Some(message)) => format!("the AI failed: {message}"),
            (_, details) => with_details(self, details),
        }
    }

    /// Whether the AI's process is of no use after it.
    pub const fn kills_worker(&self) -> bool {
        self.is_ai_fault() || matches!(self, Self::Killed(_))
    }

    /// Whether it has cost the worker, and the AI or the question is to blame.
    pub(super) const fn is_ai_fault(&self) -> bool {
        matches!(self, Self::Crashed(_) | Self::OutOfMemory(_) | Self::Protocol(_) | Self::Stalled(_))
    }

    /// How often a question that ends so may be asked in all.
    pub(super) const fn times_to_ask(&self) -> u32 {
        match self {
            Self::Killed(_) => TIMES_TO_ASK_IF_KILLED,
            Self::Crashed(_) | Self::OutOfMemory(_) | Self::Protocol(_) => TIMES_TO_ASK,
            _ => 1,
        }
    }

    /// When the client may come again, where waiting helps.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::BlockedRequest { retry_after, .. }
            | Self::Unavailable { retry_after, .. }
            | Self::NotStarted { retry_after, .. }
            | Self::QueueFull { retry_after, .. }
            | Self::ShuttingDown(retry_after) => Some(*retry_after),
            _ => None,
        }
    }
}

/// A message for operators.
pub(super) fn with_details(message: &dyn fmt::Display, details: Option<&str>) -> String {
    details.map_or_else(|| message.to_string(), |details| format!("{message}; {details}"))
}

/// Never so few that whoever waits as long comes too early.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}
