//! The processor time of one worker.

use std::{io, time::Duration};

use rustix::param::clock_ticks_per_second;

use crate::{cgroup::ProcessorTime, procfs::ProcessTree};

/// The source of a worker's processor time.
#[derive(Debug)]
pub(super) enum CpuTime {
    /// The worker is the process with this id; it cannot start others.
    Process(u32),
    /// The worker can start programs.
    Tree(ProcessTree),
    /// The kernel counts all processes that were ever in the worker's cgroup.
    Cgroup(ProcessorTime),
}

impl CpuTime {
    /// Returns the processor time of the worker until now, on all processors. Never decreases.
    ///
    /// # Errors
    /// The kernel does not report it, or the worker has exited.
    pub(super) fn used(&mut self) -> io::Result<Duration> {
        match self {
            Self::Process(process) => process_cpu_time(*process),
            Self::Tree(tree) => Ok(Duration::from_millis(tree.ticks()? * 1000 / clock_ticks_per_second())),
            Self::Cgroup(counter) => counter.used(),
        }
    }
}

/// Returns the processor time of all threads of a process, exited ones included. It takes less than a microsecond, unlike
/// `/proc`, which matters because each job reads it twice.
fn process_cpu_time(process: u32) -> io::Result<Duration> {
    let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
    // SAFETY: the function writes to the number of the clock alone.
    let error = unsafe { libc::clock_getcpuclockid(process.cast_signed(), &raw mut clock) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    // SAFETY: the function writes to the time alone.
    if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Ok(Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_processor_time_of_this_process() {
        let mut time = CpuTime::Tree(ProcessTree::new(std::process::id()));
        let before = time.used().unwrap();
        while time.used().unwrap() < before + Duration::from_millis(50) {
            std::hint::black_box(before);
        }
    }
}
