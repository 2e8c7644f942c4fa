//! Processes, read from `/proc`.

use std::time::{Duration, Instant};

use rustix::{
    io::Errno,
    process::{Pid, Signal, kill_process},
};

/// Long enough for a loaded machine.
const DEADLINE: Duration = Duration::from_secs(20);

/// Waits until a condition is true.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !is_true() {
        assert!(Instant::now() < deadline, "{what}: not within {DEADLINE:?}");
        // Leaves the processor to other threads.
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

/// The children of a process that have not been reaped.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let numbers = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    numbers
        .filter(|&process| stat(process).is_some_and(|(_, [of, ..])| of == parent))
        .collect()
}

/// Returns whether a process is running. A zombie is not.
pub(crate) fn is_running(process: u32) -> bool {
    stat(process).is_some_and(|(state, _)| state != 'Z' && state != 'X')
}

pub(crate) fn kill(process: u32, signal: Signal) {
    assert!(kill_if_there(process, signal), "no process {process}");
}

/// Kills a process that may have ended meanwhile. Returns whether it was there.
pub(crate) fn kill_if_there(process: u32, signal: Signal) -> bool {
    match kill_process(Pid::from_raw(process.cast_signed()).unwrap(), signal) {
        Err(Errno::SRCH) => false,
        killed => killed.map(|()| true).unwrap(),
    }
}

/// A field of `/proc/PROCESS/status` in kB; 0 after the end of the process.
pub(crate) fn status_kb(process: u32, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or_default()
}

/// The state of a process, with parent, group and session; 0 is outside of this PID namespace.
pub(crate) fn stat(process: u32) -> Option<(char, [u32; 3])> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name may contain parentheses.
    let mut fields = stat.rsplit(')').next()?.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let mut numbers = fields.map_while(|field| field.parse().ok());
    Some((state, [numbers.next()?, numbers.next()?, numbers.next()?]))
}
