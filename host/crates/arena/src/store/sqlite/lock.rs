//! Locks between processes: which one has an arena's file, and whether one copies it.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    process, thread,
    time::{Duration, Instant},
};

use rustix::system::uname;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{StoreError, StoreFault};

/// For the user of the server alone: another one could lock a file that it can read.
pub(super) const OWN_RIGHTS: u32 = 0o600;
/// The interval at which a writer looks whether a copy is done.
const COPY_POLL: Duration = Duration::from_millis(50);

/// An exclusive lock on the file beside the arena's. The operating system drops it with the process, so that one that was killed
/// leaves nothing to clean up. The arena's own file has locks of `SQLite`, which this process would lose if it closed that file
/// itself.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Locks the file for this process.
    ///
    /// # Errors
    /// Another process has the lock, or the file of the lock cannot be created.
    pub(super) fn acquire(arena: &Path) -> Result<Self, StoreError> {
        let path = resolved(arena).with_added_extension("lock");
        let failed = |error| StoreFault::File(error).at(&path);
        let file =
            File::options().create(true).mode(OWN_RIGHTS).read(true).write(true).truncate(false).open(&path);
        let mut file = file.map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.take(1024).read_to_string(&mut holder).map_err(failed)?;
                let holder = if holder.is_empty() { "another process" } else { holder.trim() };
                return Err(StoreFault::InUse(holder.to_owned()).at(arena));
            }
        }
        let (id, host) = (process::id(), uname());
        let since = OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default();
        let holder = format!("process {id} on {} since {since}\n", host.nodename().to_string_lossy());
        file.set_len(0).and_then(|()| file.write_all(holder.as_bytes())).map_err(failed)?;
        Ok(Self { file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A process that is just starting may have the file open too.
        let _ = self.file.unlock();
    }
}

/// A shared lock on the folder of an arena whose file is copied. The process that has the file writes later then: a change would
/// start the copy again, and a commit that waits for the copy would stop all readers.
#[derive(Debug)]
pub(super) struct CopyLock {
    folder: File,
}

impl CopyLock {
    pub(super) fn acquire(arena: &Path) -> io::Result<Self> {
        let folder = open_folder(arena)?;
        folder.lock_shared()?;
        Ok(Self { folder })
    }

    /// Waits until no process copies the file, or for this time.
    pub(super) fn wait(arena: &Path, limit: Duration) {
        let started = Instant::now();
        while Self::is_held(arena) && started.elapsed() < limit {
            thread::sleep(COPY_POLL);
        }
    }

    fn is_held(arena: &Path) -> bool {
        open_folder(arena).is_ok_and(|folder| {
            let locked = folder.try_lock();
            let _ = folder.unlock();
            matches!(locked, Err(TryLockError::WouldBlock))
        })
    }
}

impl Drop for CopyLock {
    fn drop(&mut self) {
        let _ = self.folder.unlock();
    }
}

fn open_folder(arena: &Path) -> io::Result<File> {
    File::open(resolved(arena).parent().unwrap_or(Path::new("/")))
}

/// Returns the path without links: a link to the arena has the same locks.
fn resolved(arena: &Path) -> PathBuf {
    fs::canonicalize(arena).unwrap_or_else(|_| arena.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_noticed_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arena.db");
        fs::write(&path, "").unwrap();
        assert!(!CopyLock::is_held(&path));
        let first = CopyLock::acquire(&path).unwrap();
        let second = CopyLock::acquire(&path).unwrap();
        drop(first);
        assert!(CopyLock::is_held(&path));
        CopyLock::wait(&path, Duration::ZERO);
        drop(second);
        assert!(!CopyLock::is_held(&path));
        CopyLock::wait(&path, Duration::MAX);
    }
}
