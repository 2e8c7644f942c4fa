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

/// The maximum number of directory entries to search for libraries.
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
        /// Whether the server reloads automatically when the configuration, a library, or an AI's
        /// program or script changes.
        watch: bool = Flag.or(false),
    }
}

/// Reports directories that do not exist or are not folders. Accepts directories whose file system
/// does not respond, because it may recover.
pub(crate) fn check_directories(table: &Table<'_>, issues: &mut Issues<'_>) {
    for (text, span) in table.texts("directories") {
        let directory = absolute(table.document.folder, text);
        let problem = match metadata(&directory) {
            Ok(found) if found.is_dir() => continue,
            Ok(_) => "is not a folder".to_owned(),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => continue,
            Err(error) if error.kind() == io::ErrorKind::NotFound => "does not exist".to_owned(),
            Err(error) => format!("cannot be accessed: {error}"),
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

/// Returns the files in a folder that are named like libraries, sorted by name.
pub(crate) fn libraries_in(directory: &Path) -> Vec<PathBuf> {
    let mut files = entries(directory, MAX_ENTRIES, |path| {
        path.extension() == Some(OsStr::new("so"))
    });
    files.sort();
    files
}

impl PluginSettings {
    /// Reads the directories and returns a note for each one without libraries. A path that is not
    /// a directory is an error instead.
    pub fn notes(&self) -> Vec<String> {
        let directories = self.directories.iter().filter(|path| path.is_dir());
        let empty = directories.filter(|folder| libraries_in(folder).is_empty());
        let note = |folder: &PathBuf| {
            let folder = folder.display();
            format!("{folder} in `plugins.directories` contains no library (NAME.so)")
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
    /// The library of every `[ai.ID]`, and every other library in the plugin directories.
    Any,
    /// The library of every `[ai.ID]`.
    Configured,
    /// The library of every `[ai.ID]`, if it is pinned by `sha256` and its files by
    /// `files_sha256`.
    Pinned,
}
