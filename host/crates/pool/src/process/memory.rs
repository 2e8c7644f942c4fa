//! Measures the memory of a worker that may start programs.
//!
//! A kernel limit on the address space is not an alternative: runtimes reserve many times what they
//! use, and the stacks of finished threads stay reserved.

use std::{
    future::pending,
    time::{Duration, Instant},
};

use tokio::time::sleep;

use crate::{
    fault::{Fault, Shortage},
    procfs,
};
use protocol::SandboxSettings;

/// How often to measure the processes.
const PERIOD: Duration = Duration::from_millis(100);
/// The longest pause between measurements, for process trees that take a long time to measure.
const LONGEST_PERIOD: Duration = Duration::from_millis(500);
/// Measuring may use the time of one processor divided by this.
const SHARE: u32 = 100;
/// The percentage of the reserved address space above which allocations are expected to fail.
const NEARLY_ALL: u64 = 95;

/// Parts of messages that the runtimes of C, C++, Python, Java and Node write when an allocation
/// fails.
const NO_MEMORY: [&str; 5] = [
    "cannot allocate",
    "bad_alloc",
    "memoryerror",
    "outofmemoryerror: java heap",
    "out of memory",
];
/// Parts of messages that they write when a thread can't be started.
const NO_THREADS: [&str; 4] = [
    "resource temporarily unavailable",
    "start new thread",
    "create native thread",
    "pthread_create",
];

/// The memory of all of a worker's processes.
#[derive(Debug)]
pub(super) struct MemoryWatch {
    process: u32,
    granted_mb: u64,
    threads: u64,
    /// Whether to enforce the limit, because no cgroup does.
    is_limit: bool,
    most_bytes: u64,
    took: Duration,
}

/// Waits for this time, or forever if there is none.
pub(super) async fn pause(time: Option<Duration>) {
    match time {
        Some(time) => sleep(time).await,
        None => pending().await,
    }
}

impl MemoryWatch {
    pub(super) const fn new(process: u32, sandbox: &SandboxSettings, is_limit: bool) -> Self {
        let SandboxSettings {
            memory_mb: granted_mb,
            threads,
            ..
        } = *sandbox;
        Self {
            process,
            granted_mb,
            threads,
            is_limit,
            most_bytes: 0,
            took: Duration::ZERO,
        }
    }

    /// Returns the pause before the next measurement.
    pub(super) fn period(&self) -> Duration {
        (self.took * SHARE).clamp(PERIOD, LONGEST_PERIOD)
    }

    /// Returns the highest measurement.
    pub(super) const fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// # Errors
    /// The processes exceed the limit.
    pub(super) fn measure(&mut self) -> Result<(), Fault> {
        let began = Instant::now();
        let bytes = procfs::occupied_bytes(self.process);
        self.took = began.elapsed();
        self.most_bytes = self.most_bytes.max(bytes);
        if self.is_limit && bytes >> 20 > self.granted_mb {
            let used_mb = bytes >> 20;
            let reason = format!(
                "its processes use {used_mb} MB; {}",
                Shortage::Memory(self.granted_mb)
            );
            return Err(Fault::OutOfMemory(reason.into()));
        }
        Ok(())
    }

    /// Returns the resource that programs lack when they do not answer. `printed` is the end of
    /// their output.
    pub(super) fn shortage(&self, printed: &str) -> Option<Shortage> {
        let printed = printed.to_lowercase();
        let says = |texts: &[&str]| texts.iter().any(|text| printed.contains(text));
        let granted_bytes = self.granted_mb << 20;
        let reserved_bytes = granted_bytes + protocol::RESERVED_BY_PROGRAMS;
        let is_nearly = |bytes: u64, most: u64| bytes > most / 100 * NEARLY_ALL;
        if is_nearly(procfs::occupied_bytes(self.process), granted_bytes)
            || is_nearly(procfs::peak_bytes(self.process), reserved_bytes)
            || says(&NO_MEMORY)
        {
            return Some(Shortage::Memory(self.granted_mb));
        }
        let threads =
            procfs::threads(self.process).saturating_sub(procfs::OWN_THREADS_IN_NAMESPACE);
        let has_all = threads as u64 >= self.threads || says(&NO_THREADS);
        has_all.then_some(Shortage::Threads(self.threads))
    }
}
