//! Traces a worker: records the files that its programs fail to open, to help an operator choose
//! grants.
//!
//! The tracer is the process that the host started. It stays outside the sandbox. From the worker,
//! it reads only the paths in system calls.

use std::{
    collections::{BTreeSet, HashMap},
    ffi::c_void,
    fs::{self, File},
    io::{self, Write as _},
    mem::zeroed,
    os::unix::process::ExitStatusExt,
    path::Path,
    process::ExitStatus,
    ptr::{null_mut, without_provenance_mut},
};

use rustix::{
    io::Errno,
    process::{getpid, getppid},
    thread::set_name,
};

use crate::{error::WorkerError, sandbox::exit_as, startup::die_with};

/// Enough for a program that looks for its modules in many places.
const MAX_RECORDS: usize = 2000;
/// As defined in the kernel.
const MAX_PATH_BYTES: usize = 4096;
/// Each traced process stops at its system calls and ends with the tracer.
const OPTIONS: i32 = libc::PTRACE_O_TRACESYSGOOD
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_EXITKILL;
/// A stop at a system call, with `PTRACE_O_TRACESYSGOOD`.
const SYSTEM_CALL_STOP: i32 = libc::SIGTRAP | 0x80;

/// Splits this process into the worker and its tracer, which writes its findings to `report`.
/// In the worker, returns the id of its parent. Requires a single thread.
///
/// # Errors
/// The report cannot be written or the process cannot be started. If the kernel forbids tracing,
/// that is not an error, but the report says so.
pub fn trace(report: &Path, parent: u32) -> Result<u32, WorkerError> {
    let system = |what| move |error| WorkerError::System(what, error);
    let mut report = File::options()
        .append(true)
        .open(report)
        .map_err(system("open the trace report"))?;
    die_with(parent)?;
    let tracer = getpid().as_raw_nonzero().get();
    // SAFETY: this process has one thread, so the new process may call every function that this one
    // may.
    match unsafe { libc::fork() } {
        -1 => Err(WorkerError::System(
            "start the traced process",
            io::Error::last_os_error(),
        )),
        0 => {
            // The tracer may have exited before this call.
            if getppid().is_none_or(|process| process.as_raw_nonzero().get() != tracer) {
                return Err(WorkerError::NotStartedByHost);
            }
            // SAFETY: the request has no arguments; the tracer waits for the stop.
            unsafe {
                if libc::ptrace(libc::PTRACE_TRACEME) == 0 {
                    libc::raise(libc::SIGSTOP);
                } else {
                    let _ = report.write_all(b"forbidden\n");
                }
            }
            Ok(tracer.cast_unsigned())
        }
        worker => {
            let _ = set_name(c"rookery-tracer");
            exit_as(
                Tracer {
                    worker,
                    processes: HashMap::new(),
                    found: BTreeSet::new(),
                }
                .run(&mut report),
            )
        }
    }
}

struct Tracer {
    worker: i32,
    /// The system call that each traced thread is in, if it is relevant.
    processes: HashMap<i32, Option<(Access, String)>>,
    found: BTreeSet<(Access, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Access {
    Read,
    Execute,
}

impl Tracer {
    /// Follows all processes until the worker exits, and returns its exit status.
    fn run(&mut self, report: &mut File) -> ExitStatus {
        loop {
            let mut status = 0;
            // SAFETY: the status is written only during the call.
            let process = unsafe { libc::waitpid(-1, &raw mut status, libc::__WALL) };
            if process < 0 {
                if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {
                    continue;
                }
                return ExitStatus::from_raw(1 << 8);
            }
            if !libc::WIFSTOPPED(status) {
                self.processes.remove(&process);
                if process == self.worker {
                    return ExitStatus::from_raw(status);
                }
                continue;
            }
            let signal = self.stopped(process, status, report);
            // SAFETY: the process is stopped, and the signal is a number. The process may have been
            // killed in the meantime, which is reported next.
            unsafe {
                libc::ptrace(
                    libc::PTRACE_SYSCALL,
                    process,
                    null_mut::<c_void>(),
                    without_provenance_mut::<c_void>(signal.cast_unsigned() as usize),
                );
            }
        }
    }

    /// Handles a stop of a process and returns the signal to deliver; 0 for none.
    fn stopped(&mut self, process: i32, status: i32, report: &mut File) -> i32 {
        let signal = libc::WSTOPSIG(status);
        let is_new = !self.processes.contains_key(&process);
        if is_new {
            self.processes.insert(process, None);
            // SAFETY: the process is stopped, and the options are a number.
            unsafe {
                libc::ptrace(
                    libc::PTRACE_SETOPTIONS,
                    process,
                    null_mut::<c_void>(),
                    without_provenance_mut::<c_void>(OPTIONS.cast_unsigned() as usize),
                );
            }
        }
        match signal {
            SYSTEM_CALL_STOP => self.at_system_call(process, report),
            // The first stop of each process, and events.
            libc::SIGSTOP if is_new => {
                if process == self.worker {
                    let _ = report.write_all(b"traced\n");
                }
            }
            libc::SIGTRAP if status >> 16 != 0 => {}
            _ => return signal,
        }
        0
    }

    fn at_system_call(&mut self, process: i32, report: &mut File) {
        // SAFETY: all fields are numbers.
        let mut info: libc::ptrace_syscall_info = unsafe { zeroed() };
        // SAFETY: the kernel writes at most this many bytes.
        let size = unsafe {
            libc::ptrace(
                libc::PTRACE_GET_SYSCALL_INFO,
                process,
                without_provenance_mut::<c_void>(size_of_val(&info)),
                &raw mut info,
            )
        };
        if size <= 0 {
            return;
        }
        match info.op {
            libc::PTRACE_SYSCALL_INFO_ENTRY => {
                // SAFETY: the kernel has written this variant.
                let entry = unsafe { info.u.entry };
                let access = access(entry.nr, &entry.args);
                let call =
                    access.and_then(|(access, address)| Some((access, text_at(process, address)?)));
                self.processes.insert(process, call);
            }
            libc::PTRACE_SYSCALL_INFO_EXIT => {
                // SAFETY: as above.
                let result = unsafe { info.u.exit.sval };
                let denied = [Errno::NOENT, Errno::ACCESS, Errno::PERM];
                let is_denied = denied
                    .iter()
                    .any(|errno| result == -i64::from(errno.raw_os_error()));
                let call = self.processes.insert(process, None).flatten();
                if let Some(found) = call.filter(|_| is_denied && self.found.len() < MAX_RECORDS)
                    && self.found.insert(found.clone())
                {
                    let (access, path) = found;
                    let kind = if access == Access::Execute { 'x' } else { 'r' };
                    let line = match directory(process).filter(|_| !path.starts_with('/')) {
                        Some(directory) => {
                            format!("{} {directory}/{path}\n", kind.to_ascii_uppercase())
                        }
                        None => format!("{kind} {path}\n"),
                    };
                    let _ = report.write_all(line.as_bytes());
                }
            }
            _ => {}
        }
    }
}

/// Returns how a system call accesses a file, and the address of its path.
fn access(number: u64, arguments: &[u64; 6]) -> Option<(Access, u64)> {
    let number = i64::try_from(number).ok()?;
    match number {
        libc::SYS_execve => return Some((Access::Execute, arguments[0])),
        libc::SYS_chdir => return Some((Access::Read, arguments[0])),
        libc::SYS_openat
        | libc::SYS_openat2
        | libc::SYS_newfstatat
        | libc::SYS_statx
        | libc::SYS_faccessat
        | libc::SYS_faccessat2 => return Some((Access::Read, arguments[1])),
        _ => {}
    }
    #[cfg(target_arch = "x86_64")]
    if [
        libc::SYS_open,
        libc::SYS_stat,
        libc::SYS_lstat,
        libc::SYS_access,
    ]
    .contains(&number)
    {
        return Some((Access::Read, arguments[0]));
    }
    None
}

/// Returns the working directory of a process.
fn directory(process: i32) -> Option<String> {
    let directory = fs::read_link(format!("/proc/{process}/cwd"))
        .ok()?
        .into_os_string()
        .into_string()
        .ok()?;
    (!directory.contains(char::is_control)).then_some(directory)
}

/// Reads a NUL-terminated text without control characters.
fn text_at(process: i32, address: u64) -> Option<String> {
    let mut bytes = Vec::new();
    while bytes.len() < MAX_PATH_BYTES {
        let at = usize::try_from(address).ok()?.checked_add(bytes.len())?;
        let mut word: libc::c_long = 0;
        // SAFETY: the kernel checks the address in the process, and writes one word here.
        let read = unsafe {
            libc::syscall(
                libc::SYS_ptrace,
                libc::PTRACE_PEEKDATA,
                process,
                at,
                &raw mut word,
            )
        };
        if read != 0 {
            return None;
        }
        let word = word.to_ne_bytes();
        if let Some(length) = word.iter().position(|&byte| byte == 0) {
            bytes.extend(&word[..length]);
            let text = String::from_utf8(bytes).ok()?;
            return (!text.is_empty() && !text.contains(char::is_control)).then_some(text);
        }
        bytes.extend(word);
    }
    None
}
