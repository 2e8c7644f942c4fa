//! What an AI writes to its standard output and error: read so that it never waits, kept only in small part.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::{ChildStderr, ChildStdout},
    task::JoinHandle,
    time::timeout,
};

use crate::text::printable;

/// How much of the end is kept.
const KEPT_BYTES: usize = 4096;
/// How long to wait for the rest of what a dead process wrote.
const LAST_WORDS_TIMEOUT: Duration = Duration::from_millis(50);

/// The end of what a process wrote; its readers end with this.
#[derive(Debug)]
pub(super) struct Captured {
    kept: Arc<Mutex<VecDeque<u8>>>,
    readers: Vec<JoinHandle<()>>,
}

/// Reads both until they end.
pub(super) fn capture(stdout: Option<ChildStdout>, stderr: Option<ChildStderr>) -> Captured {
    let kept = Arc::default();
    let mut readers = Vec::new();
    readers.extend(stdout.map(|pipe| tokio::spawn(keep_end(pipe, Arc::clone(&kept)))));
    readers.extend(stderr.map(|pipe| tokio::spawn(keep_end(pipe, Arc::clone(&kept)))));
    Captured { kept, readers }
}

impl Captured {
    /// The end of what a process wrote that has ended, in one line.
    pub(super) async fn last_words(&mut self) -> String {
        for mut reader in self.readers.drain(..) {
            // A grandchild may hold the pipe open for ever.
            if timeout(LAST_WORDS_TIMEOUT, &mut reader).await.is_err() {
                reader.abort();
            }
        }
        let kept: Vec<u8> = self.kept.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
        let text = String::from_utf8_lossy(&kept);
        let start = text.char_indices().rev().nth(399).map_or(0, |(index, _)| index);
        printable(&text[start..])
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        self.readers.iter().for_each(JoinHandle::abort);
    }
}

async fn keep_end(mut pipe: impl AsyncRead + Unpin, kept: Arc<Mutex<VecDeque<u8>>>) {
    let mut buffer = vec![0; 8192];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        tracing::debug!(target: "rookery::ai::output", "{}", printable(&String::from_utf8_lossy(&buffer[..count])));
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&buffer[..count]);
        let excess = kept.len().saturating_sub(KEPT_BYTES);
        kept.drain(..excess);
    }
}
