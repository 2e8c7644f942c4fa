//! Derives the AI's fault from how its process exited.

use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

use rustix::process::Signal;

use crate::fault::{Fault, FaultReason};
use protocol::{ALLOCATION_FAILED, EXTERNAL_SIGNALS};

/// How a worker exited, and what the host knows about it.
pub(super) struct Exit {
    pub(super) status: ExitStatus,
    /// The end of its output.
    pub(super) last_words: String,
    /// Whether the kernel killed a process in its cgroup for exceeding the memory limit.
    pub(super) exceeded_cgroup_memory: bool,
    /// Whether the process could send itself one of [`EXTERNAL_SIGNALS`].
    pub(super) may_end_itself: bool,
    pub(super) memory_mb: u64,
    pub(super) has_memory_limit: bool,
}

pub(super) fn fault(exit: &Exit) -> Fault {
    let Exit {
        status,
        last_words,
        memory_mb,
        ..
    } = exit;
    let summary = summary(*status);
    // The output goes into the details, because it may contain other clients' games.
    let reason = |message: String| match last_words.as_str() {
        "" => FaultReason::from(message),
        words => FaultReason::from(message).with_details(format!("its last words: {words}")),
    };
    if exit.exceeded_cgroup_memory && status.signal() == Some(Signal::KILL.as_raw()) {
        return Fault::OutOfMemory(reason(format!(
            "{summary}: it exceeded its memory limit of {memory_mb} MB (memory_mb in its [ai.ID]), \
             which covers all its processes and their kernel memory"
        )));
    }
    let is_external = status
        .signal()
        .is_some_and(|signal| EXTERNAL_SIGNALS.contains(&signal));
    if is_external && !exit.may_end_itself {
        return Fault::Killed(reason(
            summary + " from outside, or by the kernel because memory ran out",
        ));
    }
    // The Rust and C++ runtimes write the first two phrases before they abort. `perror` writes the
    // last one after a failed `malloc`.
    let aborted_with =
        |text: &str| status.signal() == Some(Signal::ABORT.as_raw()) && last_words.contains(text);
    if aborted_with("memory allocation of")
        || aborted_with("std::bad_alloc")
        || [ALLOCATION_FAILED.trim_end(), "Cannot allocate memory"]
            .iter()
            .any(|text| last_words.contains(text))
    {
        let limit = if exit.has_memory_limit {
            format!("; its limit is {memory_mb} MB (memory_mb in its [ai.ID])")
        } else {
            String::new()
        };
        return Fault::OutOfMemory(reason(summary + " after an allocation failed" + &limit));
    }
    if aborted_with("has overflowed its stack") {
        return Fault::Crashed(reason(summary + " after a stack overflow"));
    }
    Fault::Crashed(reason(summary))
}

fn summary(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!(
            "its process was killed by signal {signal}{}",
            signal_name(signal)
        ),
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
