//! The tokens of PGN.

use std::ops::Range;

use super::{PgnFault, PgnResult, line::NULL_MOVES};
use crate::quote::quote;

/// A token of PGN.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Tag(&'a str, String),
    /// A move with its glyph, such as 1 for `Nf3!`.
    Move(&'a str, Option<u8>),
    Glyph(u8),
    Comment(&'a str),
    /// `(`
    Open,
    /// `)`
    Close,
    Result(PgnResult),
    /// A move number, or another mark without meaning.
    Ignored,
}

/// The place of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// The tokens of a text, in order.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    /// Where the rest begins.
    at: usize,
    /// The line of the rest, and where it begins.
    line: usize,
    line_start: usize,
    /// Whether only blanks precede the rest in its line.
    begins_line: bool,
    /// The start of the last token, its line, and the start of the line.
    token: (usize, usize, usize),
    /// A character, and its column. Columns are counted on demand, from the last one counted.
    counted: (usize, usize),
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self { text, at: 0, line: 1, line_start: 0, begins_line: true, token: (0, 1, 0), counted: (0, 1) }
    }

    /// Takes the next token, or returns its fault and skips it. In an open variation (`is_varied`) only a tag at the start of a
    /// line is a tag, which begins another game.
    pub(super) fn next(&mut self, is_varied: bool) -> Option<Result<Token<'a>, PgnFault>> {
        self.skip_blanks();
        self.token = (self.at, self.line, self.line_start);
        let begins_line = std::mem::replace(&mut self.begins_line, false);
        let rest = self.rest();
        Some(match rest.as_bytes().first()? {
            b'{' => self.comment(),
            b';' => Ok(Token::Comment(&self.take_line()[1..])),
            b'(' => self.one(Ok(Token::Open)),
            b')' => self.one(Ok(Token::Close)),
            b'}' => self.one(Err(PgnFault::Unopened('}'))),
            b'.' => self.one(Ok(Token::Ignored)),
            b'[' => match find_tag(rest.as_bytes()) {
                Some(tag) if !is_varied || begins_line => {
                    self.at += tag.length;
                    Ok(Token::Tag(&rest[tag.name], unescape(&rest[tag.value])))
                }
                _ if is_varied => self.word(),
                _ => Err(PgnFault::Tag { found: quote(self.take_line().trim()) }),
            },
            b'0'..=b'9' => self.number().map_or_else(|| self.word(), Ok),
            _ => self.word(),
        })
    }

    /// The place of the last token.
    pub(super) fn place(&mut self) -> Place {
        let (start, line, line_start) = self.token;
        if self.counted.0 < line_start {
            self.counted = (line_start, 1);
        }
        let (from, column) = self.counted;
        self.counted = (start, column + self.text[from..start].chars().count());
        Place { line, column: self.counted.1 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn comment(&mut self) -> Result<Token<'a>, PgnFault> {
        let rest = self.rest();
        let end = rest.find('}');
        let comment = &rest[1..end.unwrap_or(rest.len())];
        if let Some(last) = comment.rfind('\n') {
            self.line += comment.bytes().filter(|&byte| byte == b'\n').count();
            self.line_start = self.at + 1 + last + 1;
        }
        self.at += end.map_or(rest.len(), |end| end + 1);
        end.map(|_| Token::Comment(comment)).ok_or(PgnFault::Unclosed("comment"))
    }

    fn one(&mut self, token: Result<Token<'a>, PgnFault>) -> Result<Token<'a>, PgnFault> {
        self.at += 1;
        token
    }

    /// Takes a move number with its dots, after which a space may be missing.
    fn number(&mut self) -> Option<Token<'a>> {
        let rest = self.rest();
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let has_dot = after.starts_with('.');
        let ends = has_dot || after.is_empty() || after.starts_with(char::is_whitespace);
        if !ends || !has_dot && NULL_MOVES.contains(&&rest[..rest.len() - after.len()]) {
            return None;
        }
        self.at = self.text.len() - after.trim_start_matches('.').len();
        Some(Token::Ignored)
    }

    /// Takes a move, glyph or result.
    fn word(&mut self) -> Result<Token<'a>, PgnFault> {
        let rest = self.rest();
        let word = &rest[..word_length(rest)];
        self.at += word.len();
        if let Some(result) = PgnResult::of_text(word) {
            return Ok(Token::Result(result));
        }
        if let Some(number) = word.strip_prefix('$') {
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            let glyph = number.parse().ok().filter(|_| digits).map(Token::Glyph);
            return glyph.ok_or_else(|| PgnFault::Glyph { found: quote(word) });
        }
        if word == "e.p." {
            return Ok(Token::Ignored);
        }
        let text = word.trim_end_matches(['!', '?']);
        let glyph = glyph_of(&word[text.len()..]);
        Ok(if text.is_empty() {
            glyph.map_or(Token::Ignored, Token::Glyph)
        } else {
            Token::Move(text, glyph)
        })
    }

    /// Skips blanks, and lines that begin with `%`, which are escaped.
    fn skip_blanks(&mut self) {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                    self.begins_line = true;
                }
                b'\t'..=b'\r' | b' ' => self.at += 1,
                b'%' if self.at == self.line_start => {
                    self.take_line();
                    self.begins_line = false;
                }
                _ => match self.rest().chars().next() {
                    Some(blank) if blank.is_whitespace() => self.at += blank.len_utf8(),
                    _ => return,
                },
            }
        }
    }

    fn take_line(&mut self) -> &'a str {
        let rest = self.rest();
        let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        self.at += line.len();
        line
    }
}

/// Returns the length of the word at the beginning of a text. A bracket that opens no tag is a word or begins one.
fn word_length(text: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | '(' | ')' | '[' | ']' | ';');
    text.char_indices().find(|&(at, c)| at > 0 && ends(c)).map_or(text.len(), |(at, _)| at)
}

/// The glyph of a mark, such as 1 for `!`.
fn glyph_of(mark: &str) -> Option<u8> {
    let marks = ["!", "?", "!!", "??", "!?", "?!"];
    (1..).zip(marks).find(|(_, known)| *known == mark).map(|(glyph, _)| glyph)
}

/// Where a tag has its name and its value, still escaped, and its length.
struct TagRanges {
    name: Range<usize>,
    value: Range<usize>,
    length: usize,
}

/// Returns the length of the tag at the beginning of a text.
pub(super) fn tag_length(text: &[u8]) -> Option<usize> {
    find_tag(text).map(|tag| tag.length)
}

/// Finds the tag at the beginning of a text, in UTF-8 or Latin-1.
fn find_tag(text: &[u8]) -> Option<TagRanges> {
    let skip = |from: usize, skipped: fn(u8) -> bool| {
        text[from..].iter().position(|&byte| !skipped(byte)).map(|length| from + length)
    };
    let skip_blanks = |from| skip(from, |byte| byte.is_ascii_whitespace() && byte != b'\n');
    let takes = |at: usize, byte| (text.get(at) == Some(&byte)).then_some(at + 1);
    let name_start = skip_blanks(takes(0, b'[')?)?;
    let name = name_start..skip(name_start, |byte| byte.is_ascii_alphanumeric() || byte == b'_')?;
    let value_start = takes(skip_blanks(name.end)?, b'"')?;
    let mut value_end = value_start;
    loop {
        match (*text.get(value_end)?, text.get(value_end + 1)) {
            (b'"', _) => break,
            (b'\n', _) | (b'\\', Some(b'\n')) => return None,
            (b'\\', _) => value_end += 2,
            _ => value_end += 1,
        }
    }
    let length = takes(skip_blanks(value_end + 1)?, b']')?;
    (!name.is_empty()).then_some(TagRanges { name, value: value_start..value_end, length })
}

/// Returns the value of a tag: each character after a backslash counts as itself.
fn unescape(value: &str) -> String {
    let mut plain = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let mut escaped = after.chars();
        plain.extend(escaped.next());
        rest = escaped.as_str();
    }
    plain + rest
}
