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

/// The maximum length of a message, which may list several missing parts of a sandbox.
const MAX_MESSAGE: usize = 2000;
/// The maximum number of files in the notes of a message.
const MAX_FURTHER: usize = 10;

/// A file that does not match its pin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedFile {
    pub path: PathBuf,
    pub pinned: Sha256Sum,
    /// `None` if the file cannot be read.
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
                    "{path} does not match its pin: its sha256 is {found}, expected {pinned}"
                )
            }
            None => write!(
                f,
                "{path} is pinned but cannot be read; expected sha256 {pinned}"
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

    /// Returns the hashes of [`files_to_pin`](Self::files_to_pin). Omits unreadable files. Blocks.
    pub fn file_pins(&self, folder: &Path) -> BTreeMap<PathBuf, Sha256Sum> {
        let files = self.files_to_pin(folder);
        files
            .into_iter()
            .filter_map(|file| remembered_sha256(&file).map(|sum| (file, sum)))
            .collect()
    }

    /// Returns the files that an AI must pin under the policy `pinned`, and the links to them: its
    /// [`own_files`](Self::own_files) and the files named in its options or in its command,
    /// relative to `folder` or to its working directory.
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
    /// Returns an issue if a library with the hash `found` may not be loaded for the AI `ai`: it
    /// does not match its pin, or it is not pinned although the policy requires it.
    pub fn check_pin(&self, ai: &str, found: Sha256Sum) -> Option<ConfigIssue> {
        let settings = self.ais.get(ai)?;
        let places = Places::of(&self.source);
        let (message, span) = match settings.sha256 {
            Some(pinned) if pinned == found => return None,
            Some(pinned) => (
                format!(
                    "AI '{ai}': the library does not match its pin: its sha256 is {found}, \
                     expected {pinned}"
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
                 current library"
            ))
            .note(&format!("its library is {}", settings.library.display()));
        Some(issue)
    }

    /// Returns the folder that paths in the file are relative to.
    pub fn folder(&self) -> &Path {
        self.source.folder()
    }

    /// Returns an issue if a file of the AI `ai` has changed, or is not pinned although the policy
    /// requires it. The issue's notes name further files. Blocks.
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
             files"
        ));
        for (further, _) in wrong.take(MAX_FURTHER) {
            issue.note(&further);
        }
        Some(issue)
    }

    /// Returns an issue with the library of the AI `ai`, at its `library` key. If the AI has no
    /// section, the issue names its file instead.
    pub fn library_issue(&self, ai: &str, message: &str) -> ConfigIssue {
        let place = Places::of(&self.source).find(&["ai", ai, "library"]);
        let settings = self.ais.get(ai);
        let named = format!("AI '{ai}': {message}");
        if let (None, Some(settings)) = (&place, settings) {
            let library = settings.library.to_string_lossy();
            let (origin, message) = match settings.command() {
                // An engine's id is generated and means nothing to the user.
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

    /// Returns an issue without a message, at `span` or for the whole file.
    fn issue(&self, span: Option<Range<usize>>) -> ConfigIssue {
        match span {
            Some(span) => ConfigIssue::in_file(&self.source, &span, ""),
            None => ConfigIssue::of(&self.source.origin(), ""),
        }
    }
}
