//! Tells whether a file is still the one that was read.

use std::{fs::Metadata, os::unix::fs::MetadataExt as _};

/// Attributes of a file that change when its content changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    file: (u64, u64),
    size: u64,
    modified: (i64, i64),
    pub(crate) changed: (i64, i64),
}

impl From<&Metadata> for FileStamp {
    fn from(found: &Metadata) -> Self {
        Self {
            file: (found.dev(), found.ino()),
            size: found.size(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}
