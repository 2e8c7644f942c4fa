//! The text of a configuration file and the places in it.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{api_key::concealed, userinfo::without_userinfo};
use text::is_control_or_bidi;

/// The maximum number of characters of a value in a message.
pub(crate) const SHOWN_VALUE: usize = 60;

/// The text of a configuration file with the starts of its lines.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    path: PathBuf,
    text: Arc<str>,
    line_starts: Vec<usize>,
    is_written: bool,
}

/// Part of a line, shown with carets below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    text: Arc<str>,
    /// The byte range of the line.
    line: Range<usize>,
    /// The byte range of the marked part.
    span: Range<usize>,
}

impl Excerpt {
    /// Marks a one-line text from `start` to its end.
    pub(crate) fn of_line(text: &str, start: usize) -> Self {
        Self {
            text: text.into(),
            line: 0..text.len(),
            span: start..text.len(),
        }
    }

    /// Returns the printable line and the byte range of the marked part in it.
    pub(crate) fn visible(&self) -> (String, Range<usize>) {
        let Self { text, line, span } = self;
        // Concealing keeps the length, so positions stay valid.
        let whole = concealed(&text[line.clone()]);
        let whole = without_userinfo(&whole);
        let [start, end] = [span.start, span.end].map(|at| at - line.start);
        let [before, stretch, after] =
            [&whole[..start], &whole[start..end], &whole[end..]].map(visible);
        let shown = before.len()..before.len() + stretch.len();
        (before + &stretch + &after, shown)
    }
}

impl Source {
    pub(crate) fn new(path: &Path, text: String) -> Self {
        let line_starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        Self {
            path: path.to_owned(),
            text: text.into(),
            line_starts,
            is_written: true,
        }
    }

    /// Creates the source for a file that does not exist, with the text to use instead.
    pub(crate) fn unwritten(path: &Path, text: &str) -> Self {
        Self {
            is_written: false,
            ..Self::new(path, text.to_owned())
        }
    }

    pub(crate) const fn is_written(&self) -> bool {
        self.is_written
    }

    /// Returns the name of the text for messages.
    pub(crate) fn origin(&self) -> String {
        if self.is_written {
            self.path.to_string_lossy().into_owned()
        } else {
            "the default configuration".to_owned()
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the file's folder, the base for relative paths in the file.
    pub(crate) fn folder(&self) -> &Path {
        self.path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."))
    }

    /// Returns the line of the byte at `offset`, counted from 1.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// Returns the line and the column of `span`, counted from 1 in characters, and the part of
    /// `span` in that line.
    pub(crate) fn locate(&self, span: &Range<usize>) -> (usize, usize, Excerpt) {
        let start = self.text.floor_char_boundary(span.start);
        let end = self.text.floor_char_boundary(span.end);
        let line = self.line_of(start);
        let line_start = self.line_starts[line - 1];
        let whole = self.text[line_start..].lines().next().unwrap_or_default();
        let line_end = line_start + whole.len();
        let first = start.min(line_end);
        let column = self.text[line_start..start].chars().count() + 1;
        (
            line,
            column,
            Excerpt {
                text: Arc::clone(&self.text),
                line: line_start..line_end,
                span: first..end.clamp(first, line_end),
            },
        )
    }
}

/// Replaces control characters, so that a terminal does not interpret them.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\t' => ' ',
            _ if is_control_or_bidi(character) => '\u{fffd}',
            _ => character,
        })
        .collect()
}

/// Returns the first `most` characters of `text`, with control characters replaced and an ellipsis
/// if the text is longer.
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
    use crate::api_key::PREFIX;

    fn source(text: &str) -> Source {
        Source::new(Path::new("rookery.toml"), text.to_owned())
    }

    /// Returns the line and column of a span, and the text above the carets.
    fn located(text: &str, span: Range<usize>) -> (usize, usize, String) {
        let (line, column, excerpt) = source(text).locate(&span);
        let (shown, span) = excerpt.visible();
        (line, column, shown[span].to_owned())
    }

    #[test]
    fn counts_line_and_column_in_characters() {
        let text = "a = 1\r\né = \"schön\" # x\r\n";
        let start = text.find("\"schön\"").unwrap();
        assert_eq!(
            located(text, start..start + "\"schön\"".len()),
            (2, 5, "\"schön\"".to_owned())
        );
    }

    #[test]
    fn ends_a_span_with_its_first_line() {
        assert_eq!(located("a = [\r\n1]", 4..9), (1, 5, "[".to_owned()));
        assert_eq!(located("a = [", 5..5), (1, 6, String::new()));
        assert_eq!(located("a\n", 900..901), (2, 1, String::new()));
    }

    #[test]
    fn keeps_positions_after_replaced_characters() {
        assert_eq!(
            located("\u{9b}\t = 1 # \u{202e}", 6..7),
            (1, 6, "1".to_owned())
        );
        let key = format!("'{PREFIX}0aZ9' = 1");
        assert_eq!(
            located(&key, 0..key.len() - 4),
            (1, 1, format!("'{PREFIX}****'"))
        );
    }

    #[test]
    fn replaces_control_characters() {
        assert_eq!(visible("a\u{1b}[31m\tb\u{202e}"), "a\u{fffd}[31m b\u{fffd}");
        assert_eq!(shortened("abcdef", 3), "abc…");
        assert_eq!(shortened("abc", 3), "abc");
    }
}
