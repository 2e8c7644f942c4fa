//! The engine's output, read by the thread that waits for it: another thread would have to wake it
//! for each line.

use std::{
    collections::VecDeque,
    fs::File,
    io::Read as _,
    os::fd::OwnedFd,
    process::Child,
    time::{Duration, Instant},
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Longer lines are split.
const MAX_LINE_BYTES: usize = 16 * 1024;
const READ_BYTES: usize = 4096;
/// How many of the last lines an error message quotes.
const LAST_LINES: usize = 6;
const MAX_LAST_CHARS: usize = 240;
const MAX_FIRST_CHARS: usize = 120;

/// Standard output and error. An engine that fills a pipe blocks until the pipe is read.
#[derive(Debug)]
pub(crate) struct Output {
    stdout: Stream,
    stderr: Stream,
    /// The first line on standard error: engines often print the cause before its consequences.
    first_error: Option<String>,
    last_lines: VecDeque<String>,
}

/// Standard output was closed.
#[derive(Debug)]
pub(crate) struct Closed;

#[derive(Debug)]
struct Stream {
    /// `None` once it is closed.
    file: Option<File>,
    bytes: Vec<u8>,
    /// The start of the next line in `bytes`.
    start: usize,
}

impl Output {
    /// Takes the pipes of a process.
    pub(crate) fn of(child: &mut Child) -> Self {
        let stdout = Stream::new(child.stdout.take().map(OwnedFd::from));
        let stderr = Stream::new(child.stderr.take().map(OwnedFd::from));
        Self {
            stdout,
            stderr,
            first_error: None,
            last_lines: VecDeque::new(),
        }
    }

    /// Returns the next nonempty line of standard output, or `None` after the timeout.
    pub(crate) fn line_within(&mut self, timeout: Duration) -> Result<Option<String>, Closed> {
        let mut deadline = None;
        loop {
            if let Some(line) = self.stdout.line() {
                self.keep(&line);
                return Ok(Some(line));
            }
            if self.stdout.file.is_none() {
                return Err(Closed);
            }
            let now = Instant::now();
            let deadline = *deadline.get_or_insert(now + timeout);
            if !self.read(deadline.saturating_duration_since(now)) {
                return Ok(None);
            }
            self.keep_errors();
        }
    }

    fn keep_errors(&mut self) {
        while let Some(line) = self.stderr.line() {
            self.keep(&line);
            self.first_error.get_or_insert(line);
        }
    }

    /// Reads the remaining output until both streams are closed or the deadline is reached.
    pub(crate) fn finish(&mut self, deadline: Instant) {
        loop {
            while let Some(line) = self.stdout.line() {
                self.keep(&line);
            }
            self.keep_errors();
            let left = deadline.saturating_duration_since(Instant::now());
            let is_open = self.stdout.file.is_some() || self.stderr.file.is_some();
            if !is_open || !self.read(left) {
                return;
            }
        }
    }

    /// Returns the last lines, truncated at the start. The first error precedes them if they do not
    /// contain it.
    pub(crate) fn last(&self) -> String {
        let lines: Vec<_> = self.last_lines.iter().map(String::as_str).collect();
        let text = lines.join(" / ");
        let start = text
            .char_indices()
            .rev()
            .nth(MAX_LAST_CHARS - 1)
            .map_or(0, |(index, _)| index);
        let end = &text[start..];
        match &self.first_error {
            Some(first) if !self.last_lines.contains(first) => {
                let first: String = first.chars().take(MAX_FIRST_CHARS).collect();
                format!("{first} / … / {end}")
            }
            _ => end.to_owned(),
        }
    }

    fn keep(&mut self, line: &str) {
        // Skips the underlining in Python's tracebacks.
        if !line.is_empty()
            && line
                .chars()
                .all(|character| matches!(character, ' ' | '^' | '~'))
        {
            return;
        }
        let is_full = self.last_lines.len() == LAST_LINES;
        let mut kept = if is_full {
            self.last_lines.pop_front()
        } else {
            None
        }
        .unwrap_or_default();
        kept.clear();
        kept.push_str(line);
        self.last_lines.push_back(kept);
    }

    /// Waits until a stream has bytes or is closed, and reads it. Returns `false` after the
    /// timeout.
    fn read(&mut self, timeout: Duration) -> bool {
        let mut streams: Vec<_> = [&mut self.stdout, &mut self.stderr]
            .into_iter()
            .filter(|stream| stream.file.is_some())
            .collect();
        let timeout = Timespec::try_from(timeout).ok();
        let mut waiting: Vec<_> = streams
            .iter()
            .filter_map(|stream| stream.file.as_ref())
            .map(|file| PollFd::new(file, PollFlags::IN))
            .collect();
        // A signal can also end the wait.
        if poll(&mut waiting, timeout.as_ref()).is_ok_and(|count| count == 0) {
            return false;
        }
        let ready: Vec<_> = waiting
            .iter()
            .map(|waited| !waited.revents().is_empty())
            .collect();
        streams
            .iter_mut()
            .zip(ready)
            .filter(|(_, ready)| *ready)
            .for_each(|(stream, _)| stream.read());
        true
    }
}

impl Stream {
    fn new(pipe: Option<OwnedFd>) -> Self {
        Self {
            file: pipe.map(File::from),
            bytes: Vec::new(),
            start: 0,
        }
    }

    /// Reads the available bytes.
    fn read(&mut self) {
        let Some(file) = &mut self.file else { return };
        self.bytes.drain(..self.start);
        self.start = 0;
        let length = self.bytes.len();
        self.bytes.resize(length + READ_BYTES, 0);
        let count = file.read(&mut self.bytes[length..]).unwrap_or(0);
        self.bytes.truncate(length + count);
        if count == 0 {
            self.file = None;
        }
    }

    /// Returns the next complete nonempty line, without its line ending.
    fn line(&mut self) -> Option<String> {
        loop {
            let rest = &self.bytes[self.start..];
            let length = match rest.iter().position(|&byte| byte == b'\n') {
                Some(end) => end + 1,
                None if rest.len() >= MAX_LINE_BYTES || self.file.is_none() && !rest.is_empty() => {
                    rest.len().min(MAX_LINE_BYTES)
                }
                None => return None,
            };
            self.start += length;
            let line = String::from_utf8_lossy(&rest[..length]);
            let line = line.trim();
            if !line.is_empty() {
                return Some(line.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, os::unix::net::UnixStream};

    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    /// Returns an output, and the other ends of its streams for a test to write to.
    fn output() -> (Output, UnixStream, UnixStream) {
        let [(ours, stdout), (errors, stderr)] =
            [UnixStream::pair().unwrap(), UnixStream::pair().unwrap()];
        let stream = |end| Stream::new(Some(OwnedFd::from(end)));
        let (ours, errors) = (stream(ours), stream(errors));
        (
            Output {
                stdout: ours,
                stderr: errors,
                first_error: None,
                last_lines: VecDeque::new(),
            },
            stdout,
            stderr,
        )
    }

    #[test]
    fn returns_lines_however_they_arrive() {
        let (mut output, mut stdout, mut stderr) = output();
        stdout.write_all(b"one\r\n\n  \ntwo\nthr").unwrap();
        stderr.write_all(b"a warning\n").unwrap();
        let mut next = |timeout| output.line_within(timeout).unwrap();
        assert_eq!(next(LONG).as_deref(), Some("one"));
        assert_eq!(next(LONG).as_deref(), Some("two"));
        assert_eq!(next(Duration::from_millis(1)), None);
        stdout.write_all(b"ee\n\xff").unwrap();
        assert_eq!(next(LONG).as_deref(), Some("three"));
        drop(stdout);
        assert_eq!(next(LONG).as_deref(), Some("\u{fffd}"));
        assert!(output.line_within(LONG).is_err());
        assert_eq!(output.last(), "a warning / one / two / three / \u{fffd}");
    }

    #[test]
    fn splits_long_lines() {
        let (mut output, mut stdout, _stderr) = output();
        let writer = std::thread::spawn(move || stdout.write_all(&vec![b'x'; MAX_LINE_BYTES + 9]));
        assert_eq!(
            output.line_within(LONG).unwrap().unwrap().len(),
            MAX_LINE_BYTES
        );
        assert_eq!(output.line_within(LONG).unwrap().unwrap().len(), 9);
        writer.join().unwrap().unwrap();
    }

    #[test]
    fn shows_the_first_error_before_its_consequences() {
        let (mut output, stdout, mut stderr) = output();
        stderr
            .write_all(b"no licence\n a\n b\n c\n d\n e\n f\n")
            .unwrap();
        drop((stdout, stderr));
        output.finish(Instant::now() + LONG);
        assert_eq!(output.last(), "no licence / … / a / b / c / d / e / f");
    }

    #[test]
    fn reads_the_rest_of_both_streams_at_the_end() {
        let (mut output, mut stdout, mut stderr) = output();
        stdout.write_all(b"info depth 1\n").unwrap();
        stderr.write_all(b"out of memory").unwrap();
        drop((stdout, stderr));
        output.finish(Instant::now() + LONG);
        assert_eq!(output.last(), "info depth 1 / out of memory");
    }
}
