//! The sandbox: what a worker gives up before it loads an AI's library, whose code runs as soon as it is loaded.
//!
//! Nothing here can be taken back, neither by the worker nor by the AI. What the kernel refuses to enforce is told, and
//! the configuration says whether the AI is loaded all the same.

mod directory;
mod files;
mod limits;
mod processes;
mod system_calls;
mod threads;
mod user;

use std::iter;

use rustix::{
    fs::{Access, access},
    thread::set_no_new_privs,
};

pub(super) use self::processes::Waiting;
use self::{processes::Namespaces, system_calls::Programs, threads::OwnThreads};
use crate::{
    ai::protocol::{Confined, Missing, Protection, Refusal},
    config::{Executable, SandboxMode, SandboxSettings},
};

/// Files that the linker reads when it loads a library.
const SYSTEM_LIBRARIES: [&str; 8] = [
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
];

/// The sandbox of this process.
pub(super) struct Sandbox {
    settings: SandboxSettings,
    confined: Confined,
    /// What the worker has of its own because its AI may start programs.
    namespaces: Option<Namespaces>,
    threads: Option<OwnThreads>,
}

impl Sandbox {
    /// A sandbox that confines nothing yet.
    pub(super) fn new(settings: SandboxSettings) -> Self {
        Self { settings, confined: Confined::default(), namespaces: None, threads: None }
    }

    /// If the AI may start programs: gives the worker a namespace of processes, so that they end with it. What comes back is
    /// no worker any more, but waits for it. To be called while this process has one thread only; `tie` is what ties its
    /// life to the server's, which this undoes.
    ///
    /// # Errors
    /// Those of `tie`.
    pub(super) fn separate<E>(&mut self, tie: impl Fn() -> Result<(), E>) -> Result<Option<Waiting>, E> {
        if self.settings.mode == SandboxMode::Off || self.settings.exec.is_empty() {
            return Ok(None);
        }
        let unshared = processes::unshare();
        tie()?;
        let divided = unshared.and_then(|namespaces| {
            self.namespaces = Some(namespaces);
            processes::divide()
        });
        let (outcome, waiting) = match divided {
            Ok(waiting) => (Ok(()), waiting),
            Err(reason) => {
                self.namespaces = None;
                (Err(reason), None)
            }
        };
        self.note(Protection::Processes, outcome);
        Ok(waiting)
    }

    /// Whether the worker ends with its namespace, which nothing outlives.
    pub(super) const fn is_separate(&self) -> bool {
        self.namespaces.is_some()
    }

    /// Gives up the rights of the user, the memory, the threads and the descriptors that the AI does not need. To be
    /// called while this process has one thread only. It unties the worker's life from the server's.
    pub(super) fn give_up_rights(&mut self) {
        if self.settings.mode == SandboxMode::Off {
            return;
        }
        self.note(Protection::WorkingDirectory, directory::enter_private());
        self.note(Protection::CoreDumps, limits::forbid_core_dumps());
        self.note(Protection::OpenFiles, limits::limit_open_files());
        let threads = user::become_alone(self.namespaces)
            .and_then(|others| limits::limit_threads(self.settings.threads, others));
        self.note(Protection::Threads, threads);
        self.note(Protection::Memory, limits::limit_memory(self.settings.memory_mb));
        let privileges = user::drop_capabilities().and_then(|()| {
            set_no_new_privs(true).map_err(|error| format!("can't set no_new_privs: {error}"))
        });
        self.note(Protection::Privileges, privileges);
    }

    /// Leaves the files that loading a library needs, those that are granted, and the system calls of a process that
    /// only thinks.
    pub(super) fn lock(&mut self) {
        if self.settings.mode == SandboxMode::Off {
            return;
        }
        self.threads = OwnThreads::find().ok();
        let granted = self.settings.read.iter().map(AsRef::as_ref);
        let readable = SYSTEM_LIBRARIES.into_iter().map(AsRef::as_ref).chain(granted);
        let executable = self.settings.exec.iter().flat_map(Executable::files);
        self.note(Protection::Files, files::leave(readable, executable));
        let programs = match (self.settings.exec.is_empty(), self.is_separate()) {
            (true, _) => Programs::None,
            (false, true) => Programs::InNamespace,
            (false, false) => Programs::Anywhere,
        };
        self.note(Protection::SystemCalls, system_calls::restrict(programs));
    }

    /// What is enforced.
    ///
    /// # Errors
    /// Something that is required can't be enforced, or something that is granted can't be given.
    pub(super) fn verdict(&self) -> Result<Confined, Refusal> {
        let refused = |message| Err(Refusal { message, details: String::new() });
        if self.settings.mode == SandboxMode::Off {
            return Ok(self.confined.clone());
        }
        if self.settings.mode == SandboxMode::Required && !self.confined.missing.is_empty() {
            return Err(Refusal::unenforceable(&self.confined.missing));
        }
        let read = self.settings.read.iter().map(|path| (path, Access::READ_OK, "read"));
        let exec = self.settings.exec.iter().map(|program| (&program.file, Access::EXEC_OK, "execute"));
        for (path, access_mode, verb) in read.chain(exec) {
            if let Err(error) = access(path, access_mode) {
                return refused(format!(
                    "it is granted to {verb} {}, but its worker can't: {error}; a worker of a server that root runs is \
                     another user without rights, so let all {verb} the file and enter the folders above it",
                    path.display()
                ));
            }
        }
        Ok(self.confined.clone())
    }

    /// Leaves only the files that are granted, now that the library is loaded, to this thread and those that it starts. An
    /// AI that may start programs keeps the system's libraries, which they need. What comes back turns out not to hold.
    ///
    /// # Errors
    /// The library's constructors have started threads, which keep more; or the kernel that did it before can't do it again.
    pub(super) fn lock_harder(&self) -> Result<Option<Missing>, Refusal> {
        if !self.confined.enforced.contains(&Protection::Files) {
            return Ok(None);
        }
        let refused = |message| Err(Refusal { message, details: String::new() });
        if self.settings.exec.is_empty() {
            let granted = self.settings.read.iter().map(AsRef::as_ref);
            if let Err(reason) = files::leave(granted, iter::empty()) {
                return refused(format!("it can't be left nothing but what is granted: {reason}"));
            }
        }
        let others = self.threads.as_ref().map_or(Ok(0), OwnThreads::others);
        let reason = match others {
            Ok(0) => return Ok(None),
            Ok(others) => format!(
                "the library's constructors have started {others} threads that run on, and keep reading the system's \
                 libraries; start them in create or later"
            ),
            Err(error) => format!("the threads of the library's constructors can't be counted: {error}"),
        };
        let missing = Missing { protection: Protection::Files, reason };
        match self.settings.mode {
            SandboxMode::Required => Err(Refusal::unenforceable(&[missing])),
            SandboxMode::BestEffort | SandboxMode::Off => Ok(Some(missing)),
        }
    }

    fn note(&mut self, protection: Protection, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.confined.enforced.push(protection),
            Err(reason) => self.confined.missing.push(Missing { protection, reason }),
        }
    }
}
