//! Finds a library's file.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::issue::ConfigIssue;
use library::{
    SealedLibrary,
    file_access::{canonicalize, entries, is_folder, metadata, written},
};
use text::suggest;

/// The maximum number of folder entries to search for a similar name.
const MAX_ENTRIES: usize = 10_000;
/// The maximum number of libraries that a message lists if no name is similar.
const MAX_LISTED: usize = 8;
/// The maximum number of libraries with similar names to read.
const MAX_READ: usize = 4;

/// Makes `given`, relative to `folder`, absolute and resolves symbolic links.
pub(crate) fn absolute(folder: &Path, given: impl AsRef<Path>) -> PathBuf {
    let given = given.as_ref();
    canonicalize(&folder.join(given)).unwrap_or_else(|_| written(folder, given))
}

/// The places where libraries are looked up.
pub(crate) struct Libraries<'a> {
    /// The folder that paths are relative to.
    pub(crate) folder: &'a Path,
    /// The folders in which names are looked up, in this order.
    pub(crate) directories: &'a [PathBuf],
}

/// A library that was not found.
pub(crate) struct MissingLibrary {
    /// Each searched path with its problem.
    looked_for: Vec<(PathBuf, String)>,
    closest: Option<String>,
    others: Vec<String>,
    no_directories: bool,
}

impl Libraries<'_> {
    /// Returns the file of `library`, a name or a path.
    pub(crate) fn find(&self, library: &str) -> Result<PathBuf, MissingLibrary> {
        self.look_up(library)
            .map_err(|looked_for| self.missing(library, looked_for))
    }

    /// Returns the file of `library`, or each searched path with its problem.
    fn look_up(&self, library: &str) -> Result<PathBuf, Vec<(PathBuf, String)>> {
        let candidates = if is_path(library) {
            vec![self.path(library)]
        } else {
            self.directories
                .iter()
                .map(|directory| directory.join(format!("lib{library}.so")))
                .collect()
        };
        let mut looked_for = Vec::new();
        for candidate in candidates {
            match refusal(&candidate) {
                None => return Ok(candidate),
                Some(refusal) => looked_for.push((candidate, refusal)),
            }
        }
        Err(looked_for)
    }

    /// Resolves the directory but not the file, which may be a symbolic link.
    fn path(&self, library: &str) -> PathBuf {
        let path = Path::new(library);
        match (path.file_name(), path.parent().and_then(Path::to_str)) {
            (Some(name), Some(parent)) => absolute(self.folder, parent).join(name),
            _ => absolute(self.folder, library),
        }
    }

    fn missing(&self, library: &str, looked_for: Vec<(PathBuf, String)>) -> MissingLibrary {
        let mut names: Vec<String> = self
            .directories
            .iter()
            .flat_map(|directory| files(directory))
            .filter_map(|file| name_in(&file))
            .collect();
        if let Some((folder, _)) = library.rsplit_once('/').filter(|_| is_path(library)) {
            let files = files(&absolute(self.folder, folder)).into_iter();
            names.extend(
                files
                    .filter(|file| is_library(file))
                    .map(|file| format!("{folder}/{file}")),
            );
        }
        names.sort_unstable();
        names.dedup();
        let plain = library.rsplit('/').next().unwrap_or(library);
        let plain = name_in(plain).unwrap_or_else(|| plain.trim_start_matches("lib").to_owned());
        let closest = self.closest(&[library, &plain], names.clone());
        names.truncate(MAX_LISTED);
        MissingLibrary {
            looked_for,
            closest,
            others: names,
            no_directories: self.directories.is_empty() && !is_path(library),
        }
    }
}

impl Libraries<'_> {
    /// Returns the name of a readable library that is most similar to a wrong name.
    fn closest(&self, wrong: &[&str], mut names: Vec<String>) -> Option<String> {
        for _ in 0..MAX_READ {
            let similar = |name: &&str| suggest(name, names.iter().map(String::as_str));
            let closest = wrong.iter().find_map(similar)?.to_owned();
            if self
                .look_up(&closest)
                .is_ok_and(|file| SealedLibrary::read(&file).is_ok())
            {
                return Some(closest);
            }
            names.retain(|name| *name != closest);
        }
        None
    }
}

impl MissingLibrary {
    /// Adds the searched paths and the most similar name to `issue`.
    pub(crate) fn explain(&self, issue: &mut ConfigIssue) {
        if self.no_directories {
            issue.note("plugins.directories is empty, so names are not looked up anywhere");
        }
        for (path, refusal) in &self.looked_for {
            issue.note(&format!("looked for {}: {refusal}", path.display()));
        }
        if self.closest.is_some() {
            issue.suggest(self.closest.as_deref());
        } else if !self.others.is_empty() {
            issue.note(&format!("found there: {}", self.others.join(", ")));
        }
    }
}

fn is_library(file: &str) -> bool {
    Path::new(file)
        .extension()
        .is_some_and(|extension| extension == "so")
}

fn is_path(library: &str) -> bool {
    library.contains('/') || is_library(library)
}

/// Returns why `path` cannot be loaded.
fn refusal(path: &Path) -> Option<String> {
    match metadata(path) {
        Ok(metadata) if metadata.is_file() => None,
        Ok(metadata) if metadata.is_dir() => Some("is a folder".to_owned()),
        Ok(_) => Some("is not a regular file".to_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(
            match path.parent() {
                Some(folder) if !is_folder(folder) => "no such folder",
                _ => "no such file",
            }
            .to_owned(),
        ),
        Err(error) => Some(error.to_string()),
    }
}

/// Returns the names of the files in `folder`; none if it cannot be read.
fn files(folder: &Path) -> Vec<String> {
    let files = entries(folder, MAX_ENTRIES, |path| {
        !path.symlink_metadata().is_ok_and(|found| found.is_dir())
    });
    files
        .iter()
        .filter_map(|file| file.file_name()?.to_str().map(str::to_owned))
        .collect()
}

/// Returns the name under which the file is looked up.
fn name_in(file: &str) -> Option<String> {
    file.strip_prefix("lib")?
        .strip_suffix(".so")
        .map(str::to_owned)
}
