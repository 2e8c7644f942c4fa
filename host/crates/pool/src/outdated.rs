//! AIs that keep running after a reload although their files have changed.

use std::{fmt, path::PathBuf};

use text::printable;

/// The maximum number of files that a message names.
const MAX_NAMED: usize = 3;

/// An AI that keeps running unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutdatedAi {
    pub id: String,
    pub why: Outdated,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outdated {
    /// These files are gone, and it can't start without them.
    Gone(Vec<PathBuf>),
    /// These files in its folders have changed since it started.
    Changed(Vec<PathBuf>),
}

impl fmt::Display for OutdatedAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, why } = self;
        match why {
            Outdated::Gone(files) => write!(
                f,
                "the AI '{id}' keeps running, but it can't start another worker: {} gone; restore \
                 what is missing, or change [ai.{id}]",
                named(files, "is", "are")
            ),
            Outdated::Changed(files) => write!(
                f,
                "the AI '{id}' keeps running unchanged, although {} changed in a folder \
                 that it may read; restart the server, or list the files in allow_read of \
                 [ai.{id}] to detect changes to their content",
                named(files, "has", "have")
            ),
        }
    }
}

/// Names the first files, followed by the verb: `one` for a single file, otherwise `several`.
fn named(files: &[PathBuf], one: &str, several: &str) -> String {
    let shown: Vec<_> = files
        .iter()
        .take(MAX_NAMED)
        .map(|file| printable(&file.to_string_lossy()))
        .collect();
    match files.len() {
        1 => format!("{} {one}", shown[0]),
        count if count > MAX_NAMED => {
            format!(
                "{} and {} more {several}",
                shown.join(", "),
                count - MAX_NAMED
            )
        }
        _ => format!("{} {several}", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_most_three_files() {
        let text = |count: usize| named(&vec!["/a\n".into(); count], "is", "are");
        assert_eq!(
            [1, 2, 5].map(text),
            ["/a is", "/a, /a are", "/a, /a, /a and 2 more are"]
        );
    }
}
