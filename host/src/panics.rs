//! Stops the server after a panic.

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    panic,
    process::exit,
    thread,
};

use crate::log;
use server::is_contained;
use text::printable;

/// The exit status, the same as after a panic of the main thread.
const EXIT_CODE: i32 = 101;

/// Makes a panic end the process, so that a supervisor restarts it: a server that continues without
/// one of its threads or tasks may never answer. A panic in a request or a reload fails only that
/// request or reload.
pub(crate) fn end_the_process() {
    panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        let backtrace =
            (backtrace.status() == BacktraceStatus::Captured).then(|| backtrace.to_string());
        let thread = thread::current();
        let thread = thread.name().unwrap_or("without a name");
        let at = panic.location().map(ToString::to_string);
        let reason = printable(panic.payload_as_str().unwrap_or("no text"));
        if is_contained() {
            tracing::error!(thread, at, backtrace, "a bug in the server: {reason}");
            return;
        }
        tracing::error!(
            thread,
            at,
            backtrace,
            "the server stops because of a bug: {reason}"
        );
        log::finish();
        exit(EXIT_CODE)
    }));
}
