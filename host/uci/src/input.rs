//! Reads lines of untrusted input.

use std::{
    io::{BufRead, BufReader, Read},
    thread,
};

use tokio::sync::mpsc;

/// The length limit of a line; longer lines are ignored. The longest games need a tenth of it.
const MAX_LINE_BYTES: usize = 1 << 20;

/// Reads the lines of `input` on its own thread until its end.
pub(crate) fn lines(input: impl Read + Send + 'static) -> std::io::Result<mpsc::Receiver<String>> {
    let (sender, lines) = mpsc::channel(64);
    let read = move || {
        let mut input = BufReader::new(input);
        while let Some(line) = next_line(&mut input) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("uci-input".into()).spawn(read)?;
    Ok(lines)
}

/// Returns the next line within the length limit; none at the end of input.
fn next_line(input: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let mut is_too_long = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        is_too_long |= line.len() + part.len() > MAX_LINE_BYTES;
        if is_too_long {
            line.clear();
        } else {
            line.extend_from_slice(part);
        }
        let (is_end, consumed) = (buffer.is_empty(), part.len() + usize::from(end.is_some()));
        input.consume(consumed);
        let has_line = !line.is_empty() && !is_too_long;
        if is_end || end.is_some() {
            if has_line || (end.is_some() && !is_too_long) {
                return Some(String::from_utf8_lossy(&line).into_owned());
            }
            if is_end {
                return None;
            }
            is_too_long = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], capacity: usize) -> Vec<String> {
        let mut input = BufReader::with_capacity(capacity, bytes);
        std::iter::from_fn(|| next_line(&mut input)).collect()
    }

    #[test]
    fn joins_lines_across_buffers() {
        for capacity in [1, 2, 3, 7, 4096] {
            assert_eq!(
                all(b"uci\nisready\r\n\nquit", capacity),
                ["uci", "isready\r", "", "quit"],
                "{capacity}"
            );
        }
        assert!(all(b"", 16).is_empty());
    }

    #[test]
    fn replaces_invalid_utf8_and_ignores_long_lines() {
        let mut bytes = b"\xff\0\x80\n".to_vec();
        bytes.extend(vec![b'x'; MAX_LINE_BYTES + 1]);
        bytes.extend(b"\nuci\n");
        bytes.extend(vec![b'y'; MAX_LINE_BYTES]);
        let lines = all(&bytes, 4096);
        assert_eq!(lines.len(), 3);
        assert_eq!((lines[0].as_str(), lines[1].as_str()), ("\u{fffd}\0\u{fffd}", "uci"));
        assert_eq!(lines[2].len(), MAX_LINE_BYTES);
    }
}
