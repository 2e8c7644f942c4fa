//! `files_sha256` in `[ai.ID]`: the hashes of programs, scripts and other files of an AI.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::{Path, PathBuf},
};

use ai_api::OptionValue;

use crate::{
    ai::AiSettings,
    config::Config,
    engine::COMMAND,
    issue::{ConfigIssue, Issues},
    kinds::{description, quoted},
    library_path::absolute,
    places::Places,
    plugins::PluginPolicy,
    section::{Entry, Field, Shown},
    table::Table,
};
use library::{
    file_access::{canonicalize, metadata},
    remembered_sha256,
    sha256::Sha256Sum,
};

const ALLOWED: &str = "a table of paths, relative to this file, and SHA-256 sums of 64 hexadecimal digits; `rookery ais \
                       pin` prints it";

/// Further files that a message names.
const MAX_FURTHER: usize = 10;

/// The table `files_sha256`, by absolute paths without links.
pub(crate) struct FilePins;

impl Field for FilePins {
    type Value = BTreeMap<PathBuf, Sha256Sum>;

    fn entries(&self, key: &'static str, doc: &'static str) -> Vec<Entry> {
        vec![Entry::of_table(key, doc, ALLOWED, "{}")]
    }

    fn read(&self, key: &'static str, table: &Table<'_>, issues: &mut Issues<'_>) -> Self::Value {
        let Some(table) = table.table(key, ALLOWED, issues) else { return BTreeMap::new() };
        let mut pins = BTreeMap::new();
        for (path, value) in table.entries() {
            if let Some(sum) = value.get_ref().as_str().and_then(|text| text.parse().ok()) {
                pins.insert(absolute(table.document.folder, path.get_ref().as_ref()), sum);
            } else {
                let found = description(value.get_ref());
                let message = format!("`{}` is {found}", table.path_of(path.get_ref()));
                issues.at(&value.span(), &message).allow(ALLOWED);
            }
        }
        pins
    }

    fn show(&self, key: &'static str, value: &Self::Value, shown: &mut Shown) {
        let pins = show_file_pins(value);
        let text = if pins.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", pins.join(", ")) };
        shown.line(key, &text);
    }
}

/// Writes the lines of `files_sha256`.
pub fn show_file_pins(pins: &BTreeMap<PathBuf, Sha256Sum>) -> Vec<String> {
    let line =
        |(path, sum): (&PathBuf, &Sha256Sum)| format!("{} = \"{sum}\"", quoted(&path.to_string_lossy()));
    pins.iter().map(line).collect()
}

/// A file that is not what its pin says; `found` is none if it cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedFile {
    pub path: PathBuf,
    pub pinned: Sha256Sum,
    pub found: Option<Sha256Sum>,
}

impl fmt::Display for PinnedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, pinned, found } = self;
        let path = path.display();
        match found {
            Some(found) => {
                write!(f, "{path} is not the pinned file: its sha256 is {found}, expected {pinned}")
            }
            None => write!(f, "{path}, which is pinned, cannot be read; expected the sha256 {pinned}"),
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
        compared.filter(|file| file.found != Some(file.pinned)).collect()
    }

    /// Returns the files whose content an AI of a pinned policy must pin, without links: those of
    /// [`own_files`](Self::own_files), and those that its options or the words of its command name, relative to `folder` or to
    /// its working directory.
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
        let folders = [Some(folder), self.sandbox.working_directory.as_deref()];
        let named = folders.into_iter().flatten();
        let named = named.flat_map(|folder| texts.iter().map(|text| absolute(folder, text)));
        let own = self.own_files().into_iter().filter_map(|file| canonicalize(&file).ok());
        own.chain(named).filter(|file| metadata(file).is_ok_and(|found| found.is_file())).collect()
    }
}

impl Config {
    /// Returns the folder that paths of the file are relative to.
    pub fn folder(&self) -> &Path {
        self.source.folder()
    }

    /// Returns the issue with the files of the AI `ai`: one has changed, or is not pinned although the policy requires it. Further
    /// ones are notes. Blocks.
    pub fn check_files(&self, ai: &str) -> Option<ConfigIssue> {
        let settings = self.ais.get(ai)?;
        let changed = settings.changed_files().into_iter().map(|file| (file.to_string(), file.path));
        let required = match self.plugins.policy {
            PluginPolicy::Pinned => settings.files_to_pin(self.folder()),
            PluginPolicy::Any | PluginPolicy::Configured => BTreeSet::new(),
        };
        let missing = required.into_iter().filter(|file| !settings.files_sha256.contains_key(file));
        let missing = missing
            .map(|file| (format!("{} is not pinned, and plugins.policy requires it", file.display()), file));
        let mut wrong = changed.chain(missing);
        let (message, file) = wrong.next()?;
        let places = Places::of(&self.source);
        let pins = places.keys(&["ai", ai, "files_sha256"]);
        let pin = pins.into_iter().find(|(key, _)| absolute(self.folder(), key) == file);
        let place = pin.map(|(_, value)| value).or_else(|| places.find(&["ai", ai]).map(|(key, _)| key));
        let mut issue = self.issue(place);
        issue.message = format!("AI '{ai}': {message}");
        issue.allow(&format!(
            "the file with that sha256; `rookery ais pin {ai}` prints the lines for the current ones"
        ));
        for (further, _) in wrong.take(MAX_FURTHER) {
            issue.note(&further);
        }
        Some(issue)
    }
}
