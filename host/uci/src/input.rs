//! Lines from somebody who may write anything.

use std::{
    io::{BufRead, BufReader, Read},
    thread,
};

use tokio::sync::mpsc;

/// A line that is longer is passed over. The longest games that are played take a tenth of it.
const MAX_LINE_BYTES: usize = 1 << 20;

/// The lines of `input`, read by a thread of their own until it ends.
pub(super) fn lines(input: impl Read + Send + 'static) -> std::io::Result<mpsc::Receiver<String>> {
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

/// The next line that is not too long; none after the last.
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
        let (is_over, taken) = (buffer.is_empty(), part.len() + usize::from(end.is_some()));
        input.consume(taken);
        let has_line = !line.is_empty() && !is_too_long;
        if is_over || end.is_some() {
            if has_line || (end.is_some() && !is_too_long) {
                return Some(String::from_utf8_lossy(&line).into_owned());
            }
            if is_over {
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
    fn lines_come_whole_however_they_are_read() {
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
    fn what_is_no_text_or_too_long_does_no_harm() {
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
