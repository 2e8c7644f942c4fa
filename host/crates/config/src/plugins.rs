//! `[plugins]`.

use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
};

use library::file_access::{entries, metadata};

use crate::{
    issue::Issues,
    kinds::{Flag, List, absolute_path, choice, shown_path},
    library_path::absolute,
    section::{IntoField as _, section},
    table::Table,
};

/// Entries of a directory that are listed to find its libraries.
const MAX_ENTRIES: usize = 100_000;

section! {
    /// `[plugins]`: where libraries are found.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PluginSettings {
        /// Directories with libraries, in search order. A library that no `[ai.ID]` names is served
        /// under its own id.
        directories: Vec<PathBuf> = List::new(
            "a list of directories, relative to this file, such as [\"../target/release\"]",
            absolute_path,
            shown_path,
        ).or(Vec::new()),
        /// Which libraries may be loaded: all (`any`), only those that an `[ai.ID]` names
        /// (`configured`), or only those that are also pinned by `sha256` and `files_sha256`
        /// (`pinned`).
        policy: PluginPolicy = choice().or(PluginPolicy::Any),
        /// Whether the server reloads by itself when the configuration, a library, or an AI's
        /// program or script changes.
        watch: bool = Flag.or(false),
    }
}

/// Reports directories that do not exist or are no folders. One whose file system does not respond
/// may come back.
pub(crate) fn check_directories(table: &Table<'_>, issues: &mut Issues<'_>) {
    for (text, span) in table.texts("directories") {
        let directory = absolute(table.document.folder, text);
        let problem = match metadata(&directory) {
            Ok(found) if found.is_dir() => continue,
            Ok(_) => "is not a folder".to_owned(),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => continue,
            Err(error) if error.kind() == io::ErrorKind::NotFound => "does not exist".to_owned(),
            Err(error) => format!("cannot be looked at: {error}"),
        };
        let message = format!(
            "`plugins.directories` names {}, which {problem}",
            directory.display()
        );
        issues
            .at(&span, &message)
            .allow("a folder that exists, relative to this file");
    }
}

/// Returns the files of a folder that are named like a library, sorted by name.
pub(crate) fn libraries_in(directory: &Path) -> Vec<PathBuf> {
    let mut files = entries(directory, MAX_ENTRIES, |path| {
        path.extension() == Some(OsStr::new("so"))
    });
    files.sort();
    files
}

impl PluginSettings {
    /// Returns a note for each directory without any library. Reads the directories.
    pub fn notes(&self) -> Vec<String> {
        let directories = self.directories.iter();
        let empty = directories.filter(|folder| libraries_in(folder).is_empty());
        let note = |folder: &PathBuf| {
            let folder = folder.display();
            format!("{folder} in `plugins.directories` has no library, which is a file NAME.so")
        };
        empty.map(note).collect()
    }
}

/// Which libraries may be loaded.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr, strum::EnumString,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum PluginPolicy {
    /// Those of every `[ai.ID]`, and every other library in the plugin directories.
    Any,
    /// Those of every `[ai.ID]`.
    Configured,
    /// Those of every `[ai.ID]`, each with a `sha256` and its files with `files_sha256`.
    Pinned,
}
