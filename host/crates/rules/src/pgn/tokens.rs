//! The tokens of PGN.

use super::{
    PgnFault, PgnResult,
    blanks::{CTRL_Z, is_blank},
    line::NULL_MOVES,
    symbols::{DASHES, LONGEST_MARK, begins_symbol, glyph_of},
    tag::{Tag, find_tag, unescape},
};
use crate::quote::quote;

/// A token of PGN.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Tag(Tag<'a>),
    /// A move with its glyph, such as 1 for `Nf3!`.
    Move(&'a str, Option<u8>),
    Glyph(u8),
    Comment(&'a str),
    /// `(`
    Open,
    /// `)`
    Close,
    Result(PgnResult),
    Number(MoveNumber),
    /// A mark without meaning.
    Ignored,
}

/// A move number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MoveNumber {
    pub(super) is_one: bool,
    /// Whether a blank line precedes the number.
    pub(super) follows_blank_line: bool,
}

/// The place of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenPlace {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// The tokens in the text, in order.
#[derive(Clone, Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    /// Where the unread text begins.
    at: usize,
    /// The line number at `at`, and where that line begins.
    line: usize,
    line_start: usize,
    /// Whether only blanks precede `at` in its line.
    begins_line: bool,
    /// Whether a blank line precedes the last token.
    follows_blank_line: bool,
    /// The start of the last token, its line, and the start of the line.
    token: (usize, usize, usize),
    /// A character and its column. Columns are counted on demand, starting from the last one
    /// counted.
    counted: (usize, usize),
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            line_start: 0,
            begins_line: true,
            follows_blank_line: false,
            token: (0, 1, 0),
            counted: (0, 1),
        }
    }

    /// Takes the next token, or returns its fault and skips it. In an open variation (`is_varied`),
    /// only a tag at the start of a line counts as a tag. It begins the next game.
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
            b'[' if is_varied && !begins_line => self.word(),
            b'[' => match find_tag(rest.as_bytes()) {
                Some(tag) => {
                    self.at += tag.length;
                    Ok(Token::Tag(Tag {
                        name: &rest[tag.name],
                        value: unescape(&rest[tag.value]),
                        has_bare_quote: tag.has_bare_quote,
                        follows_blank_line: self.follows_blank_line,
                    }))
                }
                None if is_varied => self.word(),
                None => Err(PgnFault::Tag {
                    found: quote(self.take_line().trim()),
                }),
            },
            b'0'..=b'9' => {
                let token = self.spaced_result().or_else(|| self.number());
                token.map_or_else(|| self.word(), Ok)
            }
            _ => self.word(),
        })
    }

    /// Takes the comments that follow a result. Returns each comment and whether it begins on the
    /// result's line.
    pub(super) fn take_last_comments(&mut self) -> Vec<(&'a str, bool)> {
        let result_line = self.line;
        let mut comments = Vec::new();
        loop {
            let before = self.clone();
            self.skip_blanks();
            let is_in_line = self.line == result_line;
            let comment = match self.rest().as_bytes().first() {
                Some(b'{') => self.comment(),
                Some(b';') => Ok(Token::Comment(&self.take_line()[1..])),
                _ => Ok(Token::Ignored),
            };
            let Ok(Token::Comment(text)) = comment else {
                *self = before;
                break;
            };
            comments.push((text, is_in_line));
        }
        comments
    }

    /// The place of the last token.
    pub(super) fn place(&mut self) -> TokenPlace {
        let (start, line, line_start) = self.token;
        if self.counted.0 < line_start {
            self.counted = (line_start, 1);
        }
        let (from, column) = self.counted;
        self.counted = (start, column + self.text[from..start].chars().count());
        TokenPlace {
            line,
            column: self.counted.1,
        }
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
        end.map(|_| Token::Comment(comment))
            .ok_or(PgnFault::Unclosed("comment"))
    }

    fn one(&mut self, token: Result<Token<'a>, PgnFault>) -> Result<Token<'a>, PgnFault> {
        self.at += 1;
        token
    }

    /// Takes a move number with its dots. The space after it may be missing.
    fn number(&mut self) -> Option<Token<'a>> {
        let rest = self.rest();
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let has_dot = after.starts_with('.');
        let ends = has_dot || after.is_empty() || after.starts_with(char::is_whitespace);
        if !ends || !has_dot && NULL_MOVES.contains(&&rest[..rest.len() - after.len()]) {
            return None;
        }
        self.at = self.text.len() - after.trim_start_matches('.').len();
        let is_one = &rest[..rest.len() - after.len()] == "1";
        Some(Token::Number(MoveNumber {
            is_one,
            follows_blank_line: self.follows_blank_line,
        }))
    }

    /// Takes a result with blanks around its dash or colon, such as `1/2 : 1/2`.
    fn spaced_result(&mut self) -> Option<Token<'a>> {
        const PARTS: [&str; 3] = ["1/2", "1", "0"];
        let rest = self.rest();
        if !matches!(
            rest.as_bytes(),
            [b'0' | b'1', b' ' | b'\t', ..] | [b'1', b'/', b'2', b' ' | b'\t', ..]
        ) {
            return None;
        }
        let part_of = |text: &str| PARTS.into_iter().find(|part| text.starts_with(part));
        let first = part_of(rest)?;
        let after = rest[first.len()..].strip_prefix([' ', '\t'])?;
        let after = after
            .trim_start_matches([' ', '\t'])
            .strip_prefix(['-', ':', '\u{2013}', '\u{2212}'])?;
        let after = after.trim_start_matches([' ', '\t']);
        let second = part_of(after)?;
        let end = &after[second.len()..];
        if end.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '/')) {
            return None;
        }
        let result = PgnResult::of_text(&format!("{first}-{second}"))?;
        self.at = self.text.len() - end.len();
        Some(Token::Result(result))
    }

    /// Takes a move, glyph or result.
    fn word(&mut self) -> Result<Token<'a>, PgnFault> {
        let rest = self.rest();
        let word = &rest[..word_length(rest)];
        let word = &word[..word.len() - attached_length(word)];
        self.at += word.len();
        let word = word.strip_prefix('\\').unwrap_or(word);
        if let Some(result) = PgnResult::of_text(word) {
            return Ok(Token::Result(result));
        }
        if is_meaningless(word) {
            return Ok(Token::Ignored);
        }
        let has_punctuation =
            matches!(word.as_bytes(), [.., b'.' | b',']) && !word.ends_with("e.p.");
        let word = if has_punctuation {
            word.trim_end_matches(['.', ','])
        } else {
            word
        };
        if let Some(number) = word.strip_prefix('$') {
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            let glyph = number.parse().ok().filter(|_| digits).map(Token::Glyph);
            return glyph.ok_or_else(|| PgnFault::Glyph { found: quote(word) });
        }
        if !word.starts_with(|c: char| c.is_ascii_alphanumeric())
            && let Some(glyph) = glyph_of(word)
        {
            return Ok(Token::Glyph(glyph));
        }
        let text = word.trim_end_matches(['!', '?']);
        let mark = &word[text.len()..];
        let mark_length = mark.len().min(LONGEST_MARK);
        // The rest of `!!!` is a separate glyph.
        self.at -= mark.len() - mark_length;
        let glyph = if mark.is_empty() {
            None
        } else {
            glyph_of(&mark[..mark_length])
        };
        Ok(if text.is_empty() {
            glyph.map_or(Token::Ignored, Token::Glyph)
        } else {
            Token::Move(text, glyph)
        })
    }

    /// Skips blanks and escaped lines, which begin with `%`.
    fn skip_blanks(&mut self) {
        let mut line_ends = 0;
        self.follows_blank_line = false;
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                    self.begins_line = true;
                    line_ends += 1;
                    self.follows_blank_line |= line_ends > 1;
                }
                b'\t'..=b'\r' | b' ' => self.at += 1,
                b'%' if self.at == self.line_start => {
                    self.take_line();
                    self.begins_line = false;
                    line_ends = 0;
                }
                _ if byte.is_ascii() && byte != CTRL_Z => break,
                _ => match self.rest().chars().next() {
                    Some(blank) if is_blank(blank) => {
                        let begins_line = self.at == self.line_start && !blank.is_whitespace();
                        self.at += blank.len_utf8();
                        if begins_line {
                            self.line_start = self.at;
                        }
                    }
                    _ => break,
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

/// Returns the length of the word at the beginning of the text. A bracket that doesn't open a tag
/// is a word or begins one. A symbol ends a move.
fn word_length(text: &str) -> usize {
    let is_move = text.starts_with(|c: char| c.is_alphanumeric());
    let ends_move = |c: char| is_move && begins_symbol(c);
    let mut length = text.chars().next().map_or(0, char::len_utf8);
    while let Some(&byte) = text.as_bytes().get(length) {
        length += match byte {
            b'\t'..=b'\r' | b' ' | CTRL_Z | b'{' | b'}' | b'(' | b')' | b'[' | b']' | b';' => break,
            _ if byte.is_ascii() => 1,
            _ => match text[length..].chars().next() {
                Some(c) if !is_blank(c) && !ends_move(c) => c.len_utf8(),
                _ => break,
            },
        };
    }
    length
}

/// Returns whether a word carries no meaning: a check sign apart from its move, punctuation, or "en
/// passant".
fn is_meaningless(word: &str) -> bool {
    match word.as_bytes().first() {
        Some(b'+' | b'#' | b',' | b'.') => word.trim_matches(['+', '#', ',', '.']).is_empty(),
        Some(b'e') => ["e.p.", "e.p", "ep"].contains(&word),
        _ => false,
    }
}

/// Returns the length of a suffix that ends a move without a blank before it: a result, as in
/// `Nf31-0`, or an evaluation in ASCII, as in `Nf3+-`. Marks such as `!` belong to the move.
fn attached_length(word: &str) -> usize {
    let may_be_attached = |last: u8| {
        matches!(last, b'0'..=b'2' | b'*' | b'+' | b'-' | b'=' | b'/') || !last.is_ascii()
    };
    if !word.bytes().last().is_some_and(may_be_attached) {
        return 0;
    }
    if word.starts_with(|c: char| c.is_ascii_alphabetic())
        && let Some(result) = ["1-0", "0-1", "1/2-1/2", "*"]
            .iter()
            .find(|result| word.ends_with(**result))
    {
        return result.len();
    }
    let text = word.trim_end_matches(|c| matches!(c, '+' | '-' | '=' | '/') || DASHES.contains(&c));
    let suffix = &word[text.len()..];
    // The first `+` may be the check sign.
    let symbols = [suffix, suffix.strip_prefix('+').unwrap_or_default()];
    let found = symbols
        .into_iter()
        .find(|symbol| !symbol.is_empty() && glyph_of(symbol).is_some());
    found.filter(|_| !text.is_empty()).map_or(0, str::len)
}
