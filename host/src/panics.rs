//! What a panic does to a server.

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    panic,
    process::exit,
    thread,
};

use crate::log;
use server::is_contained;
use text::printable;

/// As after a panic of the main thread.
const EXIT_CODE: i32 = 101;

/// Lets a panic end the process, which a supervisor then starts again: a server that goes on
/// without one of its threads or tasks may never answer. A request or a reload fails alone.
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
            "the server ends because of a bug: {reason}"
        );
        log::finish();
        exit(EXIT_CODE)
    }));
}
