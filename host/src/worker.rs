//! The worker: a process that loads one AI and asks it what the host wants to know.
//!
//! It is the same binary as the server, called as `rookery worker`, with its end of a private socket and the sealed copy
//! of the library as inherited descriptors.

mod loading;
mod sandbox;
mod serving;

use std::{
    fs::File,
    os::{
        fd::{AsRawFd, FromRawFd, OwnedFd, RawFd},
        unix::net::UnixStream,
    },
};

use rustix::{
    io::{DupFlags, FdFlags, dup3, fcntl_setfd},
    process::{Pid, Signal, getppid, set_parent_process_death_signal},
    thread::set_name,
};

use self::sandbox::Sandbox;
use crate::ai::protocol::{Reply, Request, read_frame, write_frame};

/// Where a worker finds its socket.
pub const SOCKET_DESCRIPTOR: RawFd = 3;
/// Where a worker finds the library to load.
pub const LIBRARY_DESCRIPTOR: RawFd = 4;

/// Why a process can't be a worker.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// Somebody else than the server started it.
    #[error(
        "'rookery worker' is started by the server, with a socket and a library; run 'rookery serve' instead"
    )]
    NotStartedByHost,
    /// The socket failed.
    #[error("the socket to the server failed")]
    Socket(#[from] crate::ai::protocol::FrameError),
    /// The operating system refused something.
    #[error("the operating system refused to {0}")]
    System(&'static str, #[source] std::io::Error),
}

/// Serves the host until it closes the socket.
///
/// # Errors
/// The process was not started as a worker, or the socket failed.
pub fn run(parent: u32) -> Result<(), WorkerError> {
    let mut socket = UnixStream::from(inherited(SOCKET_DESCRIPTOR)?);
    let library = File::from(reopened(inherited(LIBRARY_DESCRIPTOR)?)?);
    close_others();
    die_with(parent)?;
    // What `ps` and `top` show.
    set_name(c"rookery-worker").map_err(|error| WorkerError::System("name the process", error.into()))?;
    let Request::Load(settings, options) = read_frame(&mut socket)? else {
        return Err(WorkerError::NotStartedByHost);
    };
    let mut sandbox = Sandbox::new(settings);
    sandbox.lower_priority();
    if let Some(waiting) = sandbox.separate(|| die_with(parent))? {
        drop((socket, library));
        waiting.wait();
    }
    let process = own_number()?;
    sandbox.give_up_rights(LIBRARY_DESCRIPTOR);
    // With the rights went the tie. What is in a namespace ends with that.
    if !sandbox.is_separate() {
        die_with(parent)?;
    }
    sandbox.lock();
    let needed = loading::open_needed(&library);
    let path = sandbox.lock_harder(LIBRARY_DESCRIPTOR);
    // From here on this process can do nothing but what is granted, so that the library's constructors can't either.
    match sandbox.verdict() {
        Ok(confined) => write_frame(&mut socket, &Reply::Confined(confined, process))?,
        Err(refusal) => return Ok(write_frame(&mut socket, &Reply::Refused(refusal))?),
    }
    let opened = loading::open(&path, &needed);
    let loaded = opened.and_then(|opened| loading::load(&path, &opened, &options));
    drop(library);
    serving::serve(socket, loaded)
}

/// The number of this process as the server counts, whose `/proc` this process sees.
fn own_number() -> Result<u32, WorkerError> {
    let unknown = |error| WorkerError::System("say which process this is", error);
    let number = std::fs::read_link("/proc/self").map_err(unknown)?;
    let number = number.to_str().and_then(|number| number.parse().ok());
    number.ok_or_else(|| unknown(std::io::Error::other("/proc/self is not as expected")))
}

/// A descriptor that the host left open for this process, closed for those that an AI may start.
fn inherited(number: RawFd) -> Result<OwnedFd, WorkerError> {
    if std::fs::symlink_metadata(format!("/proc/self/fd/{number}")).is_err() {
        return Err(WorkerError::NotStartedByHost);
    }
    // SAFETY: it is open, as just seen, and nothing else in this process knows of it: `run` is the first to look.
    let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
    fcntl_setfd(&descriptor, FdFlags::CLOEXEC)
        .map_err(|error| WorkerError::System("close a descriptor on exec", error.into()))?;
    Ok(descriptor)
}

/// Opens a descriptor's file anew under the same number: with the file alone, and not the offset in it, workers can't leave
/// each other anything.
fn reopened(mut descriptor: OwnedFd) -> Result<OwnedFd, WorkerError> {
    let reopened = File::open(format!("/proc/self/fd/{}", descriptor.as_raw_fd()));
    let reopened = reopened.and_then(|own| Ok(dup3(&own, &mut descriptor, DupFlags::CLOEXEC)?));
    reopened.map_err(|error| WorkerError::System("open the library anew", error))?;
    Ok(descriptor)
}

/// Closes what the server itself was started with and handed on without knowing: an AI could read it.
fn close_others() {
    let first = LIBRARY_DESCRIPTOR.cast_unsigned() + 1;
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
