//! How many threads the process has.

use std::{
    io,
    os::fd::OwnedFd,
    thread,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, Mode, OFlags, fstat, openat};

/// How long a thread that has been waited for may take to vanish.
const VANISHING: Duration = Duration::from_millis(200);
/// What a folder has before it holds others.
const OWN_LINKS: u64 = 2;

/// Where the kernel counts this process's threads, found before it is out of reach.
pub(super) struct OwnThreads(OwnedFd);

impl OwnThreads {
    pub(super) fn find() -> io::Result<Self> {
        Ok(Self(openat(CWD, "/proc/self/task", OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?))
    }

    /// The threads that there are beside this one and stay.
    pub(super) fn others(&self) -> io::Result<u64> {
        let deadline = Instant::now() + VANISHING;
        loop {
            let others = fstat(&self.0)?.st_nlink.saturating_sub(OWN_LINKS + 1);
            if others == 0 || Instant::now() > deadline {
                return Ok(others);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}
