//! The result of a check.

use serde::Serialize;

/// The remedy for an AI that ran out of memory.
pub(crate) const LESS_MEMORY: &str = "use less memory, or declare an option for the table size, \
                                      and check each allocation; --memory-mb raises the limit \
                                      here";
/// The remedy for an AI that lacks resources.
pub(crate) const NEEDS_MORE: &str = "the check passes with more threads and memory: declare what \
                                     the AI needs as threads and memory_mb in the capabilities of \
                                     its manifest, and allow it with these keys in its [ai.ID] \
                                     (here --threads and --memory-mb)";

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::IntoStaticStr, strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Verdict {
    Pass,
    Fail,
    /// The AI's process ended.
    Crashed,
    /// The contract allows it, but it is probably a mistake.
    Warning,
    /// The check does not apply to this AI.
    Skipped,
}

#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    pub name: &'static str,
    pub verdict: Verdict,
    /// What the AI did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<&'static str>,
    pub time_ms: u64,
}

impl CheckReport {
    /// Returns the report for a check that is not run.
    pub fn skipped(name: &'static str, reason: &str) -> Self {
        Self {
            name,
            verdict: Verdict::Skipped,
            reason: Some(reason.to_owned()),
            remedy: None,
            time_ms: 0,
        }
    }

    /// Returns whether the AI crashed for a reason that a debugger can show. A lack of memory or
    /// threads is no such reason, because nothing limits them without a sandbox.
    pub fn is_for_a_debugger(&self) -> bool {
        self.verdict == Verdict::Crashed
            && ![Some(NEEDS_MORE), Some(LESS_MEMORY)].contains(&self.remedy)
    }
}
