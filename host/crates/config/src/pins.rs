//! Checks the libraries of AIs against their pins.

use std::ops::Range;

use library::sha256::Sha256Sum;

use crate::{config::Config, issue::ConfigIssue, places::Places, plugins::PluginPolicy, source::shortened};

/// Characters of a message: a sandbox that cannot be enforced may have several reasons.
const MAX_MESSAGE: usize = 2000;

impl Config {
    /// Returns the issue with loading a library with the sum `found` for the AI `ai`: it is pinned to another one, or not
    /// pinned although the policy requires it.
    pub fn check_pin(&self, ai: &str, found: Sha256Sum) -> Option<ConfigIssue> {
        let settings = self.ais.get(ai)?;
        let places = Places::of(&self.source);
        let (message, span) = match settings.sha256 {
            Some(pinned) if pinned == found => return None,
            Some(pinned) => (
                format!(
                    "AI '{ai}': the library is not the pinned one: its sha256 is {found}, expected {pinned}"
                ),
                places.find(&["ai", ai, "sha256"]).map(|(_, value)| value),
            ),
            None if self.plugins.policy == PluginPolicy::Pinned => (
                format!("AI '{ai}': the library is not pinned, and plugins.policy requires it"),
                places.find(&["ai", ai]).map(|(key, _)| key),
            ),
            None => return None,
        };
        let mut issue = self.issue(span);
        issue.message = message;
        issue
            .allow(&format!(
                "the library with that sha256; `rookery ais pin {ai}` prints the line for the current one"
            ))
            .note(&format!("its library is {}", settings.library.display()));
        Some(issue)
    }

    /// An issue with the library of the AI `ai`, at the place that names it. An AI without a section is named by its file.
    pub fn library_issue(&self, ai: &str, message: &str) -> ConfigIssue {
        let place = Places::of(&self.source).find(&["ai", ai, "library"]);
        let settings = self.ais.get(ai);
        let named = format!("AI '{ai}': {message}");
        if let (None, Some(settings)) = (&place, settings) {
            let library = settings.library.to_string_lossy();
            let (origin, message) = match settings.command() {
                // Its id is a number.
                Some(command) => (command, message),
                None => (&*library, named.as_str()),
            };
            let mut issue = ConfigIssue::of(origin, "");
            issue.message = shortened(message, MAX_MESSAGE);
            return issue;
        }
        let mut issue = self.issue(place.map(|(_, value)| value));
        issue.message = shortened(&named, MAX_MESSAGE);
        if let Some(settings) = settings {
            issue.note(&format!("its library is {}", settings.library.display()));
        }
        issue
    }

    /// An issue with the stretch `span` of the file, or with the whole file, without its message.
    pub(crate) fn issue(&self, span: Option<Range<usize>>) -> ConfigIssue {
        match span {
            Some(span) => ConfigIssue::in_file(&self.source, &span, ""),
            None => ConfigIssue::of(&self.path().to_string_lossy(), ""),
        }
    }
}
