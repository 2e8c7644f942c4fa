//! Counts tablebase probes in flight, in memory that the host can read after the worker has failed.
//! If a probe was in flight, a damaged table may be to blame instead of the AI.

use std::{
    io,
    os::fd::{AsRawFd as _, OwnedFd},
    ptr::null_mut,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

static RUNNING: OnceLock<&'static AtomicU32> = OnceLock::new();

/// Maps the host's memory file, which the process keeps until it exits.
pub(crate) fn open(file: &OwnedFd) -> io::Result<()> {
    const ACCESS: i32 = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the kernel chooses a free address.
    let page = unsafe {
        libc::mmap(
            null_mut(),
            size_of::<AtomicU32>(),
            ACCESS,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        )
    };
    if page == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the page is writable, aligned and never unmapped. The host has sized the file for the
    // counter.
    let counter = unsafe { AtomicU32::from_ptr(page.cast()) };
    RUNNING.get_or_init(|| counter);
    Ok(())
}

/// Runs a probe. The counter stays raised if it never returns.
pub(crate) fn while_probing<T>(probe: impl FnOnce() -> T) -> T {
    let Some(running) = RUNNING.get() else {
        return probe();
    };
    running.fetch_add(1, Ordering::SeqCst);
    let result = probe();
    running.fetch_sub(1, Ordering::SeqCst);
    result
}
