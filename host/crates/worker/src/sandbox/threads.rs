//! Counts the threads of the process.

use std::{
    fs::File,
    io,
    os::unix::fs::MetadataExt,
    thread,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, Mode, OFlags, openat};

/// How long a joined thread may take to exit.
const EXIT_TIMEOUT: Duration = Duration::from_millis(200);
/// The link count of a folder without subfolders.
const OWN_LINKS: u64 = 2;

/// The `/proc` folder of this process's threads, opened before the private root hides it.
pub(super) struct OwnThreads(File);

impl OwnThreads {
    pub(super) fn open() -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let folder = openat(CWD, "/proc/self/task", flags, Mode::empty())?;
        Ok(Self(folder.into()))
    }

    /// Returns the number of other threads that do not exit soon.
    pub(super) fn others(&self) -> io::Result<u64> {
        let deadline = Instant::now() + EXIT_TIMEOUT;
        loop {
            let others = self.0.metadata()?.nlink().saturating_sub(OWN_LINKS + 1);
            if others == 0 || Instant::now() > deadline {
                return Ok(others);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}
