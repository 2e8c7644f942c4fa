//! Tags.

use std::ops::Range;

/// A tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    pub(super) value: String,
    /// Whether the value has a quotation mark without a backslash.
    pub(super) has_bare_quote: bool,
    /// Whether a blank line precedes the tag.
    pub(super) follows_blank_line: bool,
}

/// The ranges of a tag's name and (still escaped) value, and the tag's length.
pub(super) struct TagRanges {
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
    pub(super) length: usize,
    pub(super) has_bare_quote: bool,
}

/// Finds the tag at the beginning of the text, in UTF-8 or another superset of ASCII. A value ends
/// at its first unescaped quotation mark. If no bracket follows there, the value ends at the first
/// quotation mark before a bracket that ends the line or precedes another tag. Otherwise, it ends
/// at the last quotation mark before a bracket.
pub(super) fn find_tag(text: &[u8]) -> Option<TagRanges> {
    let skip = |from: usize, skipped: fn(u8) -> bool| {
        text[from..]
            .iter()
            .position(|&byte| !skipped(byte))
            .map(|length| from + length)
    };
    let skip_blanks = |from| skip(from, |byte| byte.is_ascii_whitespace() && byte != b'\n');
    let takes = |at: usize, byte| (text.get(at) == Some(&byte)).then_some(at + 1);
    let name_start = skip_blanks(takes(0, b'[')?)?;
    let name = name_start..skip(name_start, |byte| {
        byte.is_ascii_alphanumeric() || byte == b'_'
    })?;
    let value_start = takes(skip_blanks(name.end)?, b'"')?;
    if name.is_empty() {
        return None;
    }
    let mut cursor = value_start;
    let closing = loop {
        match (text.get(cursor), text.get(cursor + 1)) {
            (Some(b'"'), _) => break Some(cursor),
            (None | Some(b'\n'), _) | (Some(b'\\'), Some(b'\n')) => break None,
            (Some(b'\\'), _) => cursor += 2,
            _ => cursor += 1,
        }
    };
    let bracket_after = |quote: usize| skip_blanks(quote + 1).and_then(|at| takes(at, b']'));
    if let Some(value_end) = closing
        && let Some(length) = bracket_after(value_end)
    {
        let value = value_start..value_end;
        return Some(TagRanges {
            name,
            value,
            length,
            has_bare_quote: false,
        });
    }
    // Takes one quotation mark at a time, so that a line with many such tags is not searched to its
    // end for each tag.
    let line = (value_start..text.len()).take_while(|&at| text[at] != b'\n');
    let mut last = None;
    for quote in line.filter(|&at| text[at] == b'"') {
        let Some(length) = bracket_after(quote) else {
            continue;
        };
        last = Some((quote, length));
        if skip_blanks(length).is_none_or(|at| matches!(text[at], b'\n' | b'[')) {
            break;
        }
    }
    let (value_end, length) = last?;
    Some(TagRanges {
        name,
        value: value_start..value_end,
        length,
        has_bare_quote: true,
    })
}

/// Returns the value of a tag. A backslash escapes a quotation mark or a backslash; before anything
/// else it is literal.
pub(super) fn unescape(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        rest = if let Some(unescaped) = after.strip_prefix(['"', '\\']) {
            plain.push_str(&after[..1]);
            unescaped
        } else {
            plain.push('\\');
            after
        };
    }
    plain + rest
}
