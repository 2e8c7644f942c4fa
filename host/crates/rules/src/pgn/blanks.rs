//! Blanks between tokens.

/// The byte order mark in UTF-8. Joined files contain one in the middle.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// DOS files end with this character.
pub(super) const CTRL_Z: u8 = 0x1a;

/// Returns whether a character separates tokens.
pub(super) fn is_blank(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{feff}' | '\u{1a}')
}

/// Returns the text without the byte order marks and Ctrl+Z that joined files leave at its start.
pub(super) fn trim_marks(mut text: &[u8]) -> &[u8] {
    while let Some(rest) = text
        .strip_prefix(BYTE_ORDER_MARK)
        .or_else(|| text.strip_prefix(&[CTRL_Z]))
    {
        text = rest;
    }
    text
}

/// Returns the text from the first byte that is certainly not a blank.
pub(super) fn trim_blanks(text: &[u8]) -> &[u8] {
    let mut rest = text.trim_ascii_start();
    while trim_marks(rest).len() < rest.len() {
        rest = trim_marks(rest).trim_ascii_start();
    }
    rest
}
