//! Cgroups (version 2). Each worker gets its own cgroup if the server may create cgroups. Unlike
//! process limits, cgroups count kernel memory, all processes together, and the processor time of
//! exited processes. The other limits remain in force.
//!
//! Interface: <https://docs.kernel.org/admin-guide/cgroup-v2.html>.

mod delegation;
mod hierarchy;
mod status;
#[cfg(test)]
mod tests;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use self::{delegation::Delegation, hierarchy::Hierarchy};
use protocol::{SandboxMode, SandboxSettings};
use strum::VariantArray as _;

pub use status::{CgroupStatus, Controller, NoCgroup};

/// The worker's own memory, including kernel memory.
const OWN_MEMORY_BYTES: u64 = 32 << 20;
/// The kernel memory of one thread: its stack and its descriptors.
const THREAD_MEMORY_BYTES: u64 = 64 << 10;
/// The worker's own threads, and the processes that it forks if its AI may start programs. This
/// exceeds the user's process limit, which therefore applies first.
const OWN_THREADS: u64 = 8;
/// The kernel's default: workers share the processor equally, however many threads they have.
const WORKER_WEIGHT: u64 = 100;
/// How long killed processes may take to leave a cgroup when the server exits.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The cgroups of this process's workers.
#[derive(Debug)]
pub struct Cgroups {
    delegation: Result<Delegation, NoCgroup>,
    created: AtomicU64,
    /// Cgroups to remove once their killed processes have exited.
    leftover: Mutex<Vec<PathBuf>>,
}

impl Cgroups {
    pub fn unused() -> Self {
        Self::of(Err(NoCgroup::NotUsed))
    }

    /// Prepares this process's cgroup for its workers' cgroups, if possible.
    pub fn of_this_process() -> Self {
        Self::of(Hierarchy::of_this_process().and_then(Delegation::prepare))
    }

    /// Like `prepare`, but in a folder instead of the mounted hierarchy.
    #[doc(hidden)]
    pub fn in_folder(
        root: PathBuf,
        own: &str,
        make: fn(&Path) -> io::Result<()>,
        remove: fn(&Path) -> io::Result<()>,
    ) -> Self {
        let (process, is_privileged) = (std::process::id(), false);
        Self::of(Delegation::prepare(Hierarchy {
            root,
            own: own.into(),
            process,
            is_privileged,
            make,
            remove,
        }))
    }

    fn of(delegation: Result<Delegation, NoCgroup>) -> Self {
        Self {
            delegation,
            created: AtomicU64::new(0),
            leftover: Mutex::default(),
        }
    }

    /// Returns why workers have no cgroup.
    pub fn reason(&self) -> Option<NoCgroup> {
        self.delegation.as_ref().err().copied()
    }

    /// Creates a cgroup for a worker, which must join it before any code of its AI runs.
    pub(crate) fn worker(
        self: &Arc<Self>,
        sandbox: &SandboxSettings,
    ) -> Result<WorkerCgroup, NoCgroup> {
        let delegation = self.delegation.as_ref().map_err(|reason| *reason)?;
        self.remove_leftover();
        let number = self.created.fetch_add(1, Ordering::Relaxed);
        let path = delegation.group.join(format!("worker-{number}"));
        let failed = |error: io::Error| {
            tracing::warn!(
                cgroup = %path.display(),
                %error,
                "cannot set up a worker's cgroup"
            );
            NoCgroup::Failed
        };
        delegation.hierarchy.make(&path).map_err(failed)?;
        // If a limit cannot be set, dropping `worker` removes the cgroup.
        let worker = WorkerCgroup {
            cgroups: Arc::clone(self),
            path: path.clone(),
        };
        worker
            .set_limits(sandbox, &delegation.controllers)
            .map_err(failed)?;
        Ok(worker)
    }

    /// Removes all cgroups after the workers have exited. The next server removes any that remain.
    pub fn close(&self) {
        let Ok(delegation) = &self.delegation else {
            return;
        };
        let deadline = Instant::now() + EXIT_TIMEOUT;
        while !(self.remove_leftover() && delegation.remove()) && Instant::now() < deadline {
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Removes leftover cgroups. Returns whether none remain.
    fn remove_leftover(&self) -> bool {
        let Ok(delegation) = &self.delegation else {
            return true;
        };
        let mut leftover = self.leftover.lock().unwrap_or_else(PoisonError::into_inner);
        leftover.retain(|path| !delegation.hierarchy.remove(path));
        leftover.is_empty()
    }

    fn remove(&self, path: PathBuf) {
        if self
            .delegation
            .as_ref()
            .is_ok_and(|delegation| !delegation.hierarchy.remove(&path))
        {
            self.leftover
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(path);
        }
    }
}

/// The cgroup of one worker. Dropping it kills its processes and removes it.
#[derive(Debug)]
pub(crate) struct WorkerCgroup {
    cgroups: Arc<Cgroups>,
    path: PathBuf,
}

impl WorkerCgroup {
    fn set_limits(&self, sandbox: &SandboxSettings, controllers: &[Controller]) -> io::Result<()> {
        for controller in controllers {
            match controller {
                Controller::Cpu => self.write("cpu.weight", WORKER_WEIGHT)?,
                Controller::Memory | Controller::Pids if sandbox.mode == SandboxMode::Off => {}
                Controller::Memory => {
                    self.write("memory.max", memory_max(sandbox))?;
                    // Kernels without swap lack this file.
                    let _ = self.write("memory.swap.max", 0);
                    self.write("memory.oom.group", 1)?;
                }
                Controller::Pids => self.write("pids.max", sandbox.threads + OWN_THREADS)?,
            }
        }
        Ok(())
    }

    /// Moves a process into the cgroup; its future children follow.
    pub(crate) fn add(&self, process: u32) -> io::Result<()> {
        self.write("cgroup.procs", u64::from(process))
    }

    /// Returns which controllers are enforced, and why others are not.
    pub(crate) fn status(&self, sandbox: &SandboxSettings) -> CgroupStatus {
        let Ok(delegation) = &self.cgroups.delegation else {
            return CgroupStatus::none(NoCgroup::NotUsed);
        };
        let is_set = |controller: &&Controller| {
            sandbox.mode != SandboxMode::Off || **controller == Controller::Cpu
        };
        let available = &delegation.controllers;
        CgroupStatus {
            controllers: available.iter().filter(is_set).copied().collect(),
            reason: (available.len() < Controller::VARIANTS.len())
                .then_some(NoCgroup::NoControllers),
        }
    }

    /// Returns whether the kernel has killed processes in the cgroup for exceeding its memory
    /// limit.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        value(&self.path.join("memory.events"), "oom_kill").is_ok_and(|kills| kills > 0)
    }

    /// Returns the processor time counter, if the kernel provides one.
    pub(crate) fn processor_time(&self) -> Option<ProcessorTime> {
        let counter = ProcessorTime(self.path.join("cpu.stat"));
        counter.used().is_ok().then_some(counter)
    }

    fn write(&self, file: &str, value: u64) -> io::Result<()> {
        hierarchy::write(&self.path.join(file), &value.to_string())
    }
}

impl Drop for WorkerCgroup {
    fn drop(&mut self) {
        // Kernels before 5.14 lack the file. The signal to the process group still works.
        let _ = self.write("cgroup.kill", 1);
        self.cgroups.remove(std::mem::take(&mut self.path));
    }
}

/// The processor time of all processes that were ever in a cgroup.
#[derive(Debug)]
pub(crate) struct ProcessorTime(PathBuf);

impl ProcessorTime {
    /// # Errors
    /// The cgroup is removed, or the kernel lacks the counter.
    pub(crate) fn used(&self) -> io::Result<Duration> {
        value(&self.0, "usage_usec").map(Duration::from_micros)
    }
}

/// Returns the value of a key in a file of "key value" lines.
fn value(file: &Path, key: &str) -> io::Result<u64> {
    let text = fs::read_to_string(file)?;
    let value = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(name, _)| *name == key);
    value
        .and_then(|(_, value)| value.trim().parse().ok())
        .ok_or_else(|| io::Error::other(format!("{} has no number for {key}", file.display())))
}

/// Returns the memory limit for all of a worker's processes, including kernel memory.
fn memory_max(sandbox: &SandboxSettings) -> u64 {
    (sandbox.memory_mb << 20) + OWN_MEMORY_BYTES + sandbox.threads * THREAD_MEMORY_BYTES
}
