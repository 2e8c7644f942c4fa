//! Derives the fault of an AI from the exit of its process.

use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

use rustix::process::Signal;

use crate::fault::{Fault, FaultReason};
use protocol::EXTERNAL_SIGNALS;

/// The exit of a worker, with what the host knows of it.
pub(super) struct Exit {
    pub(super) status: ExitStatus,
    /// The end of its output.
    pub(super) last_words: String,
    /// Whether the kernel killed a process of its cgroup for exceeding the memory limit.
    pub(super) exceeded_cgroup_memory: bool,
    /// Whether the process could send itself one of [`EXTERNAL_SIGNALS`].
    pub(super) may_end_itself: bool,
    pub(super) memory_mb: u64,
    /// Whether the limit of its memory is in force.
    pub(super) has_memory_limit: bool,
}

/// Why a process aborted, as far as the output of its runtime shows.
enum AbortCause {
    OutOfMemory,
    StackOverflow,
}

pub(super) fn fault(exit: &Exit) -> Fault {
    let Exit { status, last_words, memory_mb, .. } = exit;
    let summary = summary(*status);
    // The output may contain the games of other clients.
    let reason = |summary: String| match last_words.as_str() {
        "" => FaultReason::from(summary),
        words => FaultReason::from(summary).with_details(format!("its last words: {words}")),
    };
    if exit.exceeded_cgroup_memory && status.signal() == Some(Signal::KILL.as_raw()) {
        return Fault::OutOfMemory(reason(format!(
            "{summary}: the kernel needed more memory for it than it may have; it may have {memory_mb} MB (memory_mb in its \
             [ai.ID]), which counts all of its processes and what the kernel keeps for them"
        )));
    }
    let is_external = status.signal().is_some_and(|signal| EXTERNAL_SIGNALS.contains(&signal));
    if is_external && !exit.may_end_itself {
        return Fault::Killed(reason(summary + " from outside, or by the kernel for lack of memory"));
    }
    match abort_cause(*status, last_words) {
        Some(AbortCause::OutOfMemory) => {
            let limit = if exit.has_memory_limit {
                format!("; it may have {memory_mb} MB (memory_mb in its [ai.ID])")
            } else {
                String::new()
            };
            Fault::OutOfMemory(reason(summary + " after an allocation failed" + &limit))
        }
        Some(AbortCause::StackOverflow) => Fault::Crashed(reason(summary + " after a stack overflow")),
        None => Fault::Crashed(reason(summary)),
    }
}

/// Recognizes the texts that the runtimes of Rust and C++ write before they abort.
fn abort_cause(status: ExitStatus, last_words: &str) -> Option<AbortCause> {
    if status.signal() != Some(Signal::ABORT.as_raw()) {
        return None;
    }
    let known = [
        ("memory allocation of", AbortCause::OutOfMemory),
        ("std::bad_alloc", AbortCause::OutOfMemory),
        ("has overflowed its stack", AbortCause::StackOverflow),
    ];
    known.into_iter().find(|(words, _)| last_words.contains(words)).map(|(_, cause)| cause)
}

fn summary(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("its process was killed by signal {signal}{}", signal_name(signal)),
        (None, Some(code)) => format!("its process called exit({code})"),
        (None, None) => "its process ended".into(),
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (hang-up)",
        2 => " (interrupt)",
        4 => " (illegal instruction)",
        6 => " (abort)",
        7 => " (bus error)",
        8 => " (arithmetic error)",
        9 => " (kill)",
        11 => " (segmentation fault)",
        15 => " (terminate)",
        24 => " (CPU time used up)",
        25 => " (file too large)",
        _ => "",
    }
}
