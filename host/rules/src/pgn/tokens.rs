//! The tokens of PGN.

use super::{PgnFault, PgnResult};
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
    /// The rest of the text.
    rest: &'a str,
    /// The place of the rest.
    at: Place,
    /// Whether only blanks precede it in its line.
    begins_line: bool,
    /// The place of the last token.
    pub(super) place: Place,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
        let at = Place { line: 1, column: 1 };
        Self { rest, at, begins_line: true, place: at }
    }

    /// Takes the next token, or returns its fault and skips it. In an open variation (`is_varied`) only a tag at the start of a
    /// line is a tag, which begins another game.
    pub(super) fn next(&mut self, is_varied: bool) -> Option<Result<Token<'a>, PgnFault>> {
        loop {
            self.skip_blanks();
            self.place = self.at;
            let token = match self.rest.chars().next()? {
                '{' => self.comment(),
                ';' => Ok(Token::Comment(&self.take_line()[1..])),
                '(' => self.one(Ok(Token::Open)),
                ')' => self.one(Ok(Token::Close)),
                '}' => self.one(Err(PgnFault::Unopened('}'))),
                '[' => match read_tag(self.rest) {
                    Some((name, value, length)) if !is_varied || self.begins_line => {
                        self.skip(length);
                        Ok(Token::Tag(name, value))
                    }
                    _ if is_varied => match self.next_word('[') {
                        Some(token) => token,
                        None => continue,
                    },
                    _ => {
                        let line = self.take_line();
                        Err(PgnFault::Tag { found: quote(line.trim()) })
                    }
                },
                first => match self.next_word(first) {
                    Some(token) => token,
                    None => continue,
                },
            };
            return Some(token);
        }
    }

    fn comment(&mut self) -> Result<Token<'a>, PgnFault> {
        let end = self.rest.find('}');
        let comment = &self.rest[1..end.unwrap_or(self.rest.len())];
        self.skip(end.map_or(self.rest.len(), |end| end + 1));
        end.map(|_| Token::Comment(comment)).ok_or(PgnFault::Unclosed("comment"))
    }

    fn one(&mut self, token: Result<Token<'a>, PgnFault>) -> Result<Token<'a>, PgnFault> {
        self.skip(1);
        token
    }

    /// Takes a move, glyph or result; none for a move number.
    fn next_word(&mut self, first: char) -> Option<Result<Token<'a>, PgnFault>> {
        // A space may be missing between number and move.
        if first.is_ascii_digit() {
            let after = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
            if after.is_empty() || after.starts_with(|c: char| c == '.' || c.is_whitespace()) {
                let after = after.trim_start_matches('.');
                self.skip(self.rest.len() - after.len());
                return None;
            }
        }
        if first == '.' {
            self.skip(1);
            return None;
        }
        let ends = |c: char| c.is_whitespace() || "{}()[];".contains(c);
        // A bracket that opens no tag is a token of its own.
        let length = self.rest.char_indices().find(|&(at, c)| at > 0 && ends(c));
        let word = &self.rest[..length.map_or(self.rest.len(), |(at, _)| at)];
        self.skip(word.len());
        if let Some(result) = PgnResult::of_text(word) {
            return Some(Ok(Token::Result(result)));
        }
        if let Some(number) = word.strip_prefix('$') {
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            let glyph = number.parse().ok().filter(|_| digits).map(Token::Glyph);
            return Some(glyph.ok_or_else(|| PgnFault::Glyph { found: quote(word) }));
        }
        if word == "e.p." {
            return None;
        }
        let text = word.trim_end_matches(['!', '?']);
        let glyph = glyph_of(&word[text.len()..]);
        if text.is_empty() {
            return glyph.map(|glyph| Ok(Token::Glyph(glyph)));
        }
        Some(Ok(Token::Move(text, glyph)))
    }

    /// Skips blanks, and lines that begin with `%`, which are escaped.
    fn skip_blanks(&mut self) {
        loop {
            self.skip(self.rest.len() - self.rest.trim_start().len());
            if !(self.rest.starts_with('%') && self.at.column == 1) {
                return;
            }
            self.take_line();
        }
    }

    fn take_line(&mut self) -> &'a str {
        let line = &self.rest[..self.rest.find(['\n', '\r']).unwrap_or(self.rest.len())];
        self.skip(line.len());
        line
    }

    fn skip(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        let mut of_line = passed;
        if let Some(last) = passed.rfind('\n') {
            of_line = &passed[last + 1..];
            self.at = Place { line: self.at.line + passed.matches('\n').count(), column: 1 };
            self.begins_line = true;
        }
        self.at.column += of_line.chars().count();
        self.begins_line &= of_line.trim_start().is_empty();
        self.rest = rest;
    }
}

/// The glyph of a mark, such as 1 for `!`.
fn glyph_of(mark: &str) -> Option<u8> {
    let marks = ["!", "?", "!!", "??", "!?", "?!"];
    (1..).zip(marks).find(|(_, known)| *known == mark).map(|(glyph, _)| glyph)
}

/// Reads the tag at the beginning of a text. Returns its name, value and length in bytes.
fn read_tag(text: &str) -> Option<(&str, String, usize)> {
    let blanks = |c: char| c.is_whitespace() && c != '\n';
    let inner = text.strip_prefix('[')?.trim_start_matches(blanks);
    let name_length = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    let (name, rest) = inner.split_at(name_length);
    let quoted = rest.trim_start_matches(blanks).strip_prefix('"')?;
    if name.is_empty() {
        return None;
    }
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    let end = loop {
        match characters.next()? {
            (at, '"') => break at,
            (_, '\n') => return None,
            (_, '\\') => value.push(characters.next()?.1),
            (_, character) => value.push(character),
        }
    };
    let after = quoted[end + 1..].trim_start_matches(blanks).strip_prefix(']')?;
    Some((name, value, text.len() - after.len()))
}
