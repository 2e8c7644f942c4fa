//! How a process came to its end.

use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

use rustix::process::Signal;

use protocol::SIGNALS_OF_OTHERS;

/// Whether a process that can't end itself so was ended by somebody else, or by the kernel for want of memory.
pub(super) fn is_external(status: ExitStatus) -> bool {
    status.signal().is_some_and(|signal| SIGNALS_OF_OTHERS.contains(&signal))
}

/// Why a process aborted, as far as the words of its runtime show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AbortCause {
    /// An allocation failed.
    OutOfMemory,
    /// A thread used up its stack.
    StackOverflow,
}

/// Returns why a process aborted: Rust and C++ write known words before they do.
pub(super) fn abort_cause(status: ExitStatus, last_words: &str) -> Option<AbortCause> {
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

/// Whether somebody else or the kernel killed the process without asking.
pub(super) fn was_killed(status: ExitStatus) -> bool {
    status.signal() == Some(Signal::KILL.as_raw())
}

/// How a process came to its end, in words.
pub(super) fn ending(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("its process was killed by signal {signal}{}", signal_name(signal)),
        (None, Some(code)) => format!("its process called exit({code})"),
        (None, None) => "its process ended".into(),
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (illegal instruction)",
        6 => " (abort)",
        7 => " (bus error)",
        8 => " (arithmetic error)",
        1 => " (hang-up)",
        2 => " (interrupt)",
        9 => " (kill)",
        11 => " (segmentation fault)",
        15 => " (terminate)",
        24 => " (CPU time used up)",
        25 => " (file too large)",
        _ => "",
    }
}
