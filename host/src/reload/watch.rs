//! What the configuration and the libraries look like from outside, to tell when they have changed.
//!
//! They are looked at again and again: events of the file system would not come from every kind of it, and tell of a file
//! before it is whole.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use crate::config::Config;

/// How the files were when they were looked at. One that is not there, or can't be looked at, has no stamp.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sight(BTreeMap<PathBuf, Option<Stamp>>);

/// What changes when a file does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Sight {
    /// One file as it is now.
    pub fn of_file(path: &Path) -> Self {
        Self([(path.to_path_buf(), Stamp::of(path))].into())
    }

    /// The file of a configuration, the libraries of its AIs, and every library in its directories, as they are now.
    pub(super) fn of(config: &Config) -> Self {
        Self::default().extended_to(config)
    }

    /// The files of a configuration: those that were seen here as they were then, the others as they are now.
    #[must_use]
    pub fn extended_to(&self, config: &Config) -> Self {
        let named = config.ais.values().map(|ai| ai.library.clone());
        let found = config.plugins.directories.iter().flat_map(|directory| libraries_in(directory));
        let paths = [config.path().to_path_buf()].into_iter().chain(named).chain(found);
        let look = |path: PathBuf| {
            let stamp = self.0.get(&path).copied().unwrap_or_else(|| Stamp::of(&path));
            (path, stamp)
        };
        Self(paths.map(look).collect())
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self {
            file: (found.dev(), found.ino()),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        })
    }
}

/// Every file of a folder that is named like a library. None where there is no folder.
fn libraries_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.extension() == Some(OsStr::new("so"))).collect()
}
