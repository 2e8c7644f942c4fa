//! Suggests the file that a misspelt path probably means.

use std::path::{Path, PathBuf};

use crate::file_access::entries;
use text::suggest;

/// Entries of a folder that are looked at.
const MOST_ENTRIES: usize = 10_000;

/// The file beside it that a path which leads nowhere was probably meant to name, if it could be.
pub fn suggest_file(path: &Path, could_be: fn(&Path) -> bool) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = entries(folder, MOST_ENTRIES, could_be);
    let names: Vec<_> =
        files.iter().filter_map(|file| file.file_name()?.to_str().map(str::to_owned)).collect();
    suggest(name, names.iter().map(String::as_str)).map(|name| path.with_file_name(name))
}
