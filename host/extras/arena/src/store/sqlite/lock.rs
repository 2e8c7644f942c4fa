//! Locks between processes, for an arena's file and for copies of it.

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

/// Only the server's user has access, since any user could lock a file that they can read.
pub(super) const OWN_RIGHTS: u32 = 0o600;
/// An arena's folder must not have this permission, or another user could create its files first.
const WRITABLE_BY_ALL: u32 = 0o002;
/// The interval between attempts to take a lock.
const COPY_POLL: Duration = Duration::from_millis(50);

/// An exclusive lock on the file next to the arena's. The operating system releases it when the
/// process ends, so a killed process leaves nothing to clean up. The arena's own file is not used,
/// because this process would lose `SQLite`'s locks on it by closing it.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Locks the file for this process.
    ///
    /// # Errors
    /// Another process holds the lock, the lock file cannot be created, or other users may write to
    /// its folder.
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
        // A process that is just starting may also have the file open, so closing it is not enough.
        let _ = self.file.unlock();
    }
}

/// A shared lock on another file next to the arena's, held during a copy. The arena's process
/// delays its writes meanwhile, because a change would restart the copy, and a commit that waits
/// for the copy would block all readers.
#[derive(Debug)]
pub(super) struct CopyLock {
    file: File,
}

impl CopyLock {
    /// # Errors
    /// No process has used the arena, another user has used it, or another process holds the lock
    /// exclusively for `limit`.
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

    /// Waits until no process is copying the file, or until `limit` has passed.
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

/// Denies all other users access to a file of this user.
pub(super) fn keep_to_this_user(file: &Path) {
    // This fails for another user's file, whose permissions then stay unchanged.
    let _ = fs::set_permissions(file, Permissions::from_mode(OWN_RIGHTS));
}

/// Opens or creates a file that belongs to this user or to the folder's owner. Another user's file
/// could be a pipe, or locked forever.
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
    // Only the file's owner and root may do this.
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

/// Returns the path without links, so that a link to the arena uses the same locks.
fn resolved(arena: &Path) -> PathBuf {
    fs::canonicalize(arena).unwrap_or_else(|_| arena.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_a_copy_until_it_ends() {
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
    fn rejects_a_lock_that_others_may_have_created() {
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
        error("arena.db.lock is not a regular file of this user; delete it");
        fs::remove_file(&lock).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &lock).unwrap();
        error("arena.db.lock: ");
        fs::remove_file(&lock).unwrap();
        if geteuid().is_root() {
            fs::write(&lock, "").unwrap();
            std::os::unix::fs::chown(&lock, Some(65534), None).unwrap();
            error("arena.db.lock is not a regular file of this user; delete it");
            fs::remove_file(&lock).unwrap();
        }
        Lock::acquire(&path).unwrap();
    }
}
