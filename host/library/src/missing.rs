//! What is said where there is no library.

use std::{ffi::OsStr, fmt::Write as _, path::Path};

use crate::{
    file_access::{entries, is_folder},
    suggest_file::suggest_file,
};

/// Libraries that are named where none is close.
const MOST_NAMED: usize = 4;
/// Entries of a folder that are looked at.
const MOST_ENTRIES: usize = 10_000;
const HOW_TO_BUILD: &str =
    "build the AI first: 'cargo build --release', with crate-type = [\"cdylib\"], or 'make' where it is in C";

/// What may have been meant by the path of a file that is not there, or what to do.
pub(super) fn remedy(path: &Path) -> String {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !is_folder(folder) {
        return format!("there is no folder {} either; {HOW_TO_BUILD}", folder.display());
    }
    match suggest_file(path, is_library) {
        Some(meant) => format!("did you mean {}?", meant.display()),
        None => libraries_in(folder),
    }
}

/// Which libraries could be named in place of a folder, or what to do.
pub(super) fn libraries_in(folder: &Path) -> String {
    let mut found = entries(folder, MOST_ENTRIES, is_library);
    found.sort();
    if found.is_empty() {
        return format!("no library is in {}; {HOW_TO_BUILD}", folder.display());
    }
    let mut text = "there is".to_owned();
    for (index, library) in found.iter().take(MOST_NAMED).enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let _ = write!(text, "{separator} {}", library.display());
    }
    text.push_str(if found.len() > MOST_NAMED { ", …" } else { "" });
    text
}

fn is_library(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("so")) && path.is_file()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_is_not_there_is_told_with_what_was_meant_or_is_to_be_done() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let nothing = remedy(&path("libmine.so"));
        assert!(
            nothing.contains("no library is in ") && nothing.contains("cargo build --release"),
            "{nothing}"
        );
        fs::write(path("libmine.so"), "").unwrap();
        fs::write(path("libmind.txt"), "").unwrap();
        assert_eq!(remedy(&path("libmime.so")), format!("did you mean {}?", path("libmine.so").display()));
        assert_eq!(remedy(&path("elsewhat.so")), format!("there is {}", path("libmine.so").display()));
        let no_folder = remedy(&path("target/release/libmine.so"));
        assert!(no_folder.contains("target/release either; build the AI first"), "{no_folder}");
    }
}
