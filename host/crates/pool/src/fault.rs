//! AI faults, and the reasons to reject a request.

use std::{fmt, time::Duration};

use serde::{Deserialize, Deserializer, Serialize};
use strum::{Display, IntoStaticStr, VariantArray};
use text::printable;

/// The maximum number of attempts for a job that crashes its AI.
const MAX_ATTEMPTS: u32 = 2;
/// The maximum number of attempts for a job or a start whose worker is killed from outside.
pub(crate) const MAX_ATTEMPTS_IF_KILLED: u32 = 5;

/// An AI's fault, or the reason to reject a request for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// It returned an error, or panicked.
    #[error("the AI failed: {0}")]
    Failed(FaultReason),
    #[error("the AI crashed: {0}")]
    Crashed(FaultReason),
    /// Its process was killed by an operator, by another process, or by the kernel when memory ran
    /// out.
    #[error("the AI's process was killed: {0}")]
    Killed(FaultReason),
    /// It exceeded its memory limit.
    #[error("the AI ran out of memory: {0}")]
    OutOfMemory(FaultReason),
    /// Its worker failed while it probed a tablebase, which may be damaged.
    #[error(
        "a tablebase could not be probed: {0}; check the files in the [tablebases] directories"
    )]
    Tablebase(FaultReason),
    /// It played no move, or an illegal one.
    #[error("the AI {0}; expected a legal move")]
    IllegalMove(FaultReason),
    #[error("the AI's process broke the protocol: {0}")]
    Protocol(FaultReason),
    #[error("{0}")]
    Stalled(Stall),
    #[error(
        "{fault}; this request killed {kills} workers in a row; blocked for {} s",
        whole_seconds(*retry_after)
    )]
    BlockedRequest {
        fault: Box<Fault>,
        kills: u32,
        retry_after: Duration,
    },
    /// The circuit is open.
    #[error("the AI is not available: {reason}; try again in {} ms", retry_after.as_millis())]
    Unavailable {
        reason: FaultReason,
        retry_after: Duration,
    },
    #[error(
        "{waiting} requests are already waiting for the AI; try again in {} s",
        whole_seconds(*retry_after)
    )]
    QueueFull {
        waiting: usize,
        retry_after: Duration,
    },
    /// The request waited too long in the queue.
    #[error(
        "no worker of the AI was free within {} ms; try again in {} s",
        waited.as_millis(),
        whole_seconds(*retry_after)
    )]
    NotStarted {
        waited: Duration,
        retry_after: Duration,
    },
    #[error("the server is shutting down; try again in {} s", .0.as_secs())]
    ShuttingDown(Duration),
    /// A slot on another machine rejected the job, which goes back to the head of the queue.
    #[error("the node has no free worker")]
    Declined,
    /// The machine that ran the job has disappeared, or has lost the job.
    #[error("{reason}; try again in {} s", whole_seconds(*retry_after))]
    Lost {
        reason: FaultReason,
        retry_after: Duration,
    },
}

/// The stable code of a fault, as clients see it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, VariantArray, IntoStaticStr, Display,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum FaultCode {
    AiFailed,
    AiCrashed,
    AiOutOfMemory,
    AiIllegalMove,
    AiProtocolError,
    AiTimeout,
    AiUnavailable,
    QueueFull,
    /// Neither the AI nor the request is the cause.
    Internal,
}

/// The reason for a fault, in two parts. [`Display`](fmt::Display) writes only the part for all
/// clients.
///
/// Deserializing a reason cleans both parts, because another machine may have written them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultReason {
    /// For clients and operators.
    #[serde(deserialize_with = "cleaned")]
    summary: String,
    /// Only for operators, such as the process's output; often empty. It may contain one client's
    /// data, which other clients must not read.
    #[serde(deserialize_with = "cleaned")]
    details: String,
}

impl FaultReason {
    #[must_use]
    pub(crate) fn with_summary(&self, summary: impl Into<String>) -> Self {
        Self {
            summary: summary.into(),
            ..self.clone()
        }
    }

    #[must_use]
    pub fn with_details(self, details: impl Into<String>) -> Self {
        Self {
            details: details.into(),
            ..self
        }
    }
}

impl<T: Into<String>> From<T> for FaultReason {
    fn from(summary: T) -> Self {
        Self {
            summary: summary.into(),
            details: String::new(),
        }
    }
}

impl fmt::Display for FaultReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)
    }
}

fn cleaned<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|text| printable(&text))
}

/// An exceeded deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stall {
    #[error("the AI did not answer within {} ms, even after it was asked to stop", .0.as_millis())]
    Answer(Duration),
    #[error(
        "the AI was not ready for a new game within {} ms (new_game_timeout_ms in its [ai.ID])",
        .0.as_millis()
    )]
    NewGame(Duration),
    /// Creating an instance with different options took too long.
    #[error(
        "the AI was not ready with its new options within {} ms (new_game_timeout_ms in its \
         [ai.ID])",
        .0.as_millis()
    )]
    Instance(Duration),
    /// It did not answer, and has reached a resource limit.
    #[error("the AI did not answer within {} ms: {shortage}", time.as_millis())]
    Short { time: Duration, shortage: Shortage },
    /// The machine is too busy.
    #[error("the AI's worker waited {} ms for a processor after its time was up; this machine \
        runs too many busy processes", .0.as_millis())]
    Starved(Duration),
}

impl Stall {
    pub(crate) const fn time(self) -> Duration {
        match self {
            Self::Answer(time)
            | Self::NewGame(time)
            | Self::Instance(time)
            | Self::Starved(time)
            | Self::Short { time, .. } => time,
        }
    }
}

/// The resource that an AI lacks, with the limit on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shortage {
    #[error(
        "its limit is {0} MB (memory_mb in its [ai.ID]); try memory_mb = {double}",
        double = .0.saturating_mul(2)
    )]
    Memory(u64),
    #[error(
        "its limit is {0} threads (threads in its [ai.ID]); try threads = {double}",
        double = .0.saturating_mul(2).max(1)
    )]
    Threads(u64),
}

impl Fault {
    /// The worker sent a reply that matches no request.
    pub(crate) fn unexpected_reply() -> Self {
        Self::Protocol("it sent an unexpected reply".into())
    }

    pub const fn code(&self) -> FaultCode {
        match self {
            Self::Failed(_) => FaultCode::AiFailed,
            Self::Crashed(_) | Self::Killed(_) => FaultCode::AiCrashed,
            Self::OutOfMemory(_) => FaultCode::AiOutOfMemory,
            Self::Tablebase(_) => FaultCode::Internal,
            Self::IllegalMove(_) => FaultCode::AiIllegalMove,
            Self::Protocol(_) => FaultCode::AiProtocolError,
            Self::Stalled(_) => FaultCode::AiTimeout,
            Self::BlockedRequest { fault, .. } => fault.code(),
            Self::Unavailable { .. } | Self::ShuttingDown(_) | Self::Lost { .. } => {
                FaultCode::AiUnavailable
            }
            Self::QueueFull { .. } | Self::NotStarted { .. } | Self::Declined => {
                FaultCode::QueueFull
            }
        }
    }

    pub fn reason(&self) -> Option<&FaultReason> {
        match self {
            Self::Failed(reason)
            | Self::Crashed(reason)
            | Self::Killed(reason)
            | Self::OutOfMemory(reason)
            | Self::Tablebase(reason)
            | Self::IllegalMove(reason)
            | Self::Protocol(reason)
            | Self::Unavailable { reason, .. }
            | Self::Lost { reason, .. } => Some(reason),
            Self::BlockedRequest { fault, .. } => fault.reason(),
            _ => None,
        }
    }

    pub fn details(&self) -> Option<&str> {
        self.reason()
            .map(|reason| reason.details.as_str())
            .filter(|details| !details.is_empty())
    }

    /// Returns the message with the details, for operators: in logs, on the command line, and for
    /// clients with admin rights.
    pub fn in_full(&self) -> String {
        match (self, self.details()) {
            // The message replaces the summary, which says only that the AI returned an error.
            (Self::Failed(_), Some(message)) => format!("the AI failed: {message}"),
            (_, details) => with_details(self, details),
        }
    }

    /// Returns whether the process must be replaced.
    pub const fn kills_worker(&self) -> bool {
        self.is_ai_fault() || matches!(self, Self::Killed(_) | Self::Stalled(Stall::Starved(_)))
    }

    /// Returns whether the AI or the request is the reason to replace the process. A fault in a
    /// tablebase is included, because the AI or the request would cause it again.
    pub(crate) const fn is_ai_fault(&self) -> bool {
        matches!(
            self,
            Self::Crashed(_)
                | Self::OutOfMemory(_)
                | Self::Tablebase(_)
                | Self::Protocol(_)
                | Self::Stalled(
                    Stall::Answer(_) | Stall::NewGame(_) | Stall::Instance(_) | Stall::Short { .. }
                )
        )
    }

    /// Returns the maximum number of attempts for a job with this fault.
    pub(crate) const fn max_attempts(&self) -> u32 {
        match self {
            Self::Killed(_) => MAX_ATTEMPTS_IF_KILLED,
            Self::Crashed(_)
            | Self::OutOfMemory(_)
            | Self::Tablebase(_)
            | Self::Protocol(_)
            | Self::Lost { .. } => MAX_ATTEMPTS,
            _ => 1,
        }
    }

    /// Returns when the client may retry, if waiting helps.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::BlockedRequest { retry_after, .. }
            | Self::Unavailable { retry_after, .. }
            | Self::NotStarted { retry_after, .. }
            | Self::QueueFull { retry_after, .. }
            | Self::Lost { retry_after, .. }
            | Self::ShuttingDown(retry_after) => Some(*retry_after),
            _ => None,
        }
    }
}

/// Appends the details for operators to a message.
pub(crate) fn with_details(message: &dyn fmt::Display, details: Option<&str>) -> String {
    details.map_or_else(
        || message.to_string(),
        |details| format!("{message}; {details}"),
    )
}

/// Rounds up, so that a client that waits this long does not retry too early.
fn whole_seconds(time: Duration) -> u64 {
    time.as_secs()
        .saturating_add(u64::from(time.subsec_nanos() > 0))
}
