//! The messages between gateways and nodes, in JSON.
//!
//! They belong to version 1 of the protocol (`rookery.v1.`). Readers ignore unknown fields, and a
//! field may be added if leaving it out keeps the old meaning. Any other change needs a new version
//! in the subjects.

use std::{fmt, time::Duration};

use ai_api::{Capabilities, Limits, OptionSetting, OptionSpec};
use library::sha256::{Hexadecimal, Sha256Sum};
use protocol::{Confined, Iteration, Job, RequestId, Response, TraceParent};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use text::printable;

/// The maximum size of a message, sent or accepted. NATS allows 1 MiB by default.
pub const MAX_MESSAGE_BYTES: usize = 960 * 1024;
/// The maximum size of an AI's description.
pub(crate) const MAX_DESCRIPTION_BYTES: usize = 64 * 1024;
/// The maximum number of AIs per node.
pub(crate) const MAX_AIS: usize = 32;

/// A random number in hexadecimal that identifies a job, a gateway, or one run of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Id(String);

impl Id {
    /// # Errors
    /// The system provides no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(Hexadecimal(&bytes).to_string()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn hashed(&self) -> Hashed {
        let sum = Sha256Sum::of(self.0.as_bytes()).to_string();
        Hashed(Self(sum[..self.0.len()].to_owned()))
    }
}

/// The hash of an [`Id`]. The owner of the id recognizes the hash. Others cannot derive the id from
/// it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Hashed(Id);

impl TryFrom<String> for Id {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_id = text.len() == 32
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_id {
            Ok(Self(text))
        } else {
            Err("an id must have 32 lower-case hexadecimal digits")
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A message from a node to all gateways, sent every second and on every change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Announcement {
    /// Identifies the node's run. If it changes, the node has restarted and has lost its earlier
    /// jobs.
    pub(crate) instance: Id,
    /// Increases with each announcement.
    pub(crate) number: u64,
    /// The node's clock, in milliseconds since its start.
    pub(crate) tick_ms: u64,
    /// Whether the node has stopped accepting jobs.
    #[serde(default)]
    pub(crate) draining: bool,
    pub(crate) ais: Vec<OfferedAi>,
    /// The jobs that are running or whose results are not acknowledged yet.
    pub(crate) jobs: Vec<RunningJob>,
}

/// A node's AI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OfferedAi {
    pub(crate) id: String,
    /// The SHA-256 of its library, its options and its granted files.
    pub(crate) fingerprint: String,
    /// How many jobs it runs at a time.
    pub(crate) slots: u32,
    /// How many of the slots are free now.
    pub(crate) free: u32,
}

/// A job, in a form that all servers may see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunningJob {
    pub(crate) gateway: Hashed,
    pub(crate) job: Hashed,
}

/// A message from a gateway to one node. The subject contains the name of the gateway's server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) gateway: Id,
    pub(crate) order: OrderKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OrderKind {
    /// Describe an AI.
    Describe(String),
    Ask(Box<Ask>),
    /// Finish a job now.
    Stop(Id),
    PonderHit(Id),
    /// Cancel an announced job that no slot waits for.
    Cancel(Hashed),
    /// The result of a job has arrived.
    Ack(Id),
}

/// A request for a node's AI.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ask {
    pub(crate) job: Id,
    pub(crate) ai: String,
    pub(crate) fingerprint: String,
    /// The last announced tick of the node plus the milliseconds since the gateway received it.
    pub(crate) tick_ms: u64,
    pub(crate) time: TimeLeft,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) request_id: Option<RequestId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) traceparent: Option<TraceParent>,
    /// Requests with the same tenant may share a process of an isolated AI. Requests without a
    /// tenant share none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tenant: Option<String>,
    pub(crate) question: Job,
}

/// The time allowed for a job, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TimeLeft {
    /// The remaining time for the answer.
    pub(crate) left_ms: u64,
    /// The time for a new game, or for an instance with other options.
    pub(crate) preparation_ms: u64,
}

impl TimeLeft {
    pub(crate) fn left(self) -> Duration {
        Duration::from_millis(self.left_ms)
    }
}

/// A message from a node to one gateway.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobReply {
    Description(Box<Description>),
    /// The job is running. The first announcement that lists it has this number or a higher one.
    Accepted {
        job: Id,
        number: u64,
    },
    /// The node rejects the job: no slot is free, the question is too old, the AI has changed, or
    /// the node is draining.
    Busy {
        job: Id,
    },
    Info {
        job: Id,
        iteration: Iteration,
    },
    Result {
        job: Id,
        response: Box<Response>,
    },
    Fault {
        job: Id,
        fault: JobFault,
    },
}

/// An AI, as its node describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Description {
    pub(crate) id: String,
    pub(crate) fingerprint: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) author: String,
    pub(crate) searcher: bool,
    pub(crate) evaluator: bool,
    pub(crate) capabilities: Capabilities,
    pub(crate) options: Vec<OptionSpec>,
    /// The value of every option, or its default if the option names files or is secret.
    pub(crate) values: Vec<OptionSetting>,
    pub(crate) overridable_options: Vec<String>,
    pub(crate) limit: Limits,
    pub(crate) move_timeout_ms: u64,
    pub(crate) new_game_timeout_ms: u64,
    pub(crate) library: LibraryDescription,
    pub(crate) sandbox: SandboxDescription,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LibraryDescription {
    /// The file's name.
    pub(crate) file: String,
    pub(crate) sha256: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SandboxDescription {
    pub(crate) mode: String,
    pub(crate) memory_mb: u64,
    pub(crate) threads: u64,
    pub(crate) confined: Confined,
}

/// Why a job has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct JobFault {
    pub(crate) kind: JobFaultKind,
    /// For clients and operators.
    pub(crate) summary: String,
    /// For operators.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) details: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobFaultKind {
    Failed,
    Crashed,
    Killed,
    OutOfMemory,
    Protocol,
    Stalled,
    /// The node's machine is too busy.
    Starved,
    /// The node did not ask its AI, for example because the circuit is open or the node is shutting
    /// down.
    Unavailable,
}

/// A message from a gateway to all nodes, sent every second. The subject contains the name of the
/// gateway's server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Presence {
    pub(crate) gateway: Id,
    /// Whether the gateway has just connected. Nodes then announce themselves at once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) joins: bool,
}

/// Why a message can't be used.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    #[error("the message has {0} bytes; at most {MAX_MESSAGE_BYTES} are allowed")]
    TooLong(usize),
    #[error("the description has {0} bytes; at most {MAX_DESCRIPTION_BYTES} are allowed")]
    LongDescription(usize),
    /// The text may repeat parts of the message, so it is sanitized.
    #[error("the message is malformed or from another version: {0}")]
    Malformed(String),
}

impl From<serde_json::Error> for WireError {
    fn from(error: serde_json::Error) -> Self {
        Self::Malformed(printable(&error.to_string()))
    }
}

/// # Errors
/// The message is too long.
pub fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, WireError> {
    let text = serde_json::to_vec(message)?;
    if text.len() > MAX_MESSAGE_BYTES {
        Err(WireError::TooLong(text.len()))
    } else {
        Ok(text)
    }
}

/// # Errors
/// The text is too long, malformed or from another version.
pub fn decode<T: DeserializeOwned>(text: &[u8]) -> Result<T, WireError> {
    if text.len() > MAX_MESSAGE_BYTES {
        return Err(WireError::TooLong(text.len()));
    }
    Ok(serde_json::from_slice(text)?)
}

#[cfg(test)]
mod tests;
