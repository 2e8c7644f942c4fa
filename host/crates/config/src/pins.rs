//! Checks the libraries and other files of AIs against their pins.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    ops::Range,
    path::{Path, PathBuf},
};

use ai_api::OptionValue;

use crate::{
    ai::AiSettings, config::Config, engine::COMMAND, issue::ConfigIssue, places::Places,
    plugins::PluginPolicy, source::shortened,
};
use library::{
    file_access::{metadata, written},
    remembered_sha256,
    sha256::Sha256Sum,
};

/// Characters of a message: a sandbox that cannot be enforced may have several reasons.
const MAX_MESSAGE: usize = 2000;
/// Further files that a message names.
const MAX_FURTHER: usize = 10;

/// A file that is not what its pin says; `found` is none if it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedFile {
    pub path: PathBuf,
    pub pinned: Sha256Sum,
    pub found: Option<Sha256Sum>,
}

impl fmt::Display for PinnedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            pinned,
            found,
        } = self;
        let path = path.display();
        match found {
            Some(found) => {
                write!(
                    f,
                    "{path} is not the pinned file: its sha256 is {found}, expected {pinned}"
                )
            }
            None => write!(
                f,
                "{path}, which is pinned, cannot be read; expected the sha256 {pinned}"
            ),
        }
    }
}

impl AiSettings {
    /// Returns the pinned files that have changed. Blocks.
    pub fn changed_files(&self) -> Vec<PinnedFile> {
        let compared = self.files_sha256.iter().map(|(path, pinned)| PinnedFile {
            path: path.clone(),
            pinned: *pinned,
            found: remembered_sha256(path),
        });
        compared
            .filter(|file| file.found != Some(file.pinned))
            .collect()
    }

    /// Returns the hashes of [`files_to_pin`](Self::files_to_pin). A file that cannot be read has
    /// none. Blocks.
    pub fn file_pins(&self, folder: &Path) -> BTreeMap<PathBuf, Sha256Sum> {
        let files = self.files_to_pin(folder);
        files
            .into_iter()
            .filter_map(|file| remembered_sha256(&file).map(|sum| (file, sum)))
            .collect()
    }

    /// Returns the files whose content an AI of a pinned policy must pin, and the links that lead
    /// to them: those of [`own_files`](Self::own_files), and those that its options or the words of
    /// its command name, relative to `folder` or to its working directory.
    pub fn files_to_pin(&self, folder: &Path) -> BTreeSet<PathBuf> {
        let mut texts: Vec<String> = Vec::new();
        for option in &self.options {
            match &option.value {
                OptionValue::Text(text) if option.name == COMMAND => {
                    for word in shlex::split(text).unwrap_or_default() {
                        texts.extend(word.split_once('=').map(|(_, value)| value.to_owned()));
                        texts.push(word);
                    }
                }
                OptionValue::Text(text) => texts.push(text.clone()),
                OptionValue::List(list) => texts.extend(list.iter().cloned()),
                OptionValue::Flag(_) | OptionValue::Integer(_) | OptionValue::Decimal(_) => {}
            }
        }
        let bases = [Some(folder), self.sandbox.working_directory.as_deref()];
        let named = bases
            .into_iter()
            .flatten()
            .flat_map(|base| texts.iter().map(|text| written(base, Path::new(text))));
        let own = self
            .own_files()
            .into_iter()
            .chain(self.sandbox.links.iter().cloned());
        own.chain(named)
            .filter(|file| metadata(file).is_ok_and(|found| found.is_file()))
            .collect()
    }
}

impl Config {
    /// Returns the issue with loading a library with the sum `found` for the AI `ai`: it is pinned
    /// to another one, or not pinned although the policy requires it.
    pub fn check_pin(&self, ai: &str, found: Sha256Sum) -> Option<ConfigIssue> {
        let settings = self.ais.get(ai)?;
        let places = Places::of(&self.source);
        let (message, span) = match settings.sha256 {
            Some(pinned) if pinned == found => return None,
            Some(pinned) => (
                format!(
                    "AI '{ai}': the library is not the pinned one: its sha256 is {found}, expected \
                     {pinned}"
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
                "the library with that sha256; `rookery ais pin {ai}` prints the line for the \
                 current one"
            ))
            .note(&format!("its library is {}", settings.library.display()));
        Some(issue)
    }

    /// Returns the folder that paths of the file are relative to.
    pub fn folder(&self) -> &Path {
        self.source.folder()
    }

    /// Returns the issue with the files of the AI `ai`: one has changed, or is not pinned although
    /// the policy requires it. Further ones are notes. Blocks.
    pub fn check_files(&self, ai: &str) -> Option<ConfigIssue> {
        let settings = self.ais.get(ai)?;
        let changed = settings
            .changed_files()
            .into_iter()
            .map(|file| (file.to_string(), file.path));
        let required = match self.plugins.policy {
            PluginPolicy::Pinned => settings.files_to_pin(self.folder()),
            PluginPolicy::Any | PluginPolicy::Configured => BTreeSet::new(),
        };
        let missing = required
            .into_iter()
            .filter(|file| !settings.files_sha256.contains_key(file));
        let missing = missing.map(|file| {
            (
                format!(
                    "{} is not pinned, and plugins.policy requires it",
                    file.display()
                ),
                file,
            )
        });
        let mut wrong = changed.chain(missing);
        let (message, file) = wrong.next()?;
        let places = Places::of(&self.source);
        let pins = places.keys(&["ai", ai, "files_sha256"]);
        let pin = pins
            .into_iter()
            .find(|(key, _)| written(self.folder(), Path::new(key)) == file);
        let place = pin
            .map(|(_, value)| value)
            .or_else(|| places.find(&["ai", ai]).map(|(key, _)| key));
        let mut issue = self.issue(place);
        issue.message = format!("AI '{ai}': {message}");
        issue.allow(&format!(
            "the file with that sha256; `rookery ais pin {ai}` prints the lines for the current \
             ones"
        ));
        for (further, _) in wrong.take(MAX_FURTHER) {
            issue.note(&further);
        }
        Some(issue)
    }

    /// An issue with the library of the AI `ai`, at the place that names it. An AI without a
    /// section is named by its file.
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
    fn issue(&self, span: Option<Range<usize>>) -> ConfigIssue {
        match span {
            Some(span) => ConfigIssue::in_file(&self.source, &span, ""),
            None => ConfigIssue::of(&self.source.origin(), ""),
        }
    }
}
