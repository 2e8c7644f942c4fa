//! Why a check is not passed.

use super::Verdict;
use crate::ai::{Fault, StartError};

/// Why a check is not passed, and what to do about it.
pub(super) struct Trouble {
    verdict: Verdict,
    reason: String,
    remedy: Option<&'static str>,
}

impl Trouble {
    pub(super) fn failed(reason: impl Into<String>, remedy: &'static str) -> Self {
        Self { verdict: Verdict::Fail, reason: reason.into(), remedy: Some(remedy) }
    }

    pub(super) fn warning(reason: impl Into<String>, remedy: &'static str) -> Self {
        Self { verdict: Verdict::Warning, reason: reason.into(), remedy: Some(remedy) }
    }

    pub(super) fn skipped(reason: impl Into<String>) -> Self {
        Self { verdict: Verdict::Skipped, reason: reason.into(), remedy: None }
    }

    /// The same, as something that may be meant.
    pub(super) fn into_warning(self, remedy: &'static str) -> Self {
        Self { verdict: Verdict::Warning, remedy: Some(remedy), ..self }
    }

    pub(super) const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// The same, with where it happened before it.
    pub(super) fn at(mut self, place: &str) -> Self {
        self.reason = format!("{place}: {}", self.reason);
        self
    }

    pub(super) fn told(self) -> (Verdict, Option<String>, Option<&'static str>) {
        (self.verdict, Some(self.reason), self.remedy)
    }
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        let (verdict, remedy) = match fault {
            Fault::Crashed(_) => (Verdict::Crashed, "run it under a debugger with the same question"),
            Fault::OutOfMemory(_) => (Verdict::Crashed, "use less memory, or declare an option for its size"),
            Fault::Stalled(_) => {
                (Verdict::Fail, "ask host.should_stop() every few hundred nodes, and answer once it says so")
            }
            Fault::Protocol(_) => (Verdict::Fail, "leave the descriptors of the process alone"),
            _ => (Verdict::Fail, "answer every position that has a legal move"),
        };
        Self { verdict, reason: fault.in_full(), remedy: Some(remedy) }
    }
}

impl From<StartError> for Trouble {
    fn from(error: StartError) -> Self {
        let (verdict, remedy) = match error {
            StartError::Fault(Fault::Crashed(_) | Fault::OutOfMemory(_)) => {
                (Verdict::Crashed, "see what its constructors, options or create do")
            }
            StartError::NotCreated(_) => (Verdict::Fail, "start with every value that the options allow"),
            _ => (Verdict::Fail, "see what is said"),
        };
        Self { verdict, reason: error.in_full(), remedy: Some(remedy) }
    }
}
