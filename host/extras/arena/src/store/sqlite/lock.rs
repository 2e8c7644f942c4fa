//! Locks between processes: which one has an arena's file, and whether one copies it.

use std::{
    fs::{self, File, Permissions, TryLockError},
    io::{self, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process,
    time::Duration,
};

use rustix::{fs::OFlags, process::geteuid, system::uname};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{StoreError, StoreFault};
use crate::store::patience::retry;

/// For the user of the server alone: another one could lock a file that it can read.
pub(super) const OWN_RIGHTS: u32 = 0o600;
/// Of the folder of an arena, whose files another user could otherwise create first.
const WRITABLE_BY_ALL: u32 = 0o002;
/// The interval at which a held lock is tried again.
const COPY_POLL: Duration = Duration::from_millis(50);

/// An exclusive lock on the file next to the arena's. The operating system drops it with the
/// process, so that one that was killed leaves nothing to clean up. The arena's own file has locks
/// of `SQLite`, which this process would lose if it closed that file itself.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Locks the file for this process.
    ///
    /// # Errors
    /// Another process has the lock, the file of the lock cannot be created, or other users may
    /// write to its folder.
    pub(super) fn acquire(arena: &Path) -> Result<Self, StoreError> {
        let arena_path = resolved(arena);
        let folder = folder_of(&arena_path);
        if fs::metadata(folder).is_ok_and(|folder| folder.mode() & WRITABLE_BY_ALL != 0) {
            return Err(StoreFault::OpenFolder(folder.to_owned()).at(arena));
        }
        let path = arena_path.with_added_extension("lock");
        let failed = |error| StoreFault::File(error).at(&path);
        let mut file = open_own(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.take(1024)
                    .read_to_string(&mut holder)
                    .map_err(failed)?;
                let holder = if holder.is_empty() {
                    "another process"
                } else {
                    holder.trim()
                };
                return Err(StoreFault::InUse(holder.to_owned()).at(arena));
            }
        }
        let (id, host) = (process::id(), uname());
        let since = OffsetDateTime::now_utc()
            .format(&Rfc3339)
            .unwrap_or_default();
        let holder = format!(
            "process {id} on {} since {since}\n",
            host.nodename().to_string_lossy()
        );
        file.set_len(0)
            .and_then(|()| file.write_all(holder.as_bytes()))
            .map_err(failed)?;
        open_own(&copy_lock(arena))?;
        Ok(Self { file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A process that is just starting may have the file open too.
        let _ = self.file.unlock();
    }
}

/// A shared lock on another file next to the arena's, held during a copy. The process that has the
/// arena delays its writes: a change would start the copy again, and a commit that waits for the
/// copy would stop all readers.
#[derive(Debug)]
pub(super) struct CopyLock {
    file: File,
}

impl CopyLock {
    /// # Errors
    /// No process has used the arena, another user has, or the lock is held exclusively for this
    /// time.
    pub(super) fn acquire(arena: &Path, limit: Duration) -> io::Result<Self> {
        let file = File::open(copy_lock(arena))?;
        let locked = || match file.try_lock_shared() {
            Ok(()) => Some(Ok(())),
            Err(TryLockError::Error(error)) => Some(Err(error)),
            Err(TryLockError::WouldBlock) => None,
        };
        retry(limit, COPY_POLL, locked).unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))?;
        Ok(Self { file })
    }

    /// Waits until no process copies the file, or for this time.
    pub(super) fn wait(arena: &Path, limit: Duration) {
        retry(limit, COPY_POLL, || (!Self::is_held(arena)).then_some(()));
    }

    fn is_held(arena: &Path) -> bool {
        File::open(copy_lock(arena)).is_ok_and(|file| {
            let locked = file.try_lock();
            let _ = file.unlock();
            matches!(locked, Err(TryLockError::WouldBlock))
        })
    }
}

impl Drop for CopyLock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

/// Lets only this user read and write a file that is his.
pub(super) fn keep_to_this_user(file: &Path) {
    // Another user's file stays as it is.
    let _ = fs::set_permissions(file, Permissions::from_mode(OWN_RIGHTS));
}

/// Opens or creates a file of this user or the folder's. One of another user could be a lock that
/// is never released, or a pipe.
fn open_own(path: &Path) -> Result<File, StoreError> {
    let failed = |error| StoreFault::File(error).at(path);
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut options = File::options();
    options
        .create(true)
        .mode(OWN_RIGHTS)
        .custom_flags(flags)
        .read(true)
        .write(true)
        .truncate(false);
    let file = options.open(path).map_err(failed)?;
    let (found, folder) = (
        file.metadata().map_err(failed)?,
        fs::metadata(folder_of(path)).map_err(failed)?,
    );
    if !found.is_file() || ![geteuid().as_raw(), folder.uid()].contains(&found.uid()) {
        return Err(StoreFault::ForeignLock.at(path));
    }
    // Only its owner and root may.
    let _ = file.set_permissions(Permissions::from_mode(OWN_RIGHTS));
    Ok(file)
}

fn copy_lock(arena: &Path) -> PathBuf {
    resolved(arena).with_added_extension("copying")
}

fn folder_of(arena: &Path) -> &Path {
    arena
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
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
        CopyLock::acquire(&path, Duration::ZERO).unwrap_err();
        let _lock = Lock::acquire(&path).unwrap();
        let first = CopyLock::acquire(&path, Duration::ZERO).unwrap();
        let second = CopyLock::acquire(&path, Duration::ZERO).unwrap();
        drop(first);
        assert!(CopyLock::is_held(&path));
        CopyLock::wait(&path, Duration::ZERO);
        drop(second);
        assert!(!CopyLock::is_held(&path));
        CopyLock::wait(&path, Duration::MAX);
    }

    #[test]
    fn a_lock_that_others_may_have_made_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("arena.db");
        let error = |part: &str| {
            let error = Lock::acquire(&path).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        fs::set_permissions(folder.path(), Permissions::from_mode(0o1777)).unwrap();
        error("a folder that every user may write to; choose a private folder");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let lock = folder.path().join("arena.db.lock");
        rustix::fs::mkfifoat(rustix::fs::CWD, &lock, rustix::fs::Mode::RWXU).unwrap();
        error("arena.db.lock is no regular file of this user; delete it");
        fs::remove_file(&lock).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &lock).unwrap();
        error("arena.db.lock: ");
        fs::remove_file(&lock).unwrap();
        if geteuid().is_root() {
            fs::write(&lock, "").unwrap();
            std::os::unix::fs::chown(&lock, Some(65534), None).unwrap();
            error("arena.db.lock is no regular file of this user; delete it");
            fs::remove_file(&lock).unwrap();
        }
        Lock::acquire(&path).unwrap();
    }
}
