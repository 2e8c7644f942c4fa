//! Data on standard output, messages on standard error.

use std::io::{self, Write};

use serde::Serialize;

use text::is_control_or_bidi;

/// Writes data, with a final newline.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.write_all(if text.ends_with('\n') { b"" } else { b"\n" }))
        .and_then(|()| out.flush())
        .map_err(|error| of_standard_output(&error))
}

/// Names what could not be written.
pub(crate) fn of_standard_output(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("standard output: {error}"))
}

pub(crate) fn print_json<T: Serialize>(value: &T) -> io::Result<()> {
    print(&serde_json::to_string_pretty(value)?)
}

/// Writes a message. Ignores errors: a closed standard error, as behind `2>&1 | head`, does not
/// stop the command.
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
