//! Data on standard output, messages on standard error.

use std::io::{self, Write};

use serde::Serialize;
use terminal_size::{Width, terminal_size_of};

use text::is_control_or_bidi;

/// Lines are not broken if the last column would be narrower than this.
const MIN_COLUMN: usize = 20;

/// Writes data, with a final newline.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.write_all(if text.ends_with('\n') { b"" } else { b"\n" }))
        .and_then(|()| out.flush())
        .map_err(|error| of_standard_output(&error))
}

/// Writes data whose last column begins after `indent` characters. In a terminal, that column takes
/// the remaining width.
pub(crate) fn print_table(text: &str, indent: usize) -> io::Result<()> {
    let Some((Width(width), _)) = terminal_size_of(io::stdout()) else {
        return print(text);
    };
    let lines: Vec<_> = text
        .lines()
        .map(|line| wrapped(line, indent, width.into()))
        .collect();
    print(&lines.join("\n"))
}

/// Breaks a line between words and indents the continuation lines.
fn wrapped(line: &str, indent: usize, width: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        if used > indent && used + length > width && indent + MIN_COLUMN <= width {
            text.truncate(text.trim_end().len());
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent));
            used = indent;
        }
        text.push_str(word);
        used += word.chars().count();
    }
    text
}

/// Adds the name of standard output to an error.
pub(crate) fn of_standard_output(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("standard output: {error}"))
}

pub(crate) fn print_json<T: Serialize>(value: &T) -> io::Result<()> {
    print(&serde_json::to_string_pretty(value)?)
}

/// Writes a message. Ignores errors: the command continues if standard error is closed, as with
/// `2>&1 | head`.
pub(crate) fn print_message(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Escapes the characters of a line of TOML that a terminal would interpret, as TOML does.
pub(crate) fn escaped(line: &str) -> String {
    let escape = |letter: char| {
        if is_control_or_bidi(letter) && letter != '\t' {
            format!("\\u{:04X}", u32::from(letter))
        } else {
            letter.to_string()
        }
    };
    line.chars().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_the_last_column_between_words() {
        let line = "castling    the king and the rook move at once: O-O";
        assert_eq!(
            wrapped(line, 12, 36),
            "castling    the king and the rook\n            move at once: O-O"
        );
        assert_eq!(wrapped(line, 12, 51), line);
        // A word that is too long is not broken, and neither is a line in a narrow terminal.
        assert_eq!(
            wrapped("a  bcdefghijklmnopqrstuvwxyz c", 3, 23),
            "a  bcdefghijklmnopqrstuvwxyz\n   c"
        );
        assert_eq!(wrapped(line, 12, 30), line);
    }
}
