//! Suggests the file that a misspelled path probably means.

use std::path::{Path, PathBuf};

use crate::file_access::entries;
use text::suggest;

const MAX_ENTRIES: usize = 10_000;

/// Given a path that does not exist, returns the file in its folder with the most similar name,
/// among the files that `could_be` accepts.
pub fn suggest_file(path: &Path, could_be: fn(&Path) -> bool) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let files = entries(folder_of(path), MAX_ENTRIES, could_be);
    let names: Vec<_> = files
        .iter()
        .filter_map(|file| file.file_name()?.to_str().map(str::to_owned))
        .collect();
    suggest(name, names.iter().map(String::as_str)).map(|name| path.with_file_name(name))
}

pub(crate) fn folder_of(file: &Path) -> &Path {
    file.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
