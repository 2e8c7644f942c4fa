//! Counts the threads of the process.

use std::{
    io,
    os::fd::OwnedFd,
    thread,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, Mode, OFlags, fstat, openat};

/// How long a joined thread may take to exit.
const EXIT_TIMEOUT: Duration = Duration::from_millis(200);
/// The link count of a folder without subfolders.
const OWN_LINKS: u64 = 2;

/// The `/proc` folder of this process's threads, opened before the private root hides it.
pub(super) struct OwnThreads(OwnedFd);

impl OwnThreads {
    pub(super) fn open() -> io::Result<Self> {
        Ok(Self(openat(
            CWD,
            "/proc/self/task",
            OFlags::PATH | OFlags::CLOEXEC,
            Mode::empty(),
        )?))
    }

    /// Returns the number of other threads that do not exit soon.
    #[allow(
        clippy::useless_conversion,
        reason = "the type of st_nlink depends on the processor"
    )]
    pub(super) fn others(&self) -> io::Result<u64> {
        let deadline = Instant::now() + EXIT_TIMEOUT;
        loop {
            let links = u64::from(fstat(&self.0)?.st_nlink);
            let others = links.saturating_sub(OWN_LINKS + 1);
            if others == 0 || Instant::now() > deadline {
                return Ok(others);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}
