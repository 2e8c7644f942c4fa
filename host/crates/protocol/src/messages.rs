//! The messages between host and worker.

use ai_api::{AiError, Capabilities, LogLevel, OptionSetting, OptionSpec};
use serde::{Deserialize, Serialize};

use crate::{
    job::{Iteration, Job, Response},
    request_id::RequestId,
    sandbox::{Confined, Missing, SandboxSettings},
};

/// The version of the messages, which increases with every change. Both sides are the same binary,
/// so the version only guards against mix-ups.
pub const PROTOCOL_VERSION: u32 = 13;

/// The maximum number of log messages from an AI per request.
pub const MAX_LOG_MESSAGES: u32 = 100;

/// A message from the host to the worker. Each job and each new game of a worker has a new number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// The first request: enter the sandbox, load the library and return its manifest with these
    /// options set.
    Load(SandboxSettings, Vec<OptionSetting>),
    /// Create the instance, replace it or set its live options so that it has these options.
    Configure(Vec<OptionSetting>),
    NewGame(u64),
    /// Run a job for the request with this id.
    Run(u64, Option<RequestId>, Job, Wanted),
}

/// What the host wants from a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wanted {
    /// Each iteration, and the result.
    Iterations,
    /// Only the result.
    Result,
}

/// A message from the host to the worker during a job. It has a separate socket, because the AI
/// runs on the thread that receives requests. The message may arrive before the worker has received
/// its job, or after the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Control {
    /// The opponent has played the expected move: the time of the job with this number starts.
    PonderHit(u64),
    /// Finish the job with this number now.
    Stop(u64),
}

/// A message from the worker to the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WorkerReply {
    Loaded(Loaded),
    /// Sent in place of [`WorkerReply::Confined`] or [`WorkerReply::Loaded`].
    Refused(Refusal),
    /// The instance exists and has the requested options.
    Created,
    /// The instance could not be created, so no instance exists.
    NotCreated(AiError),
    /// A completed iteration of the job with this number.
    Iteration(u64, Iteration),
    NewGame(u64, Result<(), AiError>),
    /// The result of the job with this number.
    Finished(u64, Result<Response, AiError>),
    /// The first reply, before any code of the AI has run: the enforced sandbox, and the worker's
    /// process id. The host may have started a different process, the parent of this one.
    Confined(Confined, u32),
    Log(LogLevel, String),
}

/// An AI's manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The display name.
    pub name: String,
    pub version: String,
    /// May be empty.
    pub author: String,
    pub options: Vec<OptionSpec>,
    pub capabilities: Capabilities,
}

/// A loaded library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    /// [`PROTOCOL_VERSION`] of the worker.
    pub protocol: u32,
    pub manifest: Manifest,
    /// Whether the AI searches.
    pub searcher: bool,
    /// Whether the AI evaluates positions.
    pub evaluator: bool,
}

/// Why a library can't be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What was found, what was expected, and what to do, in a few lines.
    pub message: String,
    /// The full details, possibly long.
    pub details: String,
}

impl Refusal {
    /// Reports the missing parts of a required sandbox.
    pub fn unenforceable(missing: &[Missing]) -> Self {
        let required: Vec<_> = missing
            .iter()
            .filter(|part| part.protection.is_required())
            .map(ToString::to_string)
            .collect();
        let message = format!(
            "its sandbox is required but can't be enforced here: {}; fix that, or set sandbox \
             = \"best-effort\" in its [ai.ID] to start it anyway",
            required.join("; ")
        );
        Self::from(message)
    }
}

impl From<String> for Refusal {
    /// Creates a refusal without further details.
    fn from(message: String) -> Self {
        Self {
            message,
            details: String::new(),
        }
    }
}
