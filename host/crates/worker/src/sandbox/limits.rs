//! The resource limits of the process.

use std::{fs, thread};

use rustix::{
    param::page_size,
    process::{DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit},
};

/// Enough for nets, tables and pipes, yet few compared with a server's limit.
const OPEN_FILES: u64 = 256;
/// Each pending signal and each timer uses kernel memory.
const PENDING_SIGNALS: u64 = 256;
/// The main thread and the listener.
const OWN_THREADS: u64 = 2;

/// Forbids core dumps of this process and of the programs that it starts. A program in
/// `core_pattern` gets them whatever the limit is, unless the limit is 1 byte: then the kernel
/// refuses any dump.
pub(super) fn forbid_core_dumps() -> Result<(), String> {
    limit(Resource::Core, 1, "core dumps")
}

/// Keeps other processes of this user from tracing this one or reading its memory.
pub(super) fn forbid_tracing() -> Result<(), String> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| format!("can't forbid core dumps and tracing: {error}"))
}

pub(super) fn limit_open_files() -> Result<(), String> {
    limit(Resource::Nofile, OPEN_FILES, "open files")
}

/// Limits the growth of the address space from now on, and the number of pending signals.
pub(super) fn limit_address_space(bytes: u64) -> Result<(), String> {
    let sizes = fs::read_to_string("/proc/self/statm");
    let sizes = sizes.map_err(|error| format!("can't read the worker's memory size: {error}"))?;
    let pages: Option<u64> = sizes.split(' ').next().and_then(|pages| pages.parse().ok());
    let pages =
        pages.ok_or("can't read the worker's memory size: /proc/self/statm is malformed")?;
    limit(Resource::Sigpending, PENDING_SIGNALS, "pending signals")?;
    limit(Resource::As, pages * page_size() as u64 + bytes, "memory")
}

/// Limits the AI's threads, and checks that the kernel enforces the limit. The user must have only
/// this process and `others`. The AI's programs belong to the same user, so their threads count.
pub(super) fn limit_threads(threads: u64, others: u64) -> Result<(), String> {
    let max = threads + OWN_THREADS + others;
    limit_now(Resource::Nproc, 1, max, "threads")?;
    let one_too_many = thread::Builder::new().stack_size(1 << 16).spawn(|| ());
    limit(Resource::Nproc, max, "threads")?;
    match one_too_many {
        Err(_) => Ok(()),
        Ok(thread) => {
            let _ = thread.join();
            Err(
                "the kernel does not limit this user's threads; start the server as a user \
                 other than root, or as root with the right to change users (CAP_SETUID)"
                    .into(),
            )
        }
    }
}

fn limit(resource: Resource, most: u64, name: &str) -> Result<(), String> {
    limit_now(resource, most, most, name)
}

/// Sets a soft limit, with `most` as the hard limit.
fn limit_now(resource: Resource, now: u64, most: u64, name: &str) -> Result<(), String> {
    // The inherited limit may be lower.
    let most = getrlimit(resource)
        .maximum
        .map_or(most, |given| given.min(most));
    let limits = Rlimit {
        current: Some(now.min(most)),
        maximum: Some(most),
    };
    setrlimit(resource, limits).map_err(|error| format!("can't limit {name}: {error}"))
}
