//! Untrusted text in messages.

/// Returns untrusted text in quotes, with control characters escaped, truncated to 48 characters.
pub(crate) fn quote(text: &str) -> String {
    const MAX_CHARS: usize = 48;
    let mut chars = text.chars();
    let mut quoted = String::from('"');
    quoted.extend(chars.by_ref().take(MAX_CHARS).flat_map(char::escape_debug));
    quoted.push_str(if chars.next().is_some() {
        "…\""
    } else {
        "\""
    });
    quoted
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
