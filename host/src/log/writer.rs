//! Writes the log on its own thread, so that a log that nobody reads blocks no other thread.

use std::{
    io,
    os::fd::AsFd,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
    stdio::stderr,
};

/// The maximum number of bytes that wait to be written. Further lines are dropped.
const MAX_BYTES: usize = 1 << 20;
/// The pause between two writes. Waking the thread for each line would cost a request more than the
/// line itself.
const PAUSE: Duration = Duration::from_millis(5);
/// How long the process waits for a reader before it ends.
const FINISH_TIMEOUT: Duration = Duration::from_millis(500);

/// A writer that never blocks. While too many lines wait, it drops and counts further ones.
#[derive(Clone, Debug)]
pub(super) struct LogWriter(Arc<LogWriterState>);

#[derive(Debug)]
struct LogWriterState {
    queue: Mutex<LogQueue>,
    /// Notified when a line arrives while the thread waits for one.
    arrived: Condvar,
    /// Notified when all lines are written.
    written: Condvar,
    dropped: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct LogQueue {
    bytes: Vec<u8>,
    /// Whether the thread is waiting for a line, and has therefore written all lines.
    is_idle: bool,
    /// The number of lines dropped since the last event about them.
    dropped: u64,
}

impl LogWriter {
    /// Writes to standard error until the process ends.
    pub(super) fn start() -> Self {
        Self::to(|bytes| write_all(&stderr(), bytes))
    }

    fn to(write: impl Fn(&[u8]) + Send + 'static) -> Self {
        let shared = Arc::new(LogWriterState {
            queue: Mutex::default(),
            arrived: Condvar::new(),
            written: Condvar::new(),
            dropped: Arc::default(),
        });
        let own = Arc::clone(&shared);
        // Without a thread, lines are dropped once too many wait.
        let _ = thread::Builder::new()
            .name("log".into())
            .spawn(move || own.write_with(write));
        Self(shared)
    }

    pub(super) fn dropped(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.0.dropped)
    }

    /// Waits until all lines are written, for a bounded time.
    pub(super) fn finish(&self) {
        let is_busy = |queue: &mut LogQueue| !queue.is_idle || !queue.bytes.is_empty();
        drop(
            self.0
                .written
                .wait_timeout_while(self.0.queue(), FINISH_TIMEOUT, is_busy),
        );
    }
}

impl LogWriterState {
    fn write_with(&self, write: impl Fn(&[u8])) {
        let mut written = Vec::new();
        loop {
            let mut queue = self.queue();
            while queue.bytes.is_empty() {
                queue.is_idle = true;
                self.written.notify_all();
                queue = self
                    .arrived
                    .wait(queue)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            std::mem::swap(&mut queue.bytes, &mut written);
            queue.is_idle = false;
            drop(queue);
            write(&written);
            written.clear();
            let lines = std::mem::take(&mut self.queue().dropped);
            if lines > 0 {
                tracing::warn!(
                    lines,
                    "log lines were dropped, because nobody read the log in time"
                );
            }
            thread::sleep(PAUSE);
        }
    }

    fn queue(&self) -> MutexGuard<'_, LogQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Each call writes one line.
impl io::Write for &LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut queue = self.0.queue();
        if queue.bytes.len() + line.len() > MAX_BYTES {
            queue.dropped += 1;
            self.0.dropped.fetch_add(1, Ordering::Relaxed);
        } else {
            queue.bytes.extend_from_slice(line);
            if std::mem::take(&mut queue.is_idle) {
                self.0.arrived.notify_one();
            }
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes to a descriptor that may be non-blocking, without the lock of standard error, which other
/// threads may need. Drops the rest if the descriptor no longer has a reader.
fn write_all(descriptor: &impl AsFd, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match rustix::io::write(descriptor, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let _ = poll(
                    &mut [PollFd::from_borrowed_fd(descriptor.as_fd(), PollFlags::OUT)],
                    None,
                );
            }
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, sync::mpsc};

    use super::*;

    #[test]
    fn drops_and_counts_lines_while_nobody_reads() {
        let (reader, written) = mpsc::channel::<Vec<u8>>();
        let (go_on, paused) = mpsc::channel::<()>();
        let writer = LogWriter::to(move |bytes| {
            reader.send(bytes.to_vec()).unwrap();
            let _ = paused.recv();
        });
        let line = [b'x'; 1 << 10];
        let write = || (&writer).write_all(&line).unwrap();
        write();
        assert_eq!(
            written.recv().unwrap(),
            line,
            "the writer is blocked from here on"
        );
        (0..1024 + 7).for_each(|_| write());
        assert_eq!(writer.dropped().load(Ordering::Relaxed), 7);
        writer.finish();
        drop(go_on);
        assert_eq!(written.recv().unwrap().len(), 1 << 20);
        writer.finish();
        write();
        assert_eq!(written.recv().unwrap(), line);
        assert_eq!(writer.dropped().load(Ordering::Relaxed), 7);
    }
}
