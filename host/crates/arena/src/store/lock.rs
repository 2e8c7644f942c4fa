//! The lock that says which process has an arena's file.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process,
};

use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
    system::uname,
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// An exclusive lock on the file beside the arena's. The operating system drops it with the process, so that one that was killed
/// leaves nothing to clean up. The arena's own file has locks of `SQLite`, which this process would lose if it closed that file
/// itself.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

/// The process that has an arena's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder(String);

#[derive(Debug)]
pub(super) enum LockError {
    Held(Holder),
    File { path: PathBuf, error: io::Error },
}

impl Lock {
    /// Locks the file for this process.
    ///
    /// # Errors
    /// Another process has the lock, or the file of the lock cannot be created.
    pub(super) fn acquire(arena: &Path) -> Result<Self, LockError> {
        let path = path_of_lock(arena);
        Self::open(&path).map_err(|error| LockError::File { path, error })?
    }

    fn open(path: &Path) -> io::Result<Result<Self, LockError>> {
        let mut file = File::options().create(true).read(true).write(true).truncate(false).open(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let mut text = String::new();
                file.take(1024).read_to_string(&mut text)?;
                return Ok(Err(LockError::Held(Holder(text.trim().to_owned()))));
            }
            Err(error) => return Err(error.into()),
        }
        file.set_len(0)?;
        let host = uname();
        let since = OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default();
        writeln!(file, "process {} on {} since {since}", process::id(), host.nodename().to_string_lossy())?;
        Ok(Ok(Self { _file: file }))
    }
}

/// Returns the path beside the file that a link leads to, so that each path to an arena has one lock.
fn path_of_lock(arena: &Path) -> PathBuf {
    let mut path = fs::canonicalize(arena).unwrap_or_else(|_| arena.to_owned()).into_os_string();
    path.push(".lock");
    path.into()
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "another process" } else { &self.0 })
    }
}
