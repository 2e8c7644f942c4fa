//! What gives way when processor time or memory is short: the workers, not the server.

use std::fs;

use rustix::process::{setpriority_process, setsid};

/// A tenth of the weight of a process with the usual niceness of 0.
const NICENESS: i32 = 10;
/// The kernel kills processes with the highest value first.
const OOM_SCORE: &str = "1000";

/// Lowers the priority of this process and of all that it starts. To be called while this process has one thread only.
pub(super) fn lower() -> Result<(), String> {
    setpriority_process(None, NICENESS).map_err(|error| format!("can't be made nicer: {error}"))?;
    fs::write("/proc/self/oom_score_adj", OOM_SCORE)
        .map_err(|error| format!("can't be made the first to be killed when memory is short: {error}"))
}

/// Gives this process a session of its own. Where the kernel groups processes by session
/// (`kernel.sched_autogroup_enabled`), each worker then has the same share of the processor, however many threads it has. The
/// session is also the group that the server kills.
pub(super) fn lead_session() -> Result<(), String> {
    setsid().map(drop).map_err(|error| format!("can't be given a session of its own: {error}"))
}
