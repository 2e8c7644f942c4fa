//! Symbols for glyphs.

use std::borrow::Cow;

/// Glyphs as people write them, with their numbers.
/// <https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm#c10>
const SYMBOLS: [(&str, u8); 35] = [
    ("!", 1),
    ("?", 2),
    ("!!", 3),
    ("\u{203c}", 3),
    ("??", 4),
    ("\u{2047}", 4),
    ("!?", 5),
    ("\u{2049}", 5),
    ("?!", 6),
    ("\u{2048}", 6),
    ("\u{25a1}", 7),
    ("=", 10),
    ("\u{221e}", 13),
    ("+=", 14),
    ("+/=", 14),
    ("\u{2a72}", 14),
    ("=+", 15),
    ("=/+", 15),
    ("\u{2a71}", 15),
    ("+/-", 16),
    ("\u{b1}", 16),
    ("-/+", 17),
    ("\u{2213}", 17),
    ("+-", 18),
    ("-+", 19),
    ("\u{2a00}", 22),
    ("\u{27f3}", 32),
    ("\u{2191}", 36),
    ("\u{2192}", 40),
    ("=/\u{221e}", 44),
    ("\u{2bf9}", 44),
    ("\u{21c6}", 132),
    ("\u{21c4}", 132),
    ("\u{2206}", 140),
    ("\u{2313}", 142),
];

/// Typographic forms of the minus sign.
pub(super) const DASHES: [char; 2] = ['\u{2212}', '\u{2013}'];

/// The length of the longest marks, such as `!?`.
pub(super) const LONGEST_MARK: usize = 2;

/// The glyph of a symbol, such as 1 for `!`.
pub(super) fn glyph_of(mark: &str) -> Option<u8> {
    let plain = if mark.is_ascii() {
        Cow::Borrowed(mark)
    } else {
        Cow::Owned(mark.replace(DASHES, "-"))
    };
    SYMBOLS
        .iter()
        .find(|(symbol, _)| *symbol == plain)
        .map(|(_, glyph)| *glyph)
}

/// Returns whether a symbol begins with a character.
pub(super) fn begins_symbol(character: char) -> bool {
    SYMBOLS
        .iter()
        .any(|(symbol, _)| symbol.starts_with(character))
}
