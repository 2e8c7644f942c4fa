//! A PID namespace for a worker. The worker sees no other process. All processes that its programs
//! leave behind end with the worker, and the worker ends with the server.
//!
//! It takes three processes. The one that the server started stays outside and exits the way the
//! worker does. The first process inside reaps orphans; when it exits, the kernel kills all
//! remaining processes. The third is the worker. The first two never run an AI's code, and an AI
//! can't signal them: one is outside, and the kernel protects the other.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    os::{fd::OwnedFd, unix::process::ExitStatusExt},
    process::{ExitStatus, exit},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    pipe::{PipeFlags, pipe_with},
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, geteuid, getpid, pidfd_open,
        set_parent_process_death_signal, setsid, wait, waitpid,
    },
    thread::{UnshareFlags, set_name, unshare_unsafe},
};

use super::user::unshare_users;

/// The number of processes that a namespace needs in addition to the worker.
pub(super) const REAPERS: u64 = 2;

/// The namespaces of the processes that this one starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespaces {
    Processes,
    /// This process is also in the user namespace.
    ProcessesAndUsers,
}

/// A process that waits for the worker and reaps processes.
pub(crate) enum Reaper {
    /// The process outside the namespace. `status` is a pipe for the worker's exit status.
    Outside { first: Pid, status: File },
    /// The first process inside the namespace.
    First { worker: Pid, status: File },
}

/// Gives future children of this process their own namespaces. Resets the parent-death signal.
pub(super) fn unshare() -> Result<Namespaces, String> {
    let made = if geteuid().is_root() {
        // SAFETY: the flag does not affect descriptors, and this process has one thread.
        unsafe { unshare_unsafe(UnshareFlags::NEWPID) }.map(|()| Namespaces::Processes)
    } else {
        Err(rustix::io::Errno::PERM)
    };
    let with_users =
        |_| unshare_users(UnshareFlags::NEWPID).map(|()| Namespaces::ProcessesAndUsers);
    made.or_else(with_users).map_err(|error| {
        format!(
            "the worker can't enter a PID namespace, which would hide other processes and end \
             those that its programs leave behind ({error}); allow user namespaces (sysctl \
             kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0), or start \
             the server as root with CAP_SYS_ADMIN"
        )
    })
}

/// Splits into three processes in the new namespace. Returns `None` in the worker.
pub(super) fn split() -> Result<Option<Reaper>, String> {
    let outside =
        pidfd_open(getpid(), PidfdFlags::empty()).map_err(failed("watch the worker's parent"))?;
    let (reading, writing) = pipe_with(PipeFlags::CLOEXEC).map_err(failed("create a pipe"))?;
    if let Some(first) = fork().map_err(failed("start the first process of a namespace"))? {
        return Ok(Some(Reaper::Outside {
            first,
            status: reading.into(),
        }));
    }
    drop(reading);
    die_with(&outside);
    drop(outside);
    match fork() {
        Ok(Some(worker)) => Ok(Some(Reaper::First {
            worker,
            status: writing.into(),
        })),
        Ok(None) => {
            drop(writing);
            // Leaves the outer process's process group, so that the AI can't signal it.
            setsid().map_err(failed("start a session"))?;
            Ok(None)
        }
        Err(error) => {
            eprintln!("can't start the worker in its namespace: {error}");
            exit(1)
        }
    }
}

impl Reaper {
    /// Waits for the worker and exits the way it does.
    pub(crate) fn wait(self) -> ! {
        match self {
            Self::Outside { first, status } => wait_outside(first, status),
            Self::First { worker, status } => wait_inside(worker, status),
        }
    }
}

/// Exits the way the worker does, after all processes of the namespace have exited.
fn wait_outside(first: Pid, mut pipe: File) -> ! {
    let _ = set_name(c"rookery-outside");
    let mut status_bytes = [0; 4];
    let read = pipe.read_exact(&mut status_bytes);
    match (read, waitpid(Some(first), WaitOptions::empty())) {
        (Ok(()), _) => exit_as(ExitStatus::from_raw(i32::from_ne_bytes(status_bytes))),
        (Err(_), Ok(Some((_, status)))) => exit_as(ExitStatus::from_raw(status.as_raw())),
        (Err(_), _) => exit(1),
    }
}

/// Reaps processes inside until the worker exits.
fn wait_inside(worker: Pid, mut pipe: File) -> ! {
    let _ = set_name(c"rookery-first");
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((process, status))) if process == worker => {
                let _ = pipe.write_all(&status.as_raw().to_ne_bytes());
                exit(0)
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => exit(1),
        }
    }
}

/// Lets the kernel kill this process, the first of a namespace, when the one outside exits.
fn die_with(outside: &OwnedFd) {
    let tied = set_parent_process_death_signal(Some(Signal::KILL));
    // That process may have exited before the call. Its id would not show that: inside the
    // namespace, it is always 0.
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let ended = poll(&mut [PollFd::new(outside, PollFlags::IN)], Some(&at_once));
    if tied.is_err() || ended != Ok(0) {
        exit(1);
    }
}

fn failed<E: std::fmt::Display>(what: &str) -> impl FnOnce(E) -> String {
    move |error| format!("can't {what}: {error}")
}

/// Returns the id of the new process; `None` in the new process.
fn fork() -> std::io::Result<Option<Pid>> {
    // SAFETY: this process has one thread, so the new process may call every function that this one
    // may.
    match unsafe { libc::fork() } {
        -1 => Err(std::io::Error::last_os_error()),
        number => Ok(Pid::from_raw(number)),
    }
}

/// Exits the way another process has exited.
pub(crate) fn exit_as(status: ExitStatus) -> ! {
    let Some(signal) = status.signal() else {
        exit(status.code().unwrap_or(1))
    };
    // The worker has written the core dump, if there is one.
    let _ = super::limits::forbid_core_dumps();
    // SAFETY: the only handlers here are the standard library's, and this process has no other
    // work.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    exit(128 + signal)
}
