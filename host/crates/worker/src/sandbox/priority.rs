//! A worker's priority, which is below the server's for processor time and memory.

use std::{fs, io};

use rustix::process::{setpriority_process, setsid};

/// Gives a process a tenth of the weight that the default niceness, 0, gives.
const NICENESS: i32 = 10;
/// When memory runs out, the kernel kills processes with the highest score first.
const OOM_SCORE: &str = "1000";

/// The priority of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// Below the server.
    ///
    /// A batch process does not preempt another when it wakes up. Preemption, together with the
    /// sessions below, costs a busy server 6 % of its throughput.
    Low,
    /// Below all other processes.
    Idle,
}

impl Priority {
    const fn policy(self) -> libc::c_int {
        match self {
            Self::Low => libc::SCHED_BATCH,
            Self::Idle => libc::SCHED_IDLE,
        }
    }
}

/// Lowers the priority of this process and everything it starts. Requires a single thread.
pub(super) fn lower(to: Priority) -> Result<(), String> {
    setpriority_process(None, NICENESS)
        .map_err(|error| format!("can't raise its niceness: {error}"))?;
    schedule(to).map_err(|error| format!("can't set its scheduling policy: {error}"))?;
    fs::write("/proc/self/oom_score_adj", OOM_SCORE)
        .map_err(|error| format!("can't raise its OOM score: {error}"))
}

fn schedule(priority: Priority) -> io::Result<()> {
    // SAFETY: zeros are valid parameters, and the kernel reads only these.
    let status = unsafe { libc::sched_setscheduler(0, priority.policy(), &std::mem::zeroed()) };
    if status == -1 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// Gives this process its own session. Where the kernel groups processes by session
/// (`kernel.sched_autogroup_enabled`), each worker then gets the same share of the processor,
/// however many threads it has. The session is also the group that the server kills.
pub(super) fn lead_session() -> Result<(), String> {
    setsid()
        .map(drop)
        .map_err(|error| format!("can't start a session: {error}"))
}
