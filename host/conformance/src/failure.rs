//! Why a check did not pass.

use super::Verdict;
use pool::{Fault, StartError};

/// Rule 22 of the guide.
const THROWN: &str = "let no exception leave a function or a thread of the AI: catch all of them in C++ (catch (...)), and return \
                      ROOKERY_FAILED with the reason in the error";

/// Why a check is not passed, and what to do about it.
pub(super) struct CheckFailure {
    verdict: Verdict,
    reason: String,
    remedy: Option<&'static str>,
    /// Whether the AI crashed or failed in its own words, for any reason.
    is_fault: bool,
}

impl CheckFailure {
    pub(super) fn failed(reason: impl Into<String>, remedy: &'static str) -> Self {
        Self { verdict: Verdict::Fail, reason: reason.into(), remedy: Some(remedy), is_fault: false }
    }

    pub(super) fn warning(reason: impl Into<String>, remedy: &'static str) -> Self {
        Self { verdict: Verdict::Warning, reason: reason.into(), remedy: Some(remedy), is_fault: false }
    }

    pub(super) fn skipped(reason: impl Into<String>) -> Self {
        Self { verdict: Verdict::Skipped, reason: reason.into(), remedy: None, is_fault: false }
    }

    /// Replaces the advice.
    pub(super) const fn advise(&mut self, remedy: &'static str) {
        self.remedy = Some(remedy);
    }

    /// The same, as something that may be meant.
    pub(super) fn into_warning(self, remedy: &'static str) -> Self {
        Self { verdict: Verdict::Warning, remedy: Some(remedy), ..self }
    }

    /// Whether the AI crashed or failed in its own words, for any reason.
    pub(super) const fn is_fault(&self) -> bool {
        self.is_fault
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

impl From<Fault> for CheckFailure {
    fn from(fault: Fault) -> Self {
        let (verdict, remedy) = match fault {
            Fault::Crashed(_) if threw(&fault) => (Verdict::Crashed, THROWN),
            Fault::Crashed(_) => (Verdict::Crashed, "run it under a debugger with the same question"),
            Fault::OutOfMemory(_) => (Verdict::Crashed, "use less memory, or declare an option for its size"),
            Fault::Stalled(_) => {
                (Verdict::Fail, "ask host.should_stop() every few hundred nodes, and answer once it says so")
            }
            Fault::Protocol(_) => (Verdict::Fail, "leave the descriptors of the process alone"),
            _ => (Verdict::Fail, "answer every position that has a legal move"),
        };
        let is_fault = matches!(fault, Fault::Failed(_) | Fault::Crashed(_) | Fault::OutOfMemory(_));
        Self { verdict, reason: fault.in_full(), remedy: Some(remedy), is_fault }
    }
}

impl From<StartError> for CheckFailure {
    fn from(error: StartError) -> Self {
        let (verdict, remedy) = match &error {
            StartError::Fault(fault @ Fault::Crashed(_)) if threw(fault) => (Verdict::Crashed, THROWN),
            StartError::Fault(Fault::Crashed(_) | Fault::OutOfMemory(_)) => {
                (Verdict::Crashed, "see what its constructors, options or create do")
            }
            StartError::NotCreated(_) => (Verdict::Fail, "start with every value that the options allow"),
            _ => (Verdict::Fail, "see what is said"),
        };
        let is_fault = verdict == Verdict::Crashed || matches!(error, StartError::NotCreated(_));
        Self { verdict, reason: error.in_full(), remedy: Some(remedy), is_fault }
    }
}

/// Whether a process ended by an exception, as far as the words of its runtime show.
fn threw(fault: &Fault) -> bool {
    let words = fault.details().unwrap_or_default();
    ["foreign exception", "terminate called"].iter().any(|known| words.contains(known))
}
