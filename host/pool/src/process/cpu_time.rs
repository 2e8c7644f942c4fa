//! The processor time of one worker.

use std::{io, time::Duration};

use rustix::param::clock_ticks_per_second;

use crate::{cgroup::ProcessorTime, cpu_clock::process_cpu_time, procfs::ProcessTree};

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
    /// Counts a process and all its descendants.
    pub(super) fn tree(root: u32) -> Self {
        Self::Tree(ProcessTree::new(root))
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_processor_time_of_this_process() {
        let mut time = CpuTime::tree(std::process::id());
        let before = time.used().unwrap();
        while time.used().unwrap() < before + Duration::from_millis(50) {
            std::hint::black_box(before);
        }
    }
}
