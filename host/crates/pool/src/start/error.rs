//! Why a worker is not available.

use std::time::Duration;

use ai_api::AiError;

use crate::fault::{Fault, with_details};
use config::PinnedFile;
use protocol::Refusal;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    #[error("can't start a worker process: {0}")]
    Spawn(String),
    /// A pinned file has changed since the configuration was read.
    #[error("{0}; restore it, or reload with its current sha256 in files_sha256 of its [ai.ID]")]
    Pin(Box<PinnedFile>),
    #[error("{}", .0.message)]
    Refused(Refusal),
    #[error("the AI failed to start: {0}")]
    /// Includes what the AI printed.
    NotCreated(AiError, String),
    #[error("while starting: {0}")]
    Fault(Fault),
    #[error(
        "it was not ready within {} ms (start_timeout_ms in its [ai.ID]) and was killed; check \
         what its constructors, options or create wait for",
        .0.as_millis()
    )]
    /// Includes what the AI printed.
    Slow(Duration, String),
    /// It was ready, but failed while it had no request.
    #[error("between requests: {0}")]
    Idle(Fault),
    #[error("in its smoke test, {0}")]
    SmokeTest(FailedSmokeTest),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {fault}")]
pub struct FailedSmokeTest {
    pub name: &'static str,
    pub fault: Fault,
}

impl StartError {
    /// Returns the summary for clients, without paths or the AI's output.
    pub fn summary(&self) -> String {
        match self {
            Self::Spawn(_) => "its process could not be started".into(),
            Self::Pin(_) => "one of its files does not match its pin".into(),
            Self::Refused(_) => "its worker can't load it".into(),
            Self::NotCreated(..) => "it failed to start".into(),
            Self::Fault(fault) => format!("{} while starting", fault.code()),
            Self::Idle(fault) => format!("between requests, {fault}"),
            Self::Slow(time, _) => format!("it was not ready within {} ms", time.as_millis()),
            Self::SmokeTest(failed) => {
                format!("{} in its smoke test, {}", failed.fault.code(), failed.name)
            }
        }
    }

    /// Returns the message with details for operators.
    pub fn in_full(&self) -> String {
        match self {
            Self::NotCreated(_, printed) | Self::Slow(_, printed) if !printed.is_empty() => {
                format!("{self}; it printed: {printed}")
            }
            _ => with_details(self, self.fault().and_then(Fault::details)),
        }
    }

    /// Returns whether the AI may be at fault: its process was not killed from outside.
    pub(crate) const fn is_ai_fault(&self) -> bool {
        !matches!(self.fault(), Some(Fault::Killed(_)))
    }

    const fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Fault(fault)
            | Self::Idle(fault)
            | Self::SmokeTest(FailedSmokeTest { fault, .. }) => Some(fault),
            Self::Spawn(_)
            | Self::Pin(_)
            | Self::Refused(_)
            | Self::NotCreated(..)
            | Self::Slow(..) => None,
        }
    }
}
