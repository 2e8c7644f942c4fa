//! `files_sha256` in `[ai.ID]`: the hashes of an AI's programs, scripts and other files.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{
    issue::Issues,
    kinds::{description, quoted},
    section::{Field, SettingEntry, Shown},
    table::Table,
};
use library::{file_access::written, sha256::Sha256Sum};

const ALLOWED: &str = "a table of paths, relative to this file, and their SHA-256 hashes (64 \
                       hexadecimal digits); `rookery ais pin` prints it";

/// The table `files_sha256`, keyed by absolute path. Symbolic links stay links, since their targets
/// may change.
pub(crate) struct FilePins;

impl Field for FilePins {
    type Value = BTreeMap<PathBuf, Sha256Sum>;

    fn entries(&self, key: &'static str, doc: &'static str) -> Vec<SettingEntry> {
        vec![SettingEntry::of_table(key, doc, ALLOWED, "{}")]
    }

    fn read(&self, key: &'static str, table: &Table<'_>, issues: &mut Issues<'_>) -> Self::Value {
        let Some(table) = table.table(key, ALLOWED, issues) else {
            return BTreeMap::new();
        };
        let mut pins = BTreeMap::new();
        for (path, value) in table.entries() {
            if let Some(sum) = value.get_ref().as_str().and_then(|text| text.parse().ok()) {
                pins.insert(
                    written(table.document.folder, Path::new(path.get_ref().as_ref())),
                    sum,
                );
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
        let text = if pins.is_empty() {
            "{}".to_owned()
        } else {
            format!("{{ {} }}", pins.join(", "))
        };
        shown.line(key, &text);
    }
}

/// Writes the lines of `files_sha256`.
pub fn show_file_pins(pins: &BTreeMap<PathBuf, Sha256Sum>) -> Vec<String> {
    let line = |(path, sum): (&PathBuf, &Sha256Sum)| {
        format!("{} = \"{sum}\"", quoted(&path.to_string_lossy()))
    };
    pins.iter().map(line).collect()
}
