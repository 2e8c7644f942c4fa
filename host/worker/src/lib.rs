//! The worker: a process that loads one AI and asks it what the host wants to know.
//!
//! It is the same binary as the server, called as `rookery worker`, with its end of a private socket as standard input, over
//! which it gets the sealed copy of the library.

mod loading;
mod outgoing;
mod sandbox;
mod event_loop;

use std::{
    fs::File,
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::net::UnixStream,
    },
    path::PathBuf,
};

use ai_api::{Flag, GrantTable, Grants, Host, SearchInfo};
use libc::STDERR_FILENO;
use rustix::{
    fs::{Mode, OFlags, open},
    io::{DupFlags, Errno, dup3, fcntl_dupfd_cloexec},
    net::{AddressFamily, sockopt::socket_domain},
    process::{Pid, Signal, getppid, set_parent_process_death_signal},
    stdio::{dup2_stdin, stdin},
    thread::set_name,
};

use self::sandbox::Sandbox;
use protocol::{Reply, Request, descriptor, read_frame, write_frame};

static NEVER: Flag = Flag::new(false);

/// Why a process can't run as a worker.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// It was not started by the server.
    #[error(
        "'rookery worker' is started by the server, with a socket and a library; run 'rookery serve' instead"
    )]
    NotStartedByHost,
    /// The socket failed.
    #[error("the socket to the server failed")]
    Socket(#[from] protocol::FrameError),
    /// A system call failed.
    #[error("the operating system refused to {0}")]
    System(&'static str, #[source] std::io::Error),
}

/// Runs until the host closes the socket.
///
/// # Errors
/// The process was not started as a worker, or the socket failed.
pub fn run(parent: u32) -> Result<(), WorkerError> {
    close_inherited();
    let mut socket = UnixStream::from(socket()?);
    let library =
        descriptor::receive(&socket).map_err(|error| WorkerError::System("receive the library", error))?;
    let library = reopened(library.ok_or(WorkerError::NotStartedByHost)?)?;
    die_with(parent)?;
    // Shown by `ps` and `top`.
    set_name(c"rookery-worker").map_err(|error| WorkerError::System("name the process", error.into()))?;
    let Request::Load(settings, options) = read_frame(&mut socket)? else {
        return Err(WorkerError::NotStartedByHost);
    };
    let grants = Grants {
        threads: settings.threads.try_into().unwrap_or(u32::MAX),
        memory_mb: Some(settings.memory_mb),
        paths: settings.read.iter().map(PathBuf::as_path).collect(),
    };
    let grants = GrantTable::new(&grants);
    let mut sandbox = Sandbox::new(settings);
    sandbox.lower_priority();
    if let Some(waiting) = sandbox.enter_pid_namespace(|| die_with(parent))? {
        drop((socket, library));
        waiting.wait();
    }
    let process = own_number()?;
    sandbox.give_up_rights(library.as_raw_fd());
    // With the rights went the tie. What is in a namespace ends with that.
    if !sandbox.is_separate() {
        die_with(parent)?;
    }
    sandbox.restrict();
    let needed = loading::open_needed(&library);
    let path = sandbox.restrict_after_load(library.as_raw_fd());
    // Before the library is loaded, so that its constructors are restricted too.
    match sandbox.finish() {
        Ok(confined) => write_frame(&mut socket, &Reply::Confined(confined, process))?,
        Err(refusal) => return Ok(write_frame(&mut socket, &Reply::Refused(refusal))?),
    }
    let replies = socket.try_clone().map_err(|error| WorkerError::System("share the socket", error))?;
    outgoing::open(replies);
    let opened = loading::open(&path, &needed);
    let loaded = opened.and_then(|opened| loading::load(&path, &opened, &options, &grants));
    drop(library);
    event_loop::serve(socket, loaded, &grants)
}

/// Calls a function with a host that never stops and ignores reports.
fn with_idle_host<T>(grants: &GrantTable, work: impl FnOnce(&Host<'_>) -> T) -> T {
    let host = Host::new(&rules::RULES, &NEVER, &|_: &SearchInfo<'_>| ());
    work(&host.with_grants(grants).with_extensions(outgoing::extension))
}

/// The id of this process in the PID namespace of the server, whose `/proc` this process sees.
fn own_number() -> Result<u32, WorkerError> {
    let unknown = |error| WorkerError::System("say which process this is", error);
    let number = std::fs::read_link("/proc/self").map_err(unknown)?;
    let number = number.to_str().and_then(|number| number.parse().ok());
    number.ok_or_else(|| unknown(std::io::Error::other("/proc/self is not as expected")))
}

/// The end of the host's socket that this process has as its standard input, which is nothing from here on.
fn socket() -> Result<OwnedFd, WorkerError> {
    if socket_domain(stdin()) != Ok(AddressFamily::UNIX) {
        return Err(WorkerError::NotStartedByHost);
    }
    let system = |error: Errno| WorkerError::System("put the socket out of the AI's way", error.into());
    let socket = fcntl_dupfd_cloexec(stdin(), STDERR_FILENO + 1).map_err(system)?;
    let nothing = open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).map_err(system)?;
    dup2_stdin(nothing).map_err(system)?;
    Ok(socket)
}

/// Opens a descriptor's file anew under the same number: with the file alone, and not the offset in it, workers can't leave
/// each other anything.
fn reopened(mut descriptor: OwnedFd) -> Result<File, WorkerError> {
    let reopened = File::open(format!("/proc/self/fd/{}", descriptor.as_raw_fd()));
    let reopened = reopened.and_then(|own| Ok(dup3(&own, &mut descriptor, DupFlags::CLOEXEC)?));
    reopened.map_err(|error| WorkerError::System("open the library anew", error))?;
    Ok(File::from(descriptor))
}

/// Closes what the server itself was started with and handed on without knowing: an AI could read it.
fn close_inherited() {
    let first = STDERR_FILENO.cast_unsigned() + 1;
    // SAFETY: nothing in this process has opened a descriptor yet, so nothing owns one of these.
    let _ = unsafe { libc::close_range(first, u32::MAX, 0) };
}

/// Lets the kernel kill this process when the server's thread that started it ends, however that comes about.
fn die_with(parent: u32) -> Result<(), WorkerError> {
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|error| WorkerError::System("tie the worker's life to the server's", error.into()))?;
    // The server may have ended before the tie was made.
    if getppid() == Pid::from_raw(parent.cast_signed()) { Ok(()) } else { Err(WorkerError::NotStartedByHost) }
}
