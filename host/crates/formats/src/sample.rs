//! A text whose format is guessed.

/// A text as far as a guess looks at it.
#[derive(Debug)]
pub struct Sample<'t> {
    /// The text without white space around it.
    pub text: &'t str,
    /// The words of the first line that is no comment.
    pub words: Vec<&'t str>,
}

/// How much a text looks like a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// It cannot be in the format.
    None,
    /// It is in the format if it is in no other.
    Weak,
    /// It is in the format, or in a stricter one.
    Strong,
    /// It can be in no other format.
    Certain,
}

impl<'t> Sample<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let text = text.trim_start_matches('\u{feff}').trim();
        let first = text.lines().find(|line| !is_skipped(line));
        let words = first.unwrap_or_default().split_whitespace().collect();
        Self { text, words }
    }
}

impl Likeness {
    /// Returns this likeness on a condition, else [`Likeness::None`].
    pub(crate) fn when(self, holds: bool) -> Self {
        if holds { self } else { Self::None }
    }
}

/// Returns whether a line is blank or a comment.
pub(crate) fn is_skipped(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}
