//! What the configuration and the libraries look like from outside, to tell when they have changed.
//!
//! They are looked at again and again: events of the file system would not come from every kind of it, and tell of a file
//! before it is whole.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::Metadata,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use config::Config;
use library::file_access::{bounded, metadata};

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

    /// The file of a configuration, its certificate and key, the libraries of its AIs, and every library in its directories,
    /// as they are now.
    pub(super) fn of(config: &Config) -> Self {
        Self::default().extended_to(config)
    }

    /// The files of a configuration: those that were seen here as they were then, the others as they are now.
    #[must_use]
    pub fn extended_to(&self, config: &Config) -> Self {
        let named = config.ais.values().map(|ai| ai.library.clone());
        let found = config.plugins.directories.iter().flat_map(|directory| libraries_in(directory));
        let tls = config.server.tls.iter().flat_map(|tls| [tls.certificate.clone(), tls.key.clone()]);
        let named =
            [config.path().to_path_buf()].into_iter().chain(tls).chain(named).map(|path| (path, None));
        let look = |(path, stamp): (PathBuf, Option<Stamp>)| {
            let seen = self.0.get(&path).copied();
            let stamp = seen.unwrap_or_else(|| stamp.or_else(|| Stamp::of(&path)));
            (path, stamp)
        };
        Self(named.chain(found).map(look).collect())
    }
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        Some(Self::from(&metadata(path).ok()?))
    }
}

impl From<&Metadata> for Stamp {
    fn from(found: &Metadata) -> Self {
        Self {
            file: (found.dev(), found.ino()),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}

/// Every file of a folder that is named like a library, with its stamp unless it is a link, whose target may be on a file
/// system that hangs. None where there is no folder.
fn libraries_in(directory: &Path) -> Vec<(PathBuf, Option<Stamp>)> {
    let listed = bounded(directory, |directory, _| {
        let paths = directory.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
        let libraries = paths.filter(|path| path.extension() == Some(OsStr::new("so")));
        let look = |path: PathBuf| {
            let found = path.symlink_metadata().ok().filter(|found| !found.is_symlink());
            (path, found.as_ref().map(Stamp::from))
        };
        libraries.map(look).collect::<Vec<_>>()
    });
    // A folder that hangs is reported when its libraries are read.
    listed.unwrap_or_default()
}
