//! The lines between games.

use super::tokens::{find_tag, trim_blanks, trim_marks};

/// Finds lines with which a game begins, so that a text can be split while it is read.
///
/// [`PgnReader`](crate::PgnReader) reads the parts of a text that is split before such lines as it reads the whole text. Not every
/// game begins with such a line: a split is certain only before the tags that follow moves or a result, outside of comments, and
/// before a repeated tag of the seven that every game has, or `FEN`, that follows tags and a blank line.
///
/// # Examples
/// ```
/// let mut boundaries = rules::PgnBoundaries::default();
/// let text = "[White \"Ann\"]\n[Black \"Bob\"]\n1. e4 {\n[White \"no tag\"]\n} *\n[White \"Cid\"]\n*";
/// let begins: Vec<_> = text.split_inclusive('\n').map(|line| boundaries.begins_game(line.as_bytes())).collect();
/// assert_eq!(begins, [false, false, false, false, false, true, false]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct PgnBoundaries {
    /// Whether a comment may be open: a brace that the reader skips counts too.
    in_comment: bool,
    /// Whether anything but tags has certainly been read of the current game.
    has_begun: bool,
    /// Whether a bracket that may or may not open a tag precedes in the line, or preceded the open comment.
    after_bracket: bool,
    /// Of the tags `NAMES`, those that the current game certainly has, with only tags and blanks after them.
    names: u8,
    /// Those of them with which the next game begins here: a blank line follows the last tag.
    repeatable: u8,
}

/// Tags with which games begin.
const NAMES: [&[u8]; 8] = [b"Event", b"Site", b"Date", b"Round", b"White", b"Black", b"Result", b"FEN"];

impl PgnBoundaries {
    /// Takes the next line, with its line end, and returns whether a game begins with it.
    pub fn begins_game(&mut self, line: &[u8]) -> bool {
        let line = trim_marks(line);
        let mut rest = line;
        let mut begins_game = false;
        if !self.in_comment {
            self.after_bracket = false;
            if line.starts_with(b"%") {
                rest = rest_of_line(line);
            } else {
                rest = trim_blanks(rest);
                if rest.is_empty() {
                    self.repeatable = self.names;
                    return false;
                }
                while let Some(tag) = find_tag(rest) {
                    let name = NAMES.iter().position(|name| *name == &rest[tag.name.clone()]);
                    let name = name.map_or(0, |index| 1 << index);
                    if self.has_begun || self.repeatable & name != 0 {
                        begins_game = true;
                        self.names = 0;
                    }
                    self.names |= name;
                    self.has_begun = false;
                    self.repeatable = 0;
                    rest = trim_blanks(&rest[tag.length..]);
                }
            }
        }
        self.scan(rest);
        begins_game
    }

    /// Looks for comments and moves in the rest of a line.
    fn scan(&mut self, mut rest: &[u8]) {
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            if !byte.is_ascii_whitespace() {
                (self.names, self.repeatable) = (0, 0);
            }
            match byte {
                b'}' if self.in_comment => self.in_comment = false,
                _ if self.in_comment => {}
                b'{' => self.in_comment = true,
                b'[' => {
                    self.has_begun = false;
                    self.after_bracket = true;
                }
                _ if self.after_bracket => {}
                b';' => rest = rest_of_line(rest),
                b'!'..=b'~' => self.has_begun = true,
                _ => {}
            }
        }
    }
}

/// Returns the text from the end of the line, where a carriage return ends a line too.
fn rest_of_line(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| matches!(byte, b'\r' | b'\n'));
    &text[end.unwrap_or(text.len())..]
}
