//! Captures an AI's standard output and error: reads at a bounded rate and keeps the end.
//!
//! If an AI writes faster, its writes block; the host never waits for it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ai_api::LogLevel;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::{ChildStderr, ChildStdout},
    task::{JoinHandle, yield_now},
    time::{Instant, sleep_until, timeout},
};
use tracing::{Level, Span};

use crate::log_limit::LogLimit;
use text::printable;

/// How many bytes per second to read from each stream after the [`BURST`].
const BYTES_PER_SECOND: u32 = 4 << 20;
/// How long the burst lasts at that rate.
const BURST: Duration = Duration::from_millis(250);
const KEPT_BYTES: usize = 4096;
/// How long to keep reading after the process has exited.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(50);

/// The captured end of the output. Dropping it stops the readers.
#[derive(Debug)]
pub(crate) struct Captured {
    tail: Arc<Mutex<Tail>>,
    readers: Vec<JoinHandle<()>>,
}

/// The state shared with the readers.
#[derive(Debug)]
struct Tail {
    kept: VecDeque<u8>,
    /// The span of the current job, for the log.
    span: Span,
    limit: Arc<Mutex<LogLimit>>,
}

impl Tail {
    /// Returns how many lines were dropped before this one; `None` if this one is dropped.
    fn admit(&self, line: &str) -> Option<u64> {
        lock(&self.limit).admit(line.len())
    }
}

/// Reads both streams to their end, and logs a limited amount in the span `span`.
pub(crate) fn capture(
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    span: Span,
    limit: Arc<Mutex<LogLimit>>,
) -> Captured {
    let tail = Arc::new(Mutex::new(Tail {
        kept: VecDeque::new(),
        span,
        limit,
    }));
    let mut readers = Vec::new();
    readers.extend(stdout.map(|pipe| tokio::spawn(keep_tail(pipe, Arc::clone(&tail)))));
    readers.extend(stderr.map(|pipe| tokio::spawn(keep_tail(pipe, Arc::clone(&tail)))));
    Captured { tail, readers }
}

impl Captured {
    /// Returns the end of an exited process's output, as one line.
    pub(crate) async fn last_words(&mut self) -> String {
        for mut reader in self.readers.drain(..) {
            // A grandchild may keep the pipe open.
            if timeout(LAST_WORDS_TIMEOUT, &mut reader).await.is_err() {
                reader.abort();
            }
        }
        end_of(&self.text())
    }

    /// Returns the end of what a running process printed before its last reply, as one line,
    /// without the worker's own messages.
    pub(crate) async fn printed(&self) -> String {
        // Gives the readers a chance to run.
        for _ in 0..2 {
            yield_now().await;
        }
        let text = self.text();
        let printed: Vec<_> = text
            .lines()
            .filter(|line| !line.starts_with("rookery worker: "))
            .collect();
        end_of(&printed.join(" "))
    }

    /// Returns the last lines of the output so far.
    pub(crate) fn end(&self) -> String {
        let text = self.text();
        let lines: Vec<_> = text
            .lines()
            .map(printable)
            .filter(|line| !line.is_empty())
            .collect();
        lines.join("\n")
    }

    /// Discards the captured output at the start of a request: the previous request may be another
    /// client's.
    pub(crate) fn request_started(&self, span: Span) {
        let mut tail = lock(&self.tail);
        tail.span = span;
        tail.kept.clear();
    }

    /// Logs a message from the AI in the current span, unless there are too many.
    pub(crate) fn log(&self, level: LogLevel, message: &str) {
        let tail = lock(&self.tail);
        let Some(dropped) = tail.admit(message) else {
            return;
        };
        let dropped_lines = (dropped > 0).then_some(dropped);
        tail.span.in_scope(|| match level {
            LogLevel::Error => {
                tracing::error!(target: "rookery::ai::log", dropped_lines, "{message}");
            }
            LogLevel::Warn => {
                tracing::warn!(target: "rookery::ai::log", dropped_lines, "{message}");
            }
            LogLevel::Info => {
                tracing::info!(target: "rookery::ai::log", dropped_lines, "{message}");
            }
            LogLevel::Debug => {
                tracing::debug!(target: "rookery::ai::log", dropped_lines, "{message}");
            }
        });
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(lock(&self.tail).kept.make_contiguous()).into_owned()
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        self.readers.iter().for_each(JoinHandle::abort);
    }
}

fn end_of(text: &str) -> String {
    let start = text
        .char_indices()
        .rev()
        .nth(399)
        .map_or(0, |(index, _)| index);
    printable(&text[start..])
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn keep_tail(mut pipe: impl AsyncRead + Unpin, tail: Arc<Mutex<Tail>>) {
    let mut buffer = vec![0; 8192];
    let mut credited_until = Instant::now();
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        append(&tail, &buffer[..count]);
        let now = Instant::now();
        credited_until =
            credited_until.max(now) + Duration::from_secs(1) * count as u32 / BYTES_PER_SECOND;
        if credited_until > now + BURST {
            sleep_until(credited_until - BURST).await;
        }
    }
}

fn append(tail: &Mutex<Tail>, bytes: &[u8]) {
    let mut tail = lock(tail);
    if tracing::enabled!(target: "rookery::ai::output", Level::DEBUG) {
        let text = printable(&String::from_utf8_lossy(bytes));
        if let Some(dropped) = tail.admit(&text) {
            let dropped_lines = (dropped > 0).then_some(dropped);
            tail.span.in_scope(
                || tracing::debug!(target: "rookery::ai::output", dropped_lines, "{text}"),
            );
        }
    }
    tail.kept.extend(bytes);
    let excess = tail.kept.len().saturating_sub(KEPT_BYTES);
    tail.kept.drain(..excess);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn limits_the_rate_and_keeps_the_end_of_a_flood() {
        let tail = Arc::new(Mutex::new(Tail {
            kept: VecDeque::new(),
            span: Span::none(),
            limit: Arc::default(),
        }));
        let flood = tokio::io::repeat(b'x')
            .take(u64::from(BYTES_PER_SECOND) / 2)
            .chain(&b"the end"[..]);
        let started = Instant::now();
        keep_tail(flood, Arc::clone(&tail)).await;
        // The flood takes half a second at the limited rate, minus the burst.
        assert!(
            started.elapsed() >= Duration::from_millis(240),
            "{:?}",
            started.elapsed()
        );
        let mut tail = lock(&tail);
        assert_eq!(tail.kept.len(), KEPT_BYTES);
        assert!(tail.kept.make_contiguous().ends_with(b"xthe end"));
    }
}
