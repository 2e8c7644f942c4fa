//! Remedies for a library path that does not exist or is a folder.

use std::{ffi::OsStr, path::Path};

use crate::{
    file_access::{entries, is_folder},
    suggest_file::{folder_of, suggest_file},
};

/// The maximum number of libraries to list.
const MAX_LISTED: usize = 4;
const MAX_ENTRIES: usize = 10_000;
const HOW_TO_BUILD: &str = "build the AI first: 'cargo build --release' with crate-type = \
    [\"cdylib\"], or 'make' for an AI in C";

/// Returns a remedy for a path that does not exist.
pub(crate) fn missing_file(path: &Path) -> String {
    let folder = folder_of(path);
    if !is_folder(folder) {
        return format!(
            "the folder {} does not exist either; {HOW_TO_BUILD}",
            folder.display()
        );
    }
    match suggest_file(path, is_library) {
        Some(meant) => format!("did you mean {}?", meant.display()),
        None => libraries_in(folder),
    }
}

/// Lists the libraries in a folder, or explains how to build one if it contains none.
pub(crate) fn libraries_in(folder: &Path) -> String {
    let mut found = entries(folder, MAX_ENTRIES, is_library);
    found.sort();
    if found.is_empty() {
        return format!("{} contains no library; {HOW_TO_BUILD}", folder.display());
    }
    let listed: Vec<_> = found
        .iter()
        .take(MAX_LISTED)
        .map(|file| file.display().to_string())
        .collect();
    let more = if found.len() > MAX_LISTED {
        ", …"
    } else {
        ""
    };
    format!("found {}{more}", listed.join(", "))
}

fn is_library(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("so")) && path.is_file()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn suggests_a_library_or_how_to_build_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let nothing = missing_file(&path("libmine.so"));
        assert!(
            nothing.contains(" contains no library; ") && nothing.contains("cargo build --release"),
            "{nothing}"
        );
        fs::write(path("libmine.so"), "").unwrap();
        fs::write(path("libmind.txt"), "").unwrap();
        assert_eq!(
            missing_file(&path("libmime.so")),
            format!("did you mean {}?", path("libmine.so").display())
        );
        assert_eq!(
            missing_file(&path("elsewhat.so")),
            format!("found {}", path("libmine.so").display())
        );
        let no_folder = missing_file(&path("target/release/libmine.so"));
        assert!(
            no_folder.contains("target/release does not exist either; build the AI first"),
            "{no_folder}"
        );
    }
}
