//! Stamps of the configuration file, the certificates, the libraries and the programs that AIs
//! drive, to detect changes.
//!
//! The files are polled: not every file system sends change events, and an event may arrive before
//! the file is completely written.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use config::{AiSettings, Config};
use library::{
    FileStamp,
    file_access::{bounded, metadata},
};

/// The stamps of files at one point in time. A file that is missing or unreadable has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileStamps(BTreeMap<PathBuf, Option<FileStamp>>);

impl FileStamps {
    /// Returns the current stamp of one file.
    pub fn of_file(path: &Path) -> Self {
        Self([(path.to_path_buf(), stamp_of(path))].into())
    }

    /// Returns the current stamps of a configuration file, its certificate and key, the libraries
    /// and programs of its AIs, and every library in its directories.
    pub(super) fn of(config: &Config) -> Self {
        Self::default().extended_to(config)
    }

    /// Returns the stamps of a configuration's files. A file that has a stamp here keeps it; every
    /// other file gets its current stamp.
    #[must_use]
    pub fn extended_to(&self, config: &Config) -> Self {
        let of_ai = |ai: &AiSettings| {
            let pinned = ai.files_sha256.keys().cloned().collect();
            [vec![ai.library.clone()], ai.own_files(), pinned].concat()
        };
        let named = config.ais.values().flat_map(of_ai);
        let found = config
            .plugins
            .directories
            .iter()
            .flat_map(|directory| libraries_in(directory));
        let tls = config
            .server
            .tls
            .iter()
            .flat_map(|tls| [tls.certificate.clone(), tls.key.clone()]);
        let named = [config.path().to_path_buf()]
            .into_iter()
            .chain(tls)
            .chain(named)
            .map(|path| (path, None));
        let with_stamp = |(path, stamp): (PathBuf, Option<FileStamp>)| {
            let seen = self.0.get(&path).copied();
            let stamp = seen.unwrap_or_else(|| stamp.or_else(|| stamp_of(&path)));
            (path, stamp)
        };
        Self(named.chain(found).map(with_stamp).collect())
    }
}

fn stamp_of(path: &Path) -> Option<FileStamp> {
    Some(FileStamp::from(&metadata(path).ok()?))
}

/// Returns every file with the extension `so` in a folder. A link has no stamp, because its target
/// may be on a file system that hangs. Returns nothing if the folder does not exist.
fn libraries_in(directory: &Path) -> Vec<(PathBuf, Option<FileStamp>)> {
    let listed = bounded(directory, |directory, _| {
        let paths = directory
            .read_dir()
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        let libraries = paths.filter(|path| path.extension() == Some(OsStr::new("so")));
        let with_stamp = |path: PathBuf| {
            let found = path
                .symlink_metadata()
                .ok()
                .filter(|found| !found.is_symlink());
            (path, found.as_ref().map(FileStamp::from))
        };
        libraries.map(with_stamp).collect::<Vec<_>>()
    });
    // A folder that hangs is reported when its libraries are read.
    listed.unwrap_or_default()
}
