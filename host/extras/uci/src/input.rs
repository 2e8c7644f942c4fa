//! Reads lines of untrusted input.

use std::{
    io::{BufRead, BufReader, Read},
    thread,
};

use tokio::sync::mpsc;

/// The length limit of a line. Longer lines are ignored. The longest games need a tenth of the
/// limit.
const MAX_LINE_BYTES: usize = 1 << 20;

/// Reads the lines of `input` to the end on a separate thread.
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
    thread::Builder::new()
        .name("uci-input".into())
        .spawn(read)?;
    Ok(lines)
}

/// Returns the next line within the length limit, or `None` at the end of input.
fn next_line(input: &mut impl BufRead) -> Option<String> {
    loop {
        let mut line = Vec::new();
        let most = MAX_LINE_BYTES as u64 + 1;
        if input
            .by_ref()
            .take(most)
            .read_until(b'\n', &mut line)
            .ok()?
            == 0
        {
            return None;
        }
        if line.pop_if(|last| *last == b'\n').is_some() || line.len() <= MAX_LINE_BYTES {
            return Some(String::from_utf8_lossy(&line).into_owned());
        }
        input.skip_until(b'\n').ok()?;
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
        assert_eq!(
            (lines[0].as_str(), lines[1].as_str()),
            ("\u{fffd}\0\u{fffd}", "uci")
        );
        assert_eq!(lines[2].len(), MAX_LINE_BYTES);
    }
}
