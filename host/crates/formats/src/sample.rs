//! Text whose format is to be guessed.

/// The part of the text that a guess looks at.
#[derive(Debug)]
pub struct Sample<'t> {
    /// The text without surrounding white space.
    pub text: &'t str,
    /// The words of the first line that is neither blank nor a comment.
    pub words: Vec<&'t str>,
}

/// How much the text looks like a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// The text can't be in this format.
    None,
    /// The text is in this format unless it is in another one.
    Weak,
    /// The text is in this format or in a stricter one.
    Strong,
    /// The text can't be in any other format.
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
    /// Returns this likeness if the condition holds, otherwise [`Likeness::None`].
    pub(crate) fn when(self, holds: bool) -> Self {
        if holds { self } else { Self::None }
    }
}

/// Returns whether a line is blank or a comment.
pub(crate) fn is_skipped(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}
