//! How many clients the server can hold at a time.

use std::{num::NonZero, thread::available_parallelism};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than this a thread does not hold, whatever the machine allows.
const MOST_CONNECTIONS: usize = 25_000;

/// The threads that serve, and what each of them holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Capacity {
    pub(super) threads: usize,
    /// Further ones wait until the kernel is asked for them: they do not take what workers, libraries and logs need.
    pub(super) connections_each: usize,
}

impl Capacity {
    /// Has the process open as many files as it may, and sees how many that are.
    pub(super) fn of_this_process() -> Self {
        let given = getrlimit(Resource::Nofile);
        // What is usual is meant for programs that can't count far.
        let raised = setrlimit(Resource::Nofile, Rlimit { current: given.maximum, ..given });
        if let Err(error) = raised {
            tracing::warn!(%error, "the limit to open files can't be raised to what is allowed");
        }
        let threads = available_parallelism().map_or(1, NonZero::get);
        Self::of(getrlimit(Resource::Nofile).current, threads)
    }

    fn of(files: Option<u64>, threads: usize) -> Self {
        let files = files.and_then(|files| usize::try_from(files).ok()).unwrap_or(usize::MAX);
        let connections_each = (files / 4 * 3 / threads).clamp(1, MOST_CONNECTIONS);
        Self { threads, connections_each }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_a_quarter_of_the_files_to_others() {
        let each = |files, threads| Capacity::of(files, threads).connections_each;
        assert_eq!(each(Some(1024), 2), 384);
        assert_eq!(each(Some(4), 8), 1);
        assert_eq!(each(Some(1 << 20), 4), MOST_CONNECTIONS);
        assert_eq!(each(None, 1), MOST_CONNECTIONS);
    }
}
