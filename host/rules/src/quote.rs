//! Foreign text in messages.

use std::fmt;

/// Foreign text in quotes, its control characters escaped, truncated to [`Quoted::MAX_CHARS`] characters.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl Quoted<'_> {
    const MAX_CHARS: usize = 48;
}

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        let mut chars = self.0.chars();
        for character in chars.by_ref().take(Self::MAX_CHARS) {
            write!(f, "{}", character.escape_debug())?;
        }
        f.write_str(if chars.next().is_some() { "…\"" } else { "\"" })
    }
}

/// Returns the text as [`Quoted`] shows it, for an error to store.
pub(crate) fn quote(text: &str) -> String {
    Quoted(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_control_characters() {
        assert_eq!(quote("w\nquit\0"), r#""w\nquit\0""#);
    }

    #[test]
    fn truncates_long_text() {
        let shown = quote(&"x".repeat(1_000_000));
        assert_eq!(shown, format!("\"{}…\"", "x".repeat(48)));
        assert_eq!(quote(&"é".repeat(48)), format!("\"{}\"", "é".repeat(48)));
    }
}
