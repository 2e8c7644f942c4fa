//! AIs that keep running after a reload although their files have changed.

use std::{fmt, path::PathBuf};

use text::printable;

/// Files that a message names.
const MAX_NAMED: usize = 3;

/// An AI that keeps running as it was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutdatedAi {
    pub id: String,
    pub why: Outdated,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outdated {
    /// Without these files it can't be started.
    Gone(Vec<PathBuf>),
    /// These files in its folders differ from those it was started with.
    Changed(Vec<PathBuf>),
}

impl fmt::Display for OutdatedAi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, why } = self;
        match why {
            Outdated::Gone(files) => write!(
                f,
                "the AI '{id}' keeps running as it was started, but its next worker will not \
                 start: {} gone; restore what is missing, or change [ai.{id}]",
                named(files, "is", "are")
            ),
            Outdated::Changed(files) => write!(
                f,
                "the AI '{id}' keeps running as it was started, although {} changed in a folder \
                 that it may read; restart the server, or list the files in allow_read of \
                 [ai.{id}] to detect changes of their content",
                named(files, "has", "have")
            ),
        }
    }
}

/// Names some files, followed by the verb for one file or for several.
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
    fn names_some_files() {
        let text = |count: usize| named(&vec!["/a\n".into(); count], "is", "are");
        assert_eq!(
            [1, 2, 5].map(text),
            ["/a is", "/a, /a are", "/a, /a, /a and 2 more are"]
        );
    }
}
