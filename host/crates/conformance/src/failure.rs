//! Why a check did not pass.

use crate::report::{LESS_MEMORY, Verdict};
use pool::{Fault, StartError};

/// Rule 22 of docs/ai-cookbook.md.
const UNCAUGHT_EXCEPTION: &str = "catch all C++ exceptions (catch (...)) in each function and each \
                                  thread of the AI, and return ROOKERY_FAILED with the reason in \
                                  the error";

/// Why a check failed: what the AI did, and how its author can fix it.
pub(crate) struct CheckFailure {
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    pub(crate) remedy: Option<&'static str>,
    /// Whether the AI crashed or returned an error. Too few threads or too little memory can cause
    /// either.
    pub(crate) is_fault: bool,
    /// Whether the AI failed to answer.
    pub(crate) is_stall: bool,
}

impl CheckFailure {
    pub(crate) fn failed(reason: impl Into<String>, remedy: &'static str) -> Self {
        Self {
            verdict: Verdict::Fail,
            reason: reason.into(),
            remedy: Some(remedy),
            is_fault: false,
            is_stall: false,
        }
    }

    pub(crate) fn warning(reason: impl Into<String>, remedy: &'static str) -> Self {
        Self {
            verdict: Verdict::Warning,
            reason: reason.into(),
            remedy: Some(remedy),
            is_fault: false,
            is_stall: false,
        }
    }

    pub(crate) fn skipped(reason: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Skipped,
            reason: reason.into(),
            remedy: None,
            is_fault: false,
            is_stall: false,
        }
    }

    pub(crate) fn into_warning(self, remedy: &'static str) -> Self {
        Self {
            verdict: Verdict::Warning,
            remedy: Some(remedy),
            ..self
        }
    }

    /// Prefixes the reason with its place, such as a position.
    pub(crate) fn at(mut self, place: &str) -> Self {
        self.reason = format!("{place}: {}", self.reason);
        self
    }
}

impl From<Fault> for CheckFailure {
    fn from(fault: Fault) -> Self {
        let (verdict, remedy) = match fault {
            Fault::Crashed(_) if is_uncaught_exception(&fault) => {
                (Verdict::Crashed, UNCAUGHT_EXCEPTION)
            }
            Fault::Crashed(_) => (
                Verdict::Crashed,
                "run the AI in a debugger with the same request",
            ),
            Fault::OutOfMemory(_) => (Verdict::Crashed, LESS_MEMORY),
            Fault::Stalled(_) => (
                Verdict::Fail,
                "check should_stop every few hundred nodes, and return once it is true",
            ),
            Fault::Protocol(_) => (
                Verdict::Fail,
                "do not use file descriptors that the AI did not open",
            ),
            _ => (
                Verdict::Fail,
                "fix the cause named in the message; a position with a legal move must have a \
                 result",
            ),
        };
        let is_fault = matches!(
            fault,
            Fault::Failed(_) | Fault::Crashed(_) | Fault::OutOfMemory(_)
        );
        let is_stall = matches!(fault, Fault::Stalled(_));
        Self {
            verdict,
            reason: fault.in_full(),
            remedy: Some(remedy),
            is_fault,
            is_stall,
        }
    }
}

impl From<StartError> for CheckFailure {
    fn from(error: StartError) -> Self {
        let (verdict, remedy) = match &error {
            StartError::Fault(fault @ Fault::Crashed(_)) if is_uncaught_exception(fault) => {
                (Verdict::Crashed, UNCAUGHT_EXCEPTION)
            }
            StartError::Fault(Fault::OutOfMemory(_)) => (Verdict::Crashed, LESS_MEMORY),
            StartError::Fault(Fault::Crashed(_)) => (
                Verdict::Crashed,
                "examine the constructors of the library, its manifest and its create function",
            ),
            StartError::NotCreated(..) => (
                Verdict::Fail,
                "fix the cause named in the message; accept every value that the declared \
                 options allow",
            ),
            _ => (Verdict::Fail, "fix the cause named in the message"),
        };
        let is_fault = verdict == Verdict::Crashed || matches!(error, StartError::NotCreated(..));
        Self {
            verdict,
            reason: error.in_full(),
            remedy: Some(remedy),
            is_fault,
            is_stall: false,
        }
    }
}

/// Returns whether the output of the crashed process names an uncaught exception.
fn is_uncaught_exception(fault: &Fault) -> bool {
    let output = fault.details().unwrap_or_default();
    ["foreign exception", "terminate called"]
        .iter()
        .any(|message| output.contains(message))
}
