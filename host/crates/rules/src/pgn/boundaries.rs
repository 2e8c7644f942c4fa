//! The boundaries between games.

use super::{
    blanks::{trim_blanks, trim_marks},
    tag::find_tag,
};

/// Finds lines that begin a game, so that text can be split while it is being read.
///
/// If text is split before such lines, [`PgnReader`](crate::PgnReader) reads the parts exactly as
/// it reads the complete text. Not every game begins with such a line. Outside comments, a split is
/// certain only in two places: before tags that follow moves or a result, and before a repeated tag
/// that follows tags and a blank line, if the tag is `FEN` or one of the seven tags that the PGN
/// standard requires.
///
/// # Examples
/// ```
/// let mut boundaries = rules::PgnBoundaries::default();
/// let text = "[White \"Ann\"]\n[Black \"Bob\"]\n1. e4 {\n[White \"no tag\"]\n} *\n\
///     [White \"Cid\"]\n*";
/// let lines = text.split_inclusive('\n');
/// let begins: Vec<_> = lines.map(|line| boundaries.begins_game(line.as_bytes())).collect();
/// assert_eq!(begins, [false, false, false, false, false, true, false]);
/// ```
#[derive(Clone, Debug)]
pub struct PgnBoundaries {
    /// Whether a comment might be open. Braces count even if the reader skips them.
    in_comment: bool,
    /// Whether anything but tags has certainly been read in the current game.
    has_begun: bool,
    /// Whether the scanned part of the line contains a bracket that might open a tag. Inside a
    /// comment, this refers to the line where the comment began.
    after_bracket: bool,
    /// The tags of the current game, as long as only its tags and blanks have been read.
    header: Option<PgnHeader>,
}

/// The tags of a game, if all of them are known.
#[derive(Clone, Copy, Debug, Default)]
struct PgnHeader {
    /// The tags from `NAMES`, one bit each.
    names: u8,
    /// Whether a blank line follows the last tag.
    ends_with_blank_line: bool,
}

/// Tags that games start with.
const NAMES: [&[u8]; 8] = [
    b"Event", b"Site", b"Date", b"Round", b"White", b"Black", b"Result", b"FEN",
];

impl Default for PgnBoundaries {
    fn default() -> Self {
        let header = Some(PgnHeader::default());
        Self {
            in_comment: false,
            has_begun: false,
            after_bracket: false,
            header,
        }
    }
}

impl PgnBoundaries {
    /// Takes the next line, including its line end. Returns whether a game begins with this line.
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
                    if let Some(header) = &mut self.header {
                        header.ends_with_blank_line = header.names != 0;
                    }
                    return false;
                }
                while let Some(tag) = find_tag(rest) {
                    let name = NAMES
                        .iter()
                        .position(|name| *name == &rest[tag.name.clone()]);
                    begins_game |= self.read_tag(name.map_or(0, |index| 1 << index));
                    rest = trim_blanks(&rest[tag.length..]);
                }
            }
        }
        self.scan(rest);
        begins_game
    }

    /// Takes a tag (its bit in `NAMES`, or 0). Returns whether a game begins with this tag.
    fn read_tag(&mut self, name: u8) -> bool {
        let is_repeated = self
            .header
            .is_some_and(|header| header.ends_with_blank_line && header.names & name != 0);
        let begins_game = std::mem::take(&mut self.has_begun) || is_repeated;
        self.header = if begins_game {
            Some(PgnHeader {
                names: name,
                ends_with_blank_line: false,
            })
        } else {
            // After a blank line, a tag that is not in `NAMES` may repeat an earlier tag.
            let known = self
                .header
                .filter(|header| name != 0 || !header.ends_with_blank_line);
            known.map(|header| PgnHeader {
                names: header.names | name,
                ends_with_blank_line: false,
            })
        };
        begins_game
    }

    /// Looks for comments and moves in the rest of a line.
    fn scan(&mut self, mut rest: &[u8]) {
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            if !byte.is_ascii_whitespace() {
                self.header = None;
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

/// Returns the text from the end of the first line on. A line ends at a carriage return or a line
/// feed.
fn rest_of_line(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&byte| matches!(byte, b'\r' | b'\n'));
    &text[end.unwrap_or(text.len())..]
}
