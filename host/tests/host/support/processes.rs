//! Processes as the kernel tells of them.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Long enough for anything that happens at all, on a machine that has much else to do.
const DEADLINE: Duration = Duration::from_secs(20);

/// Waits until something is true.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !is_true() {
        assert!(Instant::now() < deadline, "{what}: not within {DEADLINE:?}");
        // What is waited for may need the processor more.
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

/// The processes that this one has started and that have not been reaped.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let numbers = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    numbers.filter(|&process| stat(process).is_some_and(|(_, [of, ..])| of == parent)).collect()
}

/// Whether a process still runs. One that nobody has reaped does not.
pub(crate) fn is_running(process: u32) -> bool {
    stat(process).is_some_and(|(state, _)| state != 'Z' && state != 'X')
}

pub(crate) fn kill(process: u32, signal: Signal) {
    kill_process(Pid::from_raw(process.cast_signed()).unwrap(), signal).unwrap();
}

/// The state of a process; and its parent, group and session, 0 for one outside of this namespace of processes.
pub(crate) fn stat(process: u32) -> Option<(char, [u32; 3])> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before may hold anything, parentheses too.
    let mut fields = stat.rsplit(')').next()?.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let mut numbers = fields.map_while(|field| field.parse().ok());
    Some((state, [numbers.next()?, numbers.next()?, numbers.next()?]))
}
