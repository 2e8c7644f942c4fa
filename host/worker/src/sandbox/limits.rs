//! How much of the machine the process may use.

use std::{fs, thread};

use rustix::{
    param::page_size,
    process::{Resource, Rlimit, getrlimit, setrlimit},
};

/// Far more than weights and pipes need, and little beside what a server has.
const OPEN_FILES: u64 = 256;
/// Each signal that waits, and each timer, takes memory of the kernel.
const PENDING_SIGNALS: u64 = 256;
/// The thread that asks the AI and the one that listens to the host.
const OWN_THREADS: u64 = 2;

pub(super) fn forbid_core_dumps() -> Result<(), String> {
    limit(Resource::Core, 0, "core dumps")
}

pub(super) fn limit_open_files() -> Result<(), String> {
    limit(Resource::Nofile, OPEN_FILES, "open files")
}

/// Allows this much address space beyond what the process has now, and little of the kernel's memory for signals.
pub(super) fn limit_memory(memory_mb: u64) -> Result<(), String> {
    let sizes = fs::read_to_string("/proc/self/statm");
    let sizes = sizes.map_err(|error| format!("can't read how much memory the worker has: {error}"))?;
    let pages: Option<u64> = sizes.split(' ').next().and_then(|pages| pages.parse().ok());
    let pages =
        pages.ok_or("can't tell how much memory the worker has: /proc/self/statm is not as expected")?;
    limit(Resource::Sigpending, PENDING_SIGNALS, "signals that wait")?;
    limit(Resource::As, pages * page_size() as u64 + (memory_mb << 20), "memory")
}

/// Allows the AI this many threads, and sees whether the kernel means it. The user must have but this process and as many
/// `others`. What the AI starts is of the same user, so its threads count too.
pub(super) fn limit_threads(threads: u64, others: u64) -> Result<(), String> {
    let most = threads + OWN_THREADS + others;
    limit_now(Resource::Nproc, 1, most, "threads")?;
    let one_too_many = thread::Builder::new().stack_size(1 << 16).spawn(|| ());
    limit(Resource::Nproc, most, "threads")?;
    match one_too_many {
        Err(_) => Ok(()),
        Ok(thread) => {
            let _ = thread.join();
            Err("the kernel does not hold this user to a number of threads; start the server as another user than \
                 root, or as root with the right to change users (CAP_SETUID)"
                .into())
        }
    }
}

fn limit(resource: Resource, most: u64, name: &str) -> Result<(), String> {
    limit_now(resource, most, most, name)
}

/// Sets a limit that the process could still raise to `most`, but not beyond.
fn limit_now(resource: Resource, now: u64, most: u64, name: &str) -> Result<(), String> {
    // What this process was given may be less already.
    let most = getrlimit(resource).maximum.map_or(most, |given| given.min(most));
    let limits = Rlimit { current: Some(now.min(most)), maximum: Some(most) };
    setrlimit(resource, limits).map_err(|error| format!("can't limit {name}: {error}"))
}
