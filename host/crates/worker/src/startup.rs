//! Starts a worker: takes over the socket, enters the sandbox, loads the library and runs the event
//! loop.

use std::{
    fs::File,
    os::{
        fd::{AsRawFd as _, OwnedFd},
        unix::net::UnixStream,
    },
    path::PathBuf,
};

use ai_api::{GrantTable, Grants};
use libc::STDERR_FILENO;
use rustix::{
    fs::{Mode, OFlags, open},
    io::{DupFlags, Errno, dup3, fcntl_dupfd_cloexec},
    net::{AddressFamily, sockopt::socket_domain},
    process::{Pid, Signal, getppid, set_parent_process_death_signal},
    stdio::{dup2_stdin, stdin},
    thread::set_name,
};

use crate::{
    allocation_failure, built_in,
    error::WorkerError,
    event_loop, loading, outgoing, probe_flag,
    sandbox::{Priority, Sandbox},
    tablebase,
};
use protocol::{Request, WorkerReply, descriptor, read_frame, write_frame};

/// Runs until the host closes the socket.
///
/// # Errors
/// The process was not started as a worker, or the socket failed.
pub fn run(parent: u32, priority: Priority) -> Result<(), WorkerError> {
    close_inherited();
    let mut socket = UnixStream::from(socket()?);
    let descriptors = descriptor::receive(&socket)
        .map_err(|error| WorkerError::System("receive its descriptors", error))?;
    let [library, control, flag] = descriptors.ok_or(WorkerError::NotStartedByHost)?;
    let (library, control) = (reopen(library)?, UnixStream::from(control));
    probe_flag::open(&flag).map_err(|error| WorkerError::System("map the probe flag", error))?;
    drop(flag);
    die_with(parent)?;
    let Request::Load(settings, options) = read_frame(&mut socket)? else {
        return Err(WorkerError::NotStartedByHost);
    };
    tablebase::configure(&settings);
    let grants = Grants {
        threads: settings.threads.try_into().unwrap_or(u32::MAX),
        memory_mb: Some(settings.memory_mb),
        paths: settings.read.iter().map(PathBuf::as_path).collect(),
    };
    let grants = GrantTable::new(&grants);
    let mut sandbox = Sandbox::new(settings);
    sandbox.lower_priority(priority);
    if let Some(reaper) = sandbox.enter_pid_namespace(|| die_with(parent))? {
        drop((socket, control, library));
        reaper.wait();
    }
    // Shown in `ps` and `top`.
    set_name(c"rookery-worker")
        .map_err(|error| WorkerError::System("name the process", error.into()))?;
    let process = own_id()?;
    sandbox.drop_rights(library.as_raw_fd());
    // Dropping the rights has reset the parent-death signal. A worker in a namespace does not need
    // it, because it ends with the namespace's first process.
    if !sandbox.has_pid_namespace() {
        die_with(parent)?;
    }
    sandbox.restrict();
    // For a worker without a library, the file is empty.
    let is_built_in = library.metadata().is_ok_and(|metadata| metadata.len() == 0);
    let needed = loading::open_needed(&library);
    let path = sandbox.restrict_after_load(library.as_raw_fd());
    // Comes before loading the library, so that its constructors are restricted.
    match sandbox.finish() {
        Ok(confined) => write_frame(&mut socket, &WorkerReply::Confined(confined, process))?,
        Err(refusal) => return Ok(write_frame(&mut socket, &WorkerReply::Refused(refusal))?),
    }
    let replies = socket
        .try_clone()
        .map_err(|error| WorkerError::System("share the socket", error))?;
    outgoing::open(replies);
    allocation_failure::report();
    let loaded = if is_built_in {
        loading::load_built_in(&built_in::ENTRY, &grants)
    } else {
        loading::load(&path, &needed, &options, &grants)
    };
    if sandbox.is_off() {
        // A debugger reads the file through its descriptor.
        std::mem::forget(library);
    } else {
        drop(library);
    }
    event_loop::serve(socket, control, loaded, &grants)
}

/// Returns this process's id in the server's PID namespace, whose `/proc` is mounted.
fn own_id() -> Result<u32, WorkerError> {
    let unknown = |error| WorkerError::System("read its process id", error);
    let id = std::fs::read_link("/proc/self").map_err(unknown)?;
    let id = id.to_str().and_then(|id| id.parse().ok());
    id.ok_or_else(|| unknown(std::io::Error::other("/proc/self is malformed")))
}

/// Takes the socket from standard input, which becomes `/dev/null`.
fn socket() -> Result<OwnedFd, WorkerError> {
    if socket_domain(stdin()) != Ok(AddressFamily::UNIX) {
        return Err(WorkerError::NotStartedByHost);
    }
    let system = |error: Errno| {
        WorkerError::System("move the socket away from standard input", error.into())
    };
    let socket = fcntl_dupfd_cloexec(stdin(), STDERR_FILENO + 1).map_err(system)?;
    let null =
        open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).map_err(system)?;
    dup2_stdin(null).map_err(system)?;
    Ok(socket)
}

/// Reopens a descriptor's file under the same number. Otherwise workers would share its offset,
/// which they could use to communicate.
fn reopen(mut descriptor: OwnedFd) -> Result<File, WorkerError> {
    let reopened = File::open(format!("/proc/self/fd/{}", descriptor.as_raw_fd()));
    let reopened = reopened.and_then(|own| Ok(dup3(&own, &mut descriptor, DupFlags::CLOEXEC)?));
    reopened.map_err(|error| WorkerError::System("reopen the library", error))?;
    Ok(File::from(descriptor))
}

/// Closes descriptors that the server inherited and passed on, because an AI could read them.
fn close_inherited() {
    let first = STDERR_FILENO.cast_unsigned() + 1;
    // SAFETY: nothing in this process has opened a descriptor yet, so nothing owns any of these.
    let _ = unsafe { libc::close_range(first, u32::MAX, 0) };
}

/// Lets the kernel kill this process when the server thread that started it exits.
pub(crate) fn die_with(parent: u32) -> Result<(), WorkerError> {
    set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(|error| WorkerError::System("set the parent-death signal", error.into()))?;
    // The server may have exited before the call.
    if getppid() == Pid::from_raw(parent.cast_signed()) {
        Ok(())
    } else {
        Err(WorkerError::NotStartedByHost)
    }
}
