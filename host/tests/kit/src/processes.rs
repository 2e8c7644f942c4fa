//! Processes, read from `/proc`.

use std::{
    collections::VecDeque,
    fs,
    time::{Duration, Instant},
};

use rustix::{
    io::Errno,
    process::{Pid, Signal, kill_process},
};

/// The longest wait, even on a loaded machine.
const DEADLINE: Duration = Duration::from_secs(20);

/// Waits until a condition is true.
#[track_caller]
pub fn wait_until(what: &str, mut is_true: impl FnMut() -> bool) {
    let became_true = poll(DEADLINE, || is_true().then_some(()));
    assert!(became_true.is_some(), "{what}: not within {DEADLINE:?}");
}

/// Polls until `look` returns a value.
pub fn poll<T>(within: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + within;
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if Instant::now() > deadline {
            return None;
        }
        // Lets other threads use the processor.
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

/// Returns the ids of all processes.
pub fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").unwrap();
    entries.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok())
}

/// Returns the children of a process that have not been reaped.
pub fn children(parent: u32) -> Vec<u32> {
    let is_child = |process: &u32| parent_of(*process) == Some(parent);
    all().filter(is_child).collect()
}

/// Returns the descendants of a process that have not been reaped.
pub fn descendants(process: u32) -> Vec<u32> {
    let parents: Vec<_> = all().map(|child| (child, parent_of(child))).collect();
    let (mut found, mut queue) = (Vec::new(), VecDeque::from([process]));
    while let Some(parent) = queue.pop_front() {
        let of_parent = parents.iter().filter(|(_, of)| *of == Some(parent));
        let children: Vec<_> = of_parent.map(|(child, _)| *child).collect();
        queue.extend(&children);
        found.extend(children);
    }
    found
}

fn parent_of(process: u32) -> Option<u32> {
    stat(process)?.get(1)?.parse().ok()
}

/// Returns whether a process is running. A zombie is not.
pub fn is_running(process: u32) -> bool {
    stat(process).is_some_and(|fields| fields[0] != "Z" && fields[0] != "X")
}

/// Returns whether a process is a worker, not a process that waits for one.
pub fn is_worker(process: u32) -> bool {
    fs::read_to_string(format!("/proc/{process}/comm")).is_ok_and(|name| name == "rookery-worker\n")
}

/// Sends a signal to a running process.
#[track_caller]
pub fn kill(process: u32, signal: Signal) {
    assert!(kill_if_running(process, signal), "no process {process}");
}

/// Sends a signal to a process that may have ended. Returns whether it was still running.
pub fn kill_if_running(process: u32, signal: Signal) -> bool {
    match kill_process(Pid::from_raw(process.cast_signed()).unwrap(), signal) {
        Err(Errno::SRCH) => false,
        killed => killed.map(|()| true).unwrap(),
    }
}

/// Returns the words of the command that started a process, or none if the process has ended.
pub fn command_line(process: u32) -> Vec<String> {
    let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    words
        .split(|&byte| byte == 0)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

/// Returns a field of `/proc/PROCESS/status`.
pub fn status(process: u32, name: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let mut lines = status.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(value.trim().to_owned())
}

/// Returns a field of `/proc/PROCESS/status` in kB, or 0 if the process has ended.
pub fn status_kb(process: u32, name: &str) -> u64 {
    let value = status(process, name).unwrap_or_default();
    value.trim_end_matches(" kB").parse().unwrap_or_default()
}

/// Returns the fields of `/proc/PROCESS/stat` after the name: state, parent, group, session. The id
/// of a process outside this PID namespace is 0.
pub fn stat(process: u32) -> Option<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name may contain parentheses.
    let (_, fields) = stat.rsplit_once(')')?;
    Some(fields.split_whitespace().map(str::to_owned).collect())
}

/// Returns processor times in kernel ticks: in user mode and in the kernel, each for a process and
/// for its reaped children.
pub fn ticks(process: u32) -> Option<[u64; 4]> {
    let fields = stat(process)?;
    let times = fields.get(11..15)?.iter().map(|ticks| ticks.parse().ok());
    times.collect::<Option<Vec<_>>>()?.try_into().ok()
}

/// Returns the processor time that a process, its threads and its reaped children have used.
pub fn computed(process: u32) -> Duration {
    let ticks: u64 = ticks(process).unwrap_or_default().iter().sum();
    Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second())
}

/// Returns the soft and the hard limit from `/proc/PROCESS/limits`.
pub fn limit(process: u32, name: &str) -> [String; 2] {
    let limits = fs::read_to_string(format!("/proc/{process}/limits")).unwrap();
    let limit = limits.lines().find_map(|line| line.strip_prefix(name));
    let limit = limit.unwrap_or_else(|| panic!("no {name} in {limits}"));
    let mut values = limit.split_whitespace().map(str::to_owned);
    [values.next().unwrap(), values.next().unwrap()]
}

/// Returns the number of open descriptors of a process.
pub fn open_files(process: u32) -> usize {
    fs::read_dir(format!("/proc/{process}/fd")).unwrap().count()
}
