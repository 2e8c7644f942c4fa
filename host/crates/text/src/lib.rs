//! Cleans untrusted text for display and suggests corrections for misspelled names.
//!
//! Does not depend on the rest of Rookery.

mod suggest;

pub use suggest::suggest;

/// The byte order mark in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the bytes without the leading byte order mark that some programs write.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(MARK).unwrap_or(bytes)
}

/// Returns whether the character is a control or bidi formatting character or has no width.
pub fn is_control_or_bidi(character: char) -> bool {
    matches!(character, '\u{200b}' | '\u{2060}' | '\u{feff}')
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}')
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || character.is_control()
}

/// Cleans untrusted text for display as one line of at most 400 characters, without control
/// characters.
pub fn printable(text: &str) -> String {
    const MAX_CHARS: usize = 400;
    let mut chars = text
        .trim()
        .chars()
        .map(|c| if is_control_or_bidi(c) { ' ' } else { c });
    let mut shown: String = chars.by_ref().take(MAX_CHARS).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Cleans untrusted multi-line text for display: replaces control and bidi formatting characters
/// with spaces, but keeps line breaks.
pub fn visible(text: &str) -> String {
    text.chars()
        .map(|c| {
            if is_control_or_bidi(c) && c != '\n' {
                ' '
            } else {
                c
            }
        })
        .collect()
}

/// Returns a count with its noun: `1 check`, `2 checks`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_letters_of_every_script_but_not_control_characters() {
        for character in ['a', 'é', 'ש', '語', '♞', ' ', '\u{fffd}'] {
            assert!(!is_control_or_bidi(character), "{character:?}");
        }
        for character in [
            '\u{0}', '\n', '\u{1b}', '\u{9b}', '\u{202e}', '\u{2066}', '\u{200f}', '\u{200b}',
            '\u{feff}',
        ] {
            assert!(is_control_or_bidi(character), "{character:?}");
        }
    }
}
