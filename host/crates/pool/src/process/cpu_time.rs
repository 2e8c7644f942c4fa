//! The processor time of one worker.

use std::{
    collections::HashMap,
    io,
    time::{Duration, Instant},
};

use rustix::param::clock_ticks_per_second;

use crate::{
    cgroup::ProcessorTime,
    procfs::{ProcessId, ProcessTree},
};

/// How long a process tree stays cached. Finding its processes takes a hundred times as long as
/// reading their clocks, and each job reads them twice.
const SCAN_INTERVAL: Duration = Duration::from_millis(100);

/// The source of a worker's processor time.
#[derive(Debug)]
pub(super) enum CpuTime {
    /// The worker is the process with this id, which cannot start other processes.
    Process(u32),
    /// The worker can start programs.
    Tree(TreeTime),
    /// The kernel counts every process that was ever in the worker's cgroup.
    Cgroup(ProcessorTime),
}

impl CpuTime {
    /// Returns the worker's processor time so far, on all processors. It never decreases.
    ///
    /// # Errors
    /// The kernel does not report it, or the worker has exited.
    pub(super) fn used(&mut self) -> io::Result<Duration> {
        match self {
            Self::Process(process) => process_cpu_time(*process),
            Self::Tree(tree) => tree.used(),
            Self::Cgroup(counter) => counter.used(),
        }
    }

    /// Announces that the worker is starting programs, so that the next measurement looks for new
    /// processes.
    pub(super) fn expect_programs(&mut self) {
        if let Self::Tree(tree) = self {
            tree.scanned_at = None;
        }
    }
}

/// The processor time of a process and its descendants: their clocks, plus the kernel's figures for
/// processes that exited before their clocks were read.
#[derive(Debug)]
pub(super) struct TreeTime {
    tree: ProcessTree,
    scanned_at: Option<Instant>,
    /// The time of each process at the last measurement.
    clocks: HashMap<ProcessId, Duration>,
    /// The total increase of all clocks.
    shown: Duration,
    /// The largest amount by which the tree's time has exceeded that sum.
    missed: Duration,
}

impl TreeTime {
    pub(super) fn new(root: u32) -> Self {
        Self {
            tree: ProcessTree::new(root),
            scanned_at: None,
            clocks: HashMap::new(),
            shown: Duration::ZERO,
            missed: Duration::ZERO,
        }
    }

    fn used(&mut self) -> io::Result<Duration> {
        let is_due = self
            .scanned_at
            .is_none_or(|at| at.elapsed() >= SCAN_INTERVAL);
        let ticks = if is_due { self.scan()? } else { 0 };
        for (process, before) in &mut self.clocks {
            // A process that can't be read has exited, so its time is included in its parent's
            // time.
            let now = process_cpu_time(process.id).unwrap_or(*before);
            self.shown += now.saturating_sub(*before);
            *before = now;
        }
        let of_tree = Duration::from_millis(ticks * 1000 / clock_ticks_per_second());
        self.missed = self.missed.max(of_tree.saturating_sub(self.shown));
        Ok(self.shown + self.missed)
    }

    /// Finds the processes. Returns their total ticks so far.
    fn scan(&mut self) -> io::Result<u64> {
        let ticks = self.tree.ticks()?;
        let before = std::mem::take(&mut self.clocks);
        let clock =
            |process: &ProcessId| (*process, before.get(process).copied().unwrap_or_default());
        self.clocks = self.tree.processes().map(clock).collect();
        self.scanned_at = Some(Instant::now());
        Ok(ticks)
    }
}

/// Returns the processor time of all threads of a process, including exited ones. This takes less
/// than a microsecond, much less than reading `/proc`, and each job does it twice.
fn process_cpu_time(process: u32) -> io::Result<Duration> {
    let (mut clock, mut time) = (
        0,
        libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        },
    );
    // SAFETY: the function writes only the clock's id.
    let error = unsafe { libc::clock_getcpuclockid(process.cast_signed(), &raw mut clock) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    // SAFETY: the function writes only the time.
    if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Ok(Duration::new(
        seconds,
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    ))
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        os::unix::process::CommandExt as _,
        process::{Command, Stdio},
        thread,
    };

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::*;

    #[test]
    fn counts_the_time_of_this_process() {
        let mut time = CpuTime::Tree(TreeTime::new(std::process::id()));
        let before = time.used().unwrap();
        while time.used().unwrap() < before + Duration::from_millis(50) {
            std::hint::black_box(before);
        }
    }

    #[test]
    fn counts_running_and_exited_children() {
        const SPIN: &str = "sh -c 'while :; do :; done'";
        let script = format!("timeout 0.5 {SPIN}; echo; read line; timeout 60 {SPIN}; true");
        let mut command = Command::new("sh");
        command
            .args(["-c", &script])
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut time = TreeTime::new(child.id());
        let before = time.used().unwrap();
        let mut line = [0];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut line)
            .unwrap();
        let exited = time.used().unwrap();
        assert!(
            exited >= before + Duration::from_millis(20),
            "{before:?} {exited:?}"
        );
        child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        while time.used().unwrap() < exited + Duration::from_millis(100) {
            thread::sleep(Duration::from_millis(1));
        }
        kill_process_group(Pid::from_child(&child), Signal::KILL).unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn finds_expected_programs_at_once() {
        const COUNT: &str = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; echo; read line";
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("read line; sh -c '{COUNT}'; true")])
            .process_group(0);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut time = CpuTime::Tree(TreeTime::new(child.id()));
        let before = time.used().unwrap();
        time.expect_programs();
        child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let counted = time.used().unwrap().saturating_sub(before);
        assert!(counted >= Duration::from_millis(5), "{counted:?}");
        kill_process_group(Pid::from_child(&child), Signal::KILL).unwrap();
        child.wait().unwrap();
    }
}
