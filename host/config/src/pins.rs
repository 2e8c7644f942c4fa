//! Checks the library of an AI against what the configuration says of it.

use std::ops::Range;

use super::{Config, ConfigIssue, PluginPolicy, keys, source::shortened};
use library::sha256::Sha256Sum;

/// Characters of what is said about a library.
const LONGEST_MESSAGE: usize = 2000;

impl Config {
    /// What is wrong with loading a library with this sum for the AI `ai`: it is pinned to another one, or to none where
    /// only pinned ones may be loaded.
    pub fn check_pin(&self, ai: &str, found: Sha256Sum) -> Option<ConfigIssue> {
        let settings = self.ais.get(ai)?;
        let place = self.places.get(ai);
        let sum = keys::SHA256.name;
        let (message, span) = match settings.sha256 {
            Some(pinned) if pinned == found => return None,
            Some(pinned) => (
                format!(
                    "AI '{ai}': the library is not the pinned one: its {sum} is {found}, expected {pinned}"
                ),
                place.and_then(|place| place.sha256.as_ref()),
            ),
            None if self.plugins.policy == PluginPolicy::Pinned => (
                format!("AI '{ai}': the library is not pinned, and only pinned ones may be loaded"),
                place.map(|place| &place.header),
            ),
            None => return None,
        };
        let mut issue = self.issue_at(span, &message);
        issue
            .allow(&format!(
                "the library that has the {sum}; `rookery ais pin {ai}` prints the line for the one that is there, if it \
                 is the one that you want"
            ))
            .note(&format!("its library is {}", settings.library.display()));
        Some(issue)
    }

    /// That the library of the AI `ai` can't be served, told where the file names it.
    pub fn library_issue(&self, ai: &str, message: &str) -> ConfigIssue {
        let span = self.places.get(ai).map(|place| &place.library);
        let mut issue = self.issue_at(span, &format!("AI '{ai}': {message}"));
        if let Some(settings) = self.ais.get(ai) {
            issue.note(&format!("its library is {}", settings.library.display()));
        }
        issue
    }

    fn issue_at(&self, span: Option<&Range<usize>>, message: &str) -> ConfigIssue {
        let mut issue = match span {
            Some(span) => ConfigIssue::in_file(&self.source, span, ""),
            None => ConfigIssue::of(&self.path().to_string_lossy(), ""),
        };
        // Not cut as short as others: what keeps a sandbox from being enforced may be several things.
        issue.message = shortened(message, LONGEST_MESSAGE);
        issue
    }
}
