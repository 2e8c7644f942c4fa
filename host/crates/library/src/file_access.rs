//! File access with a deadline. A hung network mount blocks system calls forever, so each access
//! runs on its own thread, which is never joined. Only regular files on ordinary file systems are
//! read.

mod file_system;

use std::{
    collections::BTreeMap,
    fs::{self, File, Metadata},
    io::{self, Read as _},
    os::fd::AsRawFd as _,
    path::{Component, Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, fstatfs, openat};

/// The default limits for one access.
const LIMITS: AccessLimits = AccessLimits {
    without_progress: Duration::from_secs(10),
    total: Duration::from_mins(1),
};
/// Progress is recorded after each chunk.
const CHUNK_BYTES: u64 = 1 << 20;
/// Enough to recognize the format of a file.
const HEAD_BYTES: u64 = 4096;

/// The paths that this process is accessing.
static ACCESSES: Accesses = Accesses {
    by_path: Mutex::new(BTreeMap::new()),
    changed: Condvar::new(),
};

/// Why a file can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadFileError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("this is a folder")]
    Folder,
    /// A named pipe, a socket or a device.
    #[error("this is {0}, not a regular file")]
    NotRegular(&'static str),
    /// The name of a file system whose files the kernel generates.
    #[error(
        "this is a file of {0}, which the kernel generates and which may never end; name a regular \
         file on a disk"
    )]
    Generated(&'static str),
    #[error("the file has at least {0} bytes")]
    TooLarge(u64),
    #[error(transparent)]
    Stalled(#[from] StalledError),
}

/// Why the outcome of a file access is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StalledError {
    /// The access did not return in time.
    #[error(
        "the file system did not respond within {} s; check the disk or the network mount that the \
         file is on",
        .0.as_secs()
    )]
    TimedOut(Duration),
    /// An earlier access to the same path timed out and is still blocked.
    #[error(
        "an earlier access to the file is still blocked; check the disk or the network mount that \
         the file is on"
    )]
    StillBlocked,
    /// No thread could be started for the access.
    #[error("cannot start a thread to read the file; raise the thread limit (ulimit -u, TasksMax)")]
    NoThread,
}

impl From<StalledError> for io::Error {
    fn from(error: StalledError) -> Self {
        Self::new(io::ErrorKind::TimedOut, error)
    }
}

#[derive(Clone, Copy)]
struct AccessLimits {
    without_progress: Duration,
    total: Duration,
}

/// The progress of a blocking access, shared with its caller.
#[derive(Debug, Default)]
pub struct AccessProgress {
    steps: AtomicU64,
    is_abandoned: AtomicBool,
}

impl AccessProgress {
    /// Records that the file system has responded.
    ///
    /// # Errors
    /// The caller has given up.
    pub(crate) fn advance(&self) -> io::Result<()> {
        self.steps.fetch_add(1, Ordering::Relaxed);
        if self.is_abandoned.load(Ordering::Relaxed) {
            Err(io::ErrorKind::TimedOut.into())
        } else {
            Ok(())
        }
    }
}

/// Runs a potentially blocking access on its own thread. There is at most one thread per path at a
/// time.
///
/// # Errors
/// The access did not return in time, or an earlier access to the same path is still blocked.
pub fn bounded<T: Send + 'static>(
    path: &Path,
    access: impl FnOnce(&Path, &AccessProgress) -> T + Send + 'static,
) -> Result<T, StalledError> {
    ACCESSES.run(LIMITS, path, access)
}

/// Like [`fs::metadata`].
///
/// # Errors
/// The system call failed or did not return in time.
pub fn metadata(path: &Path) -> io::Result<Metadata> {
    bounded(path, |path, _| fs::metadata(path))?
}

/// Like [`fs::canonicalize`].
///
/// # Errors
/// The system call failed or did not return in time.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    bounded(path, |path, _| fs::canonicalize(path))?
}

/// Makes `given`, relative to `folder`, absolute. Resolves symbolic links only in `folder`.
pub fn written(folder: &Path, given: &Path) -> PathBuf {
    let folder = canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let joined = folder.join(given);
    let mut plain = PathBuf::new();
    for component in std::path::absolute(&joined).unwrap_or(joined).components() {
        match component {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            _ => plain.push(component),
        }
    }
    plain
}

pub fn is_folder(path: &Path) -> bool {
    metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Returns the paths of the folder entries that a filter accepts; none if the folder can't be read.
pub fn entries(
    folder: &Path,
    at_most: usize,
    accepts: impl Fn(&Path) -> bool + Send + 'static,
) -> Vec<PathBuf> {
    let listed = bounded(folder, move |folder, progress| {
        let entries = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .take(at_most)
            .flatten();
        let entries = entries
            .map(|entry| entry.path())
            .take_while(|_| progress.advance().is_ok());
        entries.filter(|path| accepts(path)).collect::<Vec<_>>()
    });
    listed.unwrap_or_else(|error| {
        tracing::warn!(folder = %folder.display(), %error, "cannot list a folder");
        Vec::new()
    })
}

/// Reads a regular file of at most `max_bytes`. If `accepts` rejects its first bytes, returns only
/// these bytes.
///
/// # Errors
/// The file can't be read, is not a regular file on an ordinary file system, is larger, or its file
/// system does not respond.
pub fn read(
    path: &Path,
    max_bytes: u64,
    accepts: fn(&[u8]) -> bool,
) -> Result<Vec<u8>, ReadFileError> {
    bounded(path, move |path, progress| {
        let mut file = open(path)?;
        let length = file.metadata()?.len();
        let mut bytes = Vec::new();
        file.by_ref().take(HEAD_BYTES).read_to_end(&mut bytes)?;
        if !accepts(&bytes) {
            return Ok(bytes);
        }
        if length > max_bytes {
            return Err(ReadFileError::TooLarge(length));
        }
        bytes
            .try_reserve_exact(length as usize - bytes.len().min(length as usize))
            .map_err(io::Error::other)?;
        loop {
            progress.advance()?;
            if file.by_ref().take(CHUNK_BYTES).read_to_end(&mut bytes)? == 0 {
                return Ok(bytes);
            }
            // The file may grow while it is being read.
            if bytes.len() as u64 > max_bytes {
                return Err(ReadFileError::TooLarge(bytes.len() as u64));
            }
        }
    })?
}

/// Opens a regular file on an ordinary file system for reading. May block; call it within
/// [`bounded`].
///
/// # Errors
/// The file can't be opened, or is of a different kind.
pub(crate) fn open(path: &Path) -> Result<File, ReadFileError> {
    reopen(&locate(path)?)
}

/// Locates a file and checks its type without opening it: opening could wait for a writer or
/// trigger a device. The descriptor keeps referring to the checked file.
fn locate(path: &Path) -> Result<File, ReadFileError> {
    let located = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    let located = File::from(located.map_err(io::Error::from)?);
    check(&located)?;
    Ok(located)
}

fn reopen(located: &File) -> Result<File, ReadFileError> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let path = format!("/proc/self/fd/{}", located.as_raw_fd());
    let file = File::from(openat(CWD, path, flags, Mode::empty()).map_err(io::Error::from)?);
    check(&file)?;
    Ok(file)
}

fn check(file: &File) -> Result<(), ReadFileError> {
    let found = fstat(file).map_err(io::Error::from)?;
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return Err(ReadFileError::Folder),
        FileType::Fifo => return Err(ReadFileError::NotRegular("a named pipe")),
        FileType::Socket => return Err(ReadFileError::NotRegular("a socket")),
        FileType::CharacterDevice | FileType::BlockDevice => {
            return Err(ReadFileError::NotRegular("a device"));
        }
        _ => return Err(ReadFileError::NotRegular("of an unknown kind")),
    }
    let system = fstatfs(file).map_err(io::Error::from)?;
    match file_system::generated(system.f_type as u32) {
        Some(name) => Err(ReadFileError::Generated(name)),
        None => Ok(()),
    }
}

/// The accesses in progress, by path.
struct Accesses {
    by_path: Mutex<BTreeMap<PathBuf, Caller>>,
    changed: Condvar,
}

/// Whether the caller of an access is still waiting for it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    Waiting,
    GaveUp,
}

impl Accesses {
    fn run<T: Send + 'static>(
        &'static self,
        limits: AccessLimits,
        path: &Path,
        access: impl FnOnce(&Path, &AccessProgress) -> T + Send + 'static,
    ) -> Result<T, StalledError> {
        self.begin(path)?;
        let progress = Arc::new(AccessProgress::default());
        let (sender, outcome) = mpsc::sync_channel(1);
        let on_thread = {
            let (path, progress) = (path.to_path_buf(), Arc::clone(&progress));
            move || {
                let running = RunningAccess {
                    accesses: self,
                    path,
                };
                let value = access(&running.path, &progress);
                // Frees the path first, so that the caller can start the next access to it at once.
                drop(running);
                let _ = sender.send(value);
            }
        };
        if thread::Builder::new()
            .name("file-access".into())
            .spawn(on_thread)
            .is_err()
        {
            self.end(path);
            return Err(StalledError::NoThread);
        }
        let (started, mut steps) = (Instant::now(), 0);
        loop {
            match outcome.recv_timeout(limits.without_progress) {
                Ok(value) => return Ok(value),
                // The access panicked, so the path is free again.
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(StalledError::TimedOut(started.elapsed()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let before = std::mem::replace(&mut steps, progress.steps.load(Ordering::Relaxed));
            if steps == before || started.elapsed() >= limits.total {
                progress.is_abandoned.store(true, Ordering::Relaxed);
                self.give_up(path);
                return Err(StalledError::TimedOut(started.elapsed()));
            }
        }
    }

    /// Registers the access. If another access to the path is in progress, waits for it, but only
    /// as long as that access's caller waits.
    fn begin(&self, path: &Path) -> Result<(), StalledError> {
        let mut by_path = self.lock();
        loop {
            match by_path.get(path) {
                None => {
                    by_path.insert(path.to_path_buf(), Caller::Waiting);
                    return Ok(());
                }
                Some(Caller::GaveUp) => return Err(StalledError::StillBlocked),
                Some(Caller::Waiting) => {
                    by_path = self
                        .changed
                        .wait(by_path)
                        .unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn give_up(&self, path: &Path) {
        // The access may have ended in the meantime.
        if let Some(caller) = self.lock().get_mut(path) {
            *caller = Caller::GaveUp;
        }
        self.changed.notify_all();
    }

    fn end(&self, path: &Path) {
        self.lock().remove(path);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Caller>> {
        self.by_path.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Frees the path when the access returns or panics.
struct RunningAccess {
    accesses: &'static Accesses,
    path: PathBuf,
}

impl Drop for RunningAccess {
    fn drop(&mut self) {
        self.accesses.end(&self.path);
    }
}

#[cfg(test)]
mod tests;
