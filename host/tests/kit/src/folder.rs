//! The folder of a process.

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::programs::built;

/// The configuration, the libraries and the log of a process.
pub struct Folder(TempDir);

impl Folder {
    /// Creates an empty folder that every user may read.
    pub fn create() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("under-test-")
            .tempdir()
            .unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Self(folder)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn configuration(&self) -> PathBuf {
        self.path().join("rookery.toml")
    }

    /// Returns the path of a library next to the configuration.
    pub fn library(&self, name: &str) -> PathBuf {
        self.path().join(format!("lib{name}.so"))
    }

    /// Replaces a library with a built one that differs in unused bytes.
    pub fn replace_library(&self, name: &str, by: &str, number: u64) {
        let mut bytes = fs::read(built(by)).unwrap();
        bytes.extend(number.to_le_bytes());
        let new = self.path().join("new");
        fs::write(&new, bytes).unwrap();
        fs::rename(new, self.library(name)).unwrap();
    }

    /// Opens the log, to which processes append.
    pub fn open_log(&self) -> File {
        let mut options = File::options();
        options.create(true).append(true);
        options.open(self.path().join("log")).unwrap()
    }

    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.path().join("log")).unwrap()).into_owned()
    }

    /// Returns the end of the log.
    pub fn log_tail(&self) -> String {
        let log = self.log();
        let start = log
            .char_indices()
            .rev()
            .nth(3999)
            .map_or(0, |(start, _)| start);
        log[start..].to_owned()
    }
}
