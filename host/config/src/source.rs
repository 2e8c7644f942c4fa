//! The text of a configuration file and the places in it.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use crate::api_key::concealed;
use text::is_control_or_bidi;

/// Columns of a source line that are shown around the place that is meant.
const SHOWN_COLUMNS: usize = 120;
/// Characters of a value that a message repeats.
pub(crate) const SHOWN_VALUE: usize = 60;

/// A configuration file as read, with its lines found once.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    path: PathBuf,
    text: String,
    line_starts: Vec<usize>,
}

/// A stretch of a line that can be shown with a caret under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// Counted from 1.
    pub(crate) line: usize,
    /// Counted from 1, in characters.
    pub(crate) column: usize,
    pub(crate) text: String,
    /// Characters of `text` before the carets.
    pub(crate) indent: usize,
    /// How many carets.
    pub(crate) width: usize,
}

impl Source {
    pub(crate) fn new(path: &Path, text: String) -> Self {
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { path: path.to_owned(), text, line_starts }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The folder that paths of the file are relative to.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// The line, counted from 1, that holds the byte at `offset`.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// What stands at `span`, a range of bytes; a span of several lines is cut after its first.
    pub(crate) fn excerpt(&self, span: &Range<usize>) -> Excerpt {
        let start = self.text.floor_char_boundary(span.start);
        let end = self.text.floor_char_boundary(span.end).max(start);
        let line = self.line_of(start);
        let line_start = self.line_starts[line - 1];
        let rest = &self.text[line_start..];
        let whole = rest.split('\n').next().unwrap_or(rest).trim_end_matches('\r');
        let line_end = line_start + whole.len();
        let before = self.text[line_start..start].chars().count();
        let width = self.text[start.min(line_end)..end.min(line_end)].chars().count().max(1);
        let skipped = before.saturating_sub(SHOWN_COLUMNS / 2);
        let whole = concealed(whole);
        Excerpt {
            line,
            column: before + 1,
            text: visible(whole.chars().skip(skipped).take(SHOWN_COLUMNS).collect::<String>().trim_end()),
            indent: before - skipped,
            width: width.min(SHOWN_COLUMNS - (before - skipped)),
        }
    }
}

/// `text` without anything that a terminal would obey: each such character becomes one that stands for it.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\t' => ' ',
            _ if is_control_or_bidi(character) => '\u{fffd}',
            _ => character,
        })
        .collect()
}

/// At most `most` characters of `text`, visible, with an ellipsis where some are left out.
pub fn shortened(text: &str, most: usize) -> String {
    let mut short: String = visible(&concealed(&text.chars().take(most).collect::<String>()));
    if text.chars().nth(most).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new(Path::new("rookery.toml"), text.to_owned())
    }

    #[test]
    fn finds_line_column_and_width_in_characters() {
        let text = "a = 1\r\né = \"schön\" # x\n";
        let start = text.find("\"schön\"").unwrap();
        let excerpt = source(text).excerpt(&(start..start + "\"schön\"".len()));
        let expected =
            Excerpt { line: 2, column: 5, text: "é = \"schön\" # x".into(), indent: 4, width: 7 };
        assert_eq!(excerpt, expected);
    }

    #[test]
    fn points_behind_the_last_character_at_the_end_of_the_file() {
        let excerpt = source("a = [").excerpt(&(5..5));
        assert_eq!((excerpt.line, excerpt.column, excerpt.indent, excerpt.width), (1, 6, 5, 1));
        assert_eq!(source("a\n").excerpt(&(900..901)).line, 2);
    }

    #[test]
    fn cuts_a_long_line_around_the_place() {
        let text = format!("{} = 1", "k".repeat(5000));
        let excerpt = source(&text).excerpt(&(5003..5004));
        assert_eq!((excerpt.line, excerpt.column), (1, 5004));
        assert_eq!(excerpt.text.chars().nth(excerpt.indent), Some('1'));
        assert!(excerpt.text.chars().count() <= SHOWN_COLUMNS);
        let whole = source(&text).excerpt(&(0..5000));
        assert_eq!((whole.indent, whole.width), (0, SHOWN_COLUMNS));
    }

    #[test]
    fn shows_nothing_that_a_terminal_obeys() {
        assert_eq!(visible("a\u{1b}[31m\tb\u{202e}"), "a\u{fffd}[31m b\u{fffd}");
        assert_eq!(shortened("abcdef", 3), "abc…");
        assert_eq!(shortened("abc", 3), "abc");
    }
}
