//! Cgroups (version 2): each worker gets its own, where the server may make them. They count what limits of a process do
//! not: kernel memory, all processes together, processor time of processes that have ended. The other limits stay.
//!
//! Interface: <https://docs.kernel.org/admin-guide/cgroup-v2.html>.

mod hierarchy;
mod place;
#[cfg(test)]
mod tests;

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use self::{hierarchy::Hierarchy, place::Place};
use protocol::{SandboxMode, SandboxSettings};

/// Memory of the worker itself, the kernel's included.
const OWN_MEMORY_BYTES: u64 = 32 << 20;
/// Memory that the kernel needs for a thread: its stack and its descriptors.
const MEMORY_OF_THREAD_BYTES: u64 = 64 << 10;
/// Threads of the worker itself, and the processes that it is divided into if its AI may start programs. More than the
/// limit of the user's processes leaves, which therefore applies first.
const OWN_THREADS: u64 = 8;
/// The default of the kernel: workers share the processor equally, whatever threads they have.
const WORKER_WEIGHT: u64 = 100;
/// How long killed processes may take to leave a cgroup when the server ends.
const LEAVING: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A kind of resource that cgroups bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controller {
    /// The processor.
    Cpu,
    /// Memory.
    Memory,
    /// Processes and threads.
    Pids,
}

impl Controller {
    /// Every controller that is used.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Memory, Self::Pids];

    /// The name that the kernel gives it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Pids => "pids",
        }
    }
}

/// Why workers have no cgroup, or not all controllers. The texts name no path: clients see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCgroup {
    /// By choice.
    #[error("this command does not use cgroups")]
    NotUsed,
    /// An older system.
    #[error("cgroup v2 is not mounted")]
    NotMounted,
    /// The kernel allows no cgroups below one with processes.
    #[error(
        "the server shares its cgroup with other processes; run it as a systemd service with Delegate=yes"
    )]
    Shared,
    /// No right to do so.
    #[error("the server may not make cgroups; run it as a systemd service with Delegate=yes")]
    NotWritable,
    /// Some controllers are not there.
    #[error("not every controller of cgroup v2 is available to the server (cpu, memory, pids)")]
    NoControllers,
    /// The cgroup of this worker could not be made.
    #[error("the cgroup of the worker could not be set up; see the log")]
    Failed,
}

/// What cgroups enforce for the workers of an AI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CgroupStatus {
    /// The controllers in force.
    pub controllers: Vec<Controller>,
    /// Why not all are.
    pub reason: Option<NoCgroup>,
}

impl CgroupStatus {
    pub(super) fn none(reason: NoCgroup) -> Self {
        Self { controllers: Vec::new(), reason: Some(reason) }
    }
}

impl fmt::Display for CgroupStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.controllers.iter().map(|controller| controller.name()).collect();
        f.write_str(if names.is_empty() { "not used" } else { "" })?;
        f.write_str(&names.join(", "))?;
        self.reason.map_or(Ok(()), |reason| write!(f, " ({reason})"))
    }
}

/// The cgroups of the workers of this process.
#[derive(Debug)]
pub struct Cgroups {
    place: Result<Place, NoCgroup>,
    made: AtomicU64,
    /// Cgroups that were left while processes in them were still ending.
    leftover: Mutex<Vec<PathBuf>>,
}

impl Cgroups {
    /// Workers get none.
    pub fn unused() -> Self {
        Self::of(Err(NoCgroup::NotUsed))
    }

    /// Prepares the cgroup of this process for those of its workers, if that is possible.
    pub fn of_this_process() -> Self {
        Self::of(Hierarchy::of_this_process().and_then(Place::prepare))
    }

    /// As for this process, in a folder that stands for the mounted hierarchy.
    #[doc(hidden)]
    pub fn in_folder(
        root: PathBuf,
        own: &str,
        make: fn(&Path) -> io::Result<()>,
        remove: fn(&Path) -> io::Result<()>,
    ) -> Self {
        let (process, is_privileged) = (std::process::id(), false);
        Self::of(Place::prepare(Hierarchy { root, own: own.into(), process, is_privileged, make, remove }))
    }

    fn of(place: Result<Place, NoCgroup>) -> Self {
        Self { place, made: AtomicU64::new(0), leftover: Mutex::default() }
    }

    /// Why workers have no cgroup, if they have none.
    pub fn reason(&self) -> Option<NoCgroup> {
        self.place.as_ref().err().copied()
    }

    /// Makes a cgroup for a worker, which is to be added to it before any code of its AI runs.
    ///
    /// # Errors
    /// There can be none.
    pub(super) fn worker(self: &Arc<Self>, sandbox: &SandboxSettings) -> Result<WorkerCgroup, NoCgroup> {
        let place = self.place.as_ref().map_err(|reason| *reason)?;
        self.remove_leftover();
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let path = place.group().join(format!("worker-{number}"));
        let failed = |error: io::Error| {
            tracing::warn!(cgroup = %path.display(), %error, "cannot set up the cgroup of a worker");
            NoCgroup::Failed
        };
        place.hierarchy().make(&path).map_err(failed)?;
        // Dropping it removes the cgroup.
        let worker = WorkerCgroup { cgroups: Arc::clone(self), path: path.clone() };
        worker.set_limits(sandbox, place.controllers()).map_err(failed)?;
        Ok(worker)
    }

    /// Removes all that was made, once the workers have ended. What is left after a while is removed by the next server.
    pub fn close(&self) {
        let Ok(place) = &self.place else { return };
        let deadline = Instant::now() + LEAVING;
        while !(self.remove_leftover() && place.remove()) && Instant::now() < deadline {
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Returns whether none is left.
    fn remove_leftover(&self) -> bool {
        let Ok(place) = &self.place else { return true };
        let mut leftover = self.leftover.lock().unwrap_or_else(PoisonError::into_inner);
        leftover.retain(|path| !place.hierarchy().is_removed(path));
        leftover.is_empty()
    }

    fn remove(&self, path: PathBuf) {
        if self.place.as_ref().is_ok_and(|place| !place.hierarchy().is_removed(&path)) {
            self.leftover.lock().unwrap_or_else(PoisonError::into_inner).push(path);
        }
    }
}

/// The cgroup of one worker. Dropping it kills what is in it and removes it.
#[derive(Debug)]
pub(super) struct WorkerCgroup {
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
                    // The file is absent from kernels without swap.
                    let _ = self.write("memory.swap.max", 0);
                    self.write("memory.oom.group", 1)?;
                }
                Controller::Pids => self.write("pids.max", sandbox.threads + OWN_THREADS)?,
            }
        }
        Ok(())
    }

    /// Moves a process in, with what it starts from now on.
    ///
    /// # Errors
    /// The kernel refuses.
    pub(super) fn add(&self, process: u32) -> io::Result<()> {
        self.write("cgroup.procs", u64::from(process))
    }

    /// The controllers whose limits are set.
    pub(super) fn status(&self, sandbox: &SandboxSettings) -> CgroupStatus {
        let Ok(place) = &self.cgroups.place else { return CgroupStatus::none(NoCgroup::NotUsed) };
        let is_set =
            |controller: &&Controller| sandbox.mode != SandboxMode::Off || **controller == Controller::Cpu;
        let reason = (place.controllers().len() < Controller::ALL.len()).then_some(NoCgroup::NoControllers);
        CgroupStatus { controllers: place.controllers().iter().filter(is_set).copied().collect(), reason }
    }

    /// Kills every process in it at once.
    pub(super) fn kill(&self) {
        // Kernels before 5.14 do not have it; the signal to the process group remains.
        let _ = self.write("cgroup.kill", 1);
    }

    /// Whether the kernel has killed processes in it because they needed more memory than they may have.
    pub(super) fn is_out_of_memory(&self) -> bool {
        value(&self.path.join("memory.events"), "oom_kill").is_ok_and(|kills| kills > 0)
    }

    /// Returns the counter of the processor time, if the kernel has it.
    pub(super) fn processor_time(&self) -> Option<ProcessorTime> {
        let counter = ProcessorTime(self.path.join("cpu.stat"));
        counter.used().is_ok().then_some(counter)
    }

    fn write(&self, file: &str, value: u64) -> io::Result<()> {
        hierarchy::write(&self.path.join(file), &value.to_string())
    }
}

impl Drop for WorkerCgroup {
    fn drop(&mut self) {
        self.kill();
        self.cgroups.remove(std::mem::take(&mut self.path));
    }
}

/// The processor time of all processes that were ever in a cgroup.
#[derive(Debug)]
pub(super) struct ProcessorTime(PathBuf);

impl ProcessorTime {
    /// # Errors
    /// The cgroup is gone, or the kernel does not count.
    pub(super) fn used(&self) -> io::Result<Duration> {
        value(&self.0, "usage_usec").map(Duration::from_micros)
    }
}

/// Returns the value of a key in a file of lines "key value".
fn value(file: &Path, key: &str) -> io::Result<u64> {
    let text = hierarchy::read(file)?;
    let value = text.lines().filter_map(|line| line.split_once(' ')).find(|(name, _)| *name == key);
    value
        .and_then(|(_, value)| value.trim().parse().ok())
        .ok_or_else(|| io::Error::other(format!("{} has no number for {key}", file.display())))
}

/// What the worker's processes may hold together, the kernel's memory for them included.
fn memory_max(sandbox: &SandboxSettings) -> u64 {
    (sandbox.memory_mb << 20) + OWN_MEMORY_BYTES + sandbox.threads * MEMORY_OF_THREAD_BYTES
}
