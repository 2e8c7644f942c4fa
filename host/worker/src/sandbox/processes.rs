//! A namespace of processes for a worker whose AI may start programs: whatever they start and leave behind ends with the
//! worker, and the worker with the server.
//!
//! Three processes make it. The one that the server started stays outside and ends as the worker ends. The first one
//! inside reaps what others leave behind; when it ends, the kernel kills all that is left. The third is the worker. None of
//! the first two ever runs code of an AI, nor can one signal them: they are outside, or what the kernel protects.

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
        Pid, PidfdFlags, Signal, WaitOptions, geteuid, getpid, pidfd_open, set_parent_process_death_signal,
        setsid, wait, waitpid,
    },
    thread::{UnshareFlags, set_name, unshare_unsafe},
};

use super::user::unshare_users;

/// How many processes a namespace needs beside the worker.
pub(super) const WAITING: u64 = 2;

/// What the processes that this one starts have of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Namespaces {
    /// Their numbers.
    Processes,
    /// Their users too, as this process has now.
    ProcessesAndUsers,
}

/// A process that the worker's namespace needs beside the worker.
pub(crate) enum Waiting {
    /// Outside, for the first one inside; `ending` tells how the worker ended.
    Outside { first: Pid, ending: File },
    /// The first one inside, for whatever ends there.
    First { worker: Pid, ending: File },
}

/// Lets what this process starts have namespaces of its own. It unties this process's life from the server's.
pub(super) fn unshare() -> Result<Namespaces, String> {
    let made = if geteuid().is_root() {
        // SAFETY: it is not about descriptors, and this process has one thread.
        unsafe { unshare_unsafe(UnshareFlags::NEWPID) }.map(|()| Namespaces::Processes)
    } else {
        Err(rustix::io::Errno::PERM)
    };
    let with_users = |_| unshare_users(UnshareFlags::NEWPID).map(|()| Namespaces::ProcessesAndUsers);
    made.or_else(with_users).map_err(|error| {
        format!(
            "the worker can't be given a namespace of processes, which would end what its programs leave behind \
             ({error}); allow namespaces of users (sysctl kernel.unprivileged_userns_clone=1 and \
             user.max_user_namespaces above 0), or start the server as root with CAP_SYS_ADMIN"
        )
    })
}

/// Becomes three processes, in the namespace that was made for what this process starts. Nothing comes back in the worker.
pub(super) fn divide() -> Result<Option<Waiting>, String> {
    let outside = pidfd_open(getpid(), PidfdFlags::empty()).map_err(failed("watch the worker's parent"))?;
    let (reading, writing) = pipe_with(PipeFlags::CLOEXEC).map_err(failed("make a pipe"))?;
    if let Some(first) = fork().map_err(failed("start the first process of a namespace"))? {
        return Ok(Some(Waiting::Outside { first, ending: reading.into() }));
    }
    drop(reading);
    die_with(&outside);
    drop(outside);
    match fork() {
        Ok(Some(worker)) => Ok(Some(Waiting::First { worker, ending: writing.into() })),
        Ok(None) => {
            drop(writing);
            // Away from the group of the process outside, which signals would find.
            setsid().map_err(failed("lead a session"))?;
            Ok(None)
        }
        Err(error) => {
            eprintln!("can't start the worker in its namespace: {error}");
            exit(1)
        }
    }
}

impl Waiting {
    /// Waits for the worker, and ends as it ends.
    pub(crate) fn wait(self) -> ! {
        match self {
            Self::Outside { first, ending } => wait_outside(first, ending),
            Self::First { worker, ending } => wait_inside(worker, ending),
        }
    }
}

/// Ends as the worker ends, once nothing is left of the namespace.
fn wait_outside(first: Pid, mut ending: File) -> ! {
    let _ = set_name(c"rookery-outside");
    let mut status = [0; 4];
    let told = ending.read_exact(&mut status);
    match (told, waitpid(Some(first), WaitOptions::empty())) {
        (Ok(()), _) => end_as(ExitStatus::from_raw(i32::from_ne_bytes(status))),
        (Err(_), Ok(Some((_, status)))) => end_as(ExitStatus::from_raw(status.as_raw())),
        (Err(_), _) => exit(1),
    }
}

/// Reaps what ends inside, until the worker does.
fn wait_inside(worker: Pid, mut ending: File) -> ! {
    let _ = set_name(c"rookery-first");
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((process, status))) if process == worker => {
                let _ = ending.write_all(&status.as_raw().to_ne_bytes());
                exit(0)
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => exit(1),
        }
    }
}

/// Lets the kernel kill this process, the first of a namespace, when the one outside ends.
fn die_with(outside: &OwnedFd) {
    let tied = set_parent_process_death_signal(Some(Signal::KILL));
    // It may have ended before the tie was made; seen from inside, its number is always 0.
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let ended = poll(&mut [PollFd::new(outside, PollFlags::IN)], Some(&at_once));
    if tied.is_err() || ended != Ok(0) {
        exit(1);
    }
}

fn failed<E: std::fmt::Display>(what: &str) -> impl FnOnce(E) -> String {
    move |error| format!("can't {what}: {error}")
}

/// The number of the new process, or nothing in the new process.
fn fork() -> std::io::Result<Option<Pid>> {
    // SAFETY: this process has one thread, so the new one may do whatever this one may.
    match unsafe { libc::fork() } {
        -1 => Err(std::io::Error::last_os_error()),
        number => Ok(Pid::from_raw(number)),
    }
}

fn end_as(status: ExitStatus) -> ! {
    let Some(signal) = status.signal() else { exit(status.code().unwrap_or(1)) };
    // One core dump is enough, if there shall be any.
    let _ = super::limits::forbid_core_dumps();
    // SAFETY: the only handlers here are those of the standard library, and this process has nothing else to do.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    exit(128 + signal)
}
