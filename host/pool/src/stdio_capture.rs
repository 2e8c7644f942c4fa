//! Captures the standard output and error of an AI: reads at a bounded rate, keeps the end.
//!
//! An AI that writes faster blocks; the host never waits for it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ai_api::LogLevel;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::{ChildStderr, ChildStdout},
    task::JoinHandle,
    time::{Instant, sleep_until, timeout},
};
use tracing::Span;

use protocol::MAX_LOG_MESSAGES;
use text::printable;

/// Bytes per second from each stream, beyond a [`BURST`].
const BYTES_PER_SECOND: u32 = 4 << 20;
/// The burst, as time at that rate.
const BURST: Duration = Duration::from_millis(250);
/// The bytes that are kept.
const KEPT_BYTES: usize = 4096;
/// The time to read the rest after the process has exited.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(50);

/// The captured end of the output. Dropping it stops the readers.
#[derive(Debug)]
pub(super) struct Captured {
    heard: Arc<Mutex<Heard>>,
    readers: Vec<JoinHandle<()>>,
}

/// The state shared with the readers.
#[derive(Debug)]
struct Heard {
    kept: VecDeque<u8>,
    /// The span of the current request, for the log.
    doing: Span,
    /// The messages logged in it.
    logged: u32,
}

/// Reads both streams to their end, and logs in the span `doing`.
pub(super) fn capture(stdout: Option<ChildStdout>, stderr: Option<ChildStderr>, doing: Span) -> Captured {
    let heard = Arc::new(Mutex::new(Heard { kept: VecDeque::new(), doing, logged: 0 }));
    let mut readers = Vec::new();
    readers.extend(stdout.map(|pipe| tokio::spawn(keep_end(pipe, Arc::clone(&heard)))));
    readers.extend(stderr.map(|pipe| tokio::spawn(keep_end(pipe, Arc::clone(&heard)))));
    Captured { heard, readers }
}

impl Captured {
    /// The end of the output of an exited process, in one line.
    pub(super) async fn last_words(&mut self) -> String {
        for mut reader in self.readers.drain(..) {
            // A grandchild may keep the pipe open.
            if timeout(LAST_WORDS_TIMEOUT, &mut reader).await.is_err() {
                reader.abort();
            }
        }
        let text = self.text();
        let start = text.char_indices().rev().nth(399).map_or(0, |(index, _)| index);
        printable(&text[start..])
    }

    /// The last lines of the output so far.
    pub(super) fn end(&self) -> String {
        let text = self.text();
        let lines: Vec<_> = text.lines().map(printable).filter(|line| !line.is_empty()).collect();
        lines.join("\n")
    }

    /// Discards the captured output at the start of a request, because the previous one may be of another client.
    pub(super) fn question_begins(&self, doing: Span) {
        let mut heard = lock(&self.heard);
        heard.doing = doing;
        heard.logged = 0;
        heard.kept.clear();
    }

    /// Logs a message of the AI in the current span. Drops floods.
    pub(super) fn log(&self, level: LogLevel, message: &str) {
        let mut heard = lock(&self.heard);
        heard.logged = heard.logged.saturating_add(1);
        if heard.logged > MAX_LOG_MESSAGES {
            return;
        }
        heard.doing.in_scope(|| match level {
            LogLevel::Error => tracing::error!(target: "rookery::ai::log", "{message}"),
            LogLevel::Warn => tracing::warn!(target: "rookery::ai::log", "{message}"),
            LogLevel::Info => tracing::info!(target: "rookery::ai::log", "{message}"),
            LogLevel::Debug => tracing::debug!(target: "rookery::ai::log", "{message}"),
        });
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(lock(&self.heard).kept.make_contiguous()).into_owned()
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        self.readers.iter().for_each(JoinHandle::abort);
    }
}

fn lock(heard: &Mutex<Heard>) -> MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn keep_end(mut pipe: impl AsyncRead + Unpin, heard: Arc<Mutex<Heard>>) {
    let mut buffer = vec![0; 8192];
    let mut paid_until = Instant::now();
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        hear(&heard, &buffer[..count]);
        let now = Instant::now();
        paid_until = paid_until.max(now) + Duration::from_secs(1) * count as u32 / BYTES_PER_SECOND;
        if paid_until > now + BURST {
            sleep_until(paid_until - BURST).await;
        }
    }
}

fn hear(heard: &Mutex<Heard>, bytes: &[u8]) {
    let mut heard = lock(heard);
    let words = String::from_utf8_lossy(bytes);
    heard.doing.in_scope(|| tracing::debug!(target: "rookery::ai::output", "{}", printable(&words)));
    heard.kept.extend(bytes);
    let excess = heard.kept.len().saturating_sub(KEPT_BYTES);
    heard.kept.drain(..excess);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_flood_is_read_no_faster_than_allowed_and_only_its_end_is_kept() {
        let heard = Arc::new(Mutex::new(Heard { kept: VecDeque::new(), doing: Span::none(), logged: 0 }));
        let flood = tokio::io::repeat(b'x').take(u64::from(BYTES_PER_SECOND) / 2).chain(&b"the end"[..]);
        let started = Instant::now();
        keep_end(flood, Arc::clone(&heard)).await;
        // Half of the bytes of a second, less the burst.
        assert!(started.elapsed() >= Duration::from_millis(240), "{:?}", started.elapsed());
        let mut heard = lock(&heard);
        assert_eq!(heard.kept.len(), KEPT_BYTES);
        assert!(heard.kept.make_contiguous().ends_with(b"xthe end"));
    }
}
