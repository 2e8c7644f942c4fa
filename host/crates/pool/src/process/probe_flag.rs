//! The memory in which a worker counts tablebase probes in flight.

use std::{
    io,
    os::fd::{AsFd as _, BorrowedFd, OwnedFd},
};

use rustix::{
    fs::{MemfdFlags, ftruncate, memfd_create},
    io::pread,
};

/// A counter in a memory file. It is read rather than mapped, because the worker can truncate the
/// file.
#[derive(Debug)]
pub(super) struct ProbeFlag(OwnedFd);

impl ProbeFlag {
    pub(super) fn new() -> io::Result<Self> {
        let file = memfd_create("rookery-probe", MemfdFlags::CLOEXEC)?;
        ftruncate(&file, size_of::<u32>() as u64)?;
        Ok(Self(file))
    }

    pub(super) fn file(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Returns whether a probe is in flight.
    pub(super) fn is_raised(&self) -> bool {
        let mut counter = [0; size_of::<u32>()];
        pread(&self.0, &mut counter, 0).is_ok_and(|count| count == counter.len())
            && counter != [0; 4]
    }
}
