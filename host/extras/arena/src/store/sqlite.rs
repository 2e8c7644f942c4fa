//! One `SQLite` database with every game, the tallies of the results, the players and the matches.
//!
//! A transaction adds a pair of games and updates all counts. Only one process at a time can open a
//! [`Store`] and write. [`StoreReader`]s can read at the same time, even in other processes.

mod columns;
mod copy;
mod games;
mod import;
mod lock;
mod matches;
mod pairs;
mod players;
mod rollouts;
mod schema;

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, params};

use self::lock::{CopyLock, Lock, OWN_RIGHTS, keep_to_this_user};
use super::{
    error::{StoreError, StoreFault},
    patience::{PATIENCE, lock_within},
};

/// The text of a game takes about 2 kB. With smaller pages, more of them would be partly empty.
const PAGE_BYTES: u32 = 16 << 10;
/// How long a finished pair waits for locks that other processes and threads hold. No request waits
/// for the pair.
const LONG_PATIENCE: Duration = Duration::from_secs(30);
/// How long a finished pair first waits for a backup.
const BACKUP_TIMEOUT: Duration = Duration::from_mins(10);
/// Matches may take at most the file's maximum size divided by this number.
const PART_OF_MATCHES: u64 = 4;
/// Readers may write in order to undo an incomplete transaction left by a killed process.
const READ_FLAGS: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);
/// Further connections are closed after use.
const MAX_IDLE_READERS: usize = 4;

/// The arena's file, open for writing and reading. Its calls block.
///
/// Writers take turns on one connection: `SQLite` has one writer at a time anyway, and another
/// thread would only add a queue.
#[derive(Debug)]
pub struct Store {
    writer: Mutex<Connection>,
    reader: StoreReader,
    time_control: String,
    max_bytes: u64,
    _lock: Lock,
}

/// The arena's file, open for reading. Its calls block. Clones share their connections.
#[derive(Clone, Debug)]
pub struct StoreReader {
    shared: Arc<StoreState>,
}

#[derive(Debug)]
struct StoreState {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Store {
    /// Opens or creates the file. No other process or user can write to it. Once the file's size
    /// has reached `max_bytes`, it rejects games.
    ///
    /// # Errors
    /// Another process uses the file, its games have a different time control, it has a later
    /// version, it is damaged or not an arena file, or it cannot be read and written.
    pub fn open(path: &Path, time_control: &str, max_bytes: u64) -> Result<Self, StoreError> {
        if path.is_dir() {
            return Err(StoreFault::Folder.at(path));
        }
        let lock = Lock::acquire(path)?;
        keep_to_this_user(path);
        let writer = open_to_write(path, time_control).map_err(|fault| fault.at(path))?;
        Ok(Self {
            writer: Mutex::new(writer),
            reader: StoreReader::of(path),
            time_control: time_control.to_owned(),
            max_bytes,
            _lock: lock,
        })
    }

    /// Returns a reader of the file that other threads can use.
    pub const fn reader(&self) -> &StoreReader {
        &self.reader
    }

    /// Runs a transaction for a finished pair or the arena. It is rolled back if it fails.
    fn write<T, E>(
        &self,
        transact: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, StoreError>
    where
        StoreFault: From<E>,
    {
        self.write_within(BACKUP_TIMEOUT, LONG_PATIENCE, transact)
    }

    /// Runs a transaction for a request. It is rolled back if it fails.
    fn write_soon<T, E>(
        &self,
        transact: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, StoreError>
    where
        StoreFault: From<E>,
    {
        self.write_within(PATIENCE, PATIENCE, transact)
    }

    /// Waits for a running backup, and then for the lock.
    fn write_within<T, E>(
        &self,
        backup_limit: Duration,
        limit: Duration,
        transact: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, StoreError>
    where
        StoreFault: From<E>,
    {
        CopyLock::wait(&self.reader.shared.path, backup_limit);
        let started = Instant::now();
        let write = || {
            let mut writer = lock_within(&self.writer, limit).ok_or(StoreFault::Locked)?;
            writer.busy_timeout(limit.saturating_sub(started.elapsed()))?;
            let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = transact(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        write().map_err(|fault: StoreFault| fault.at(&self.reader.shared.path))
    }
}

impl StoreReader {
    /// Opens the file of an arena. The arena may be running.
    ///
    /// # Errors
    /// The file has a different version, it is damaged or not an arena file, or it cannot be read.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if fs::metadata(path)
            .map_err(|error| StoreFault::File(error).at(path))?
            .is_dir()
        {
            return Err(StoreFault::Folder.at(path));
        }
        let reader = Self::of(path);
        reader.read(|_| Ok(()))?;
        Ok(reader)
    }

    fn of(path: &Path) -> Self {
        Self {
            shared: Arc::new(StoreState {
                path: path.to_owned(),
                idle: Mutex::default(),
            }),
        }
    }

    /// Runs a read transaction. It sees the same state of the file throughout.
    fn read<T>(
        &self,
        read: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let idle = || {
            self.shared
                .idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let read = || {
            let connection = idle().pop();
            let connection = connection.map_or_else(|| open_to_read(&self.shared.path), Ok)?;
            let value = read(&Transaction::new_unchecked(
                &connection,
                TransactionBehavior::Deferred,
            )?)?;
            let mut idle = idle();
            if idle.len() < MAX_IDLE_READERS {
                idle.push(connection);
            }
            Ok(value)
        };
        read().map_err(|fault: StoreFault| fault.at(&self.shared.path))
    }
}

impl From<rusqlite::Error> for StoreFault {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotAnArena,
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged(error.to_string()),
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(ErrorCode::SystemIoFailure) => Self::Disk(error.to_string()),
            Some(ErrorCode::CannotOpen) => Self::NotOpened,
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::NotWritable,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            _ => Self::Database(error.to_string()),
        }
    }
}

fn open_to_write(path: &Path, time_control: &str) -> Result<Connection, StoreFault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    // SQLite's own files get the same permissions. If this fails, opening the file below reports
    // the error.
    let _ = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(OWN_RIGHTS)
        .open(path);
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    schema::migrate(&mut connection)?;
    connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| {
        row.get::<_, String>(0)
    })?;
    let insert = "INSERT OR IGNORE INTO arena (id, time_control) VALUES (1, ?1)";
    connection.execute(insert, params![time_control])?;
    let found: String =
        connection.query_one("SELECT time_control FROM arena", [], |row| row.get(0))?;
    if found != time_control {
        return Err(StoreFault::OtherTimeControl {
            found,
            expected: time_control.to_owned(),
        });
    }
    Ok(connection)
}

fn open_to_read(path: &Path) -> Result<Connection, StoreFault> {
    let connection = Connection::open_with_flags(path, READ_FLAGS)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "query_only", true)?;
    schema::ensure_current(&connection)?;
    Ok(connection)
}

#[cfg(test)]
mod tests;
