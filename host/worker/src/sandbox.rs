//! The sandbox: what a worker gives up before it loads an AI's library, whose code runs as soon as it is loaded.
//!
//! Nothing here can be taken back, neither by the worker nor by the AI. What the kernel refuses to enforce is told, and
//! the configuration says whether the AI is loaded all the same.

mod directory;
mod files;
mod limits;
mod priority;
mod processes;
mod root;
mod system_calls;
mod threads;
mod user;

use std::{
    iter,
    os::fd::RawFd,
    path::{Path, PathBuf},
};

use rustix::{
    fs::{Access, access},
    thread::{CapabilitySet, set_no_new_privs},
};

pub(super) use self::processes::Waiting;
use self::{processes::Namespaces, root::PrivateRoot, system_calls::Programs, threads::OwnThreads};
use protocol::{Confined, Executable, Missing, Protection, Refusal, SandboxMode, SandboxSettings};

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

/// Folders that are links to others on many systems, by which programs are found.
const PROGRAMS: [&str; 2] = ["/bin", "/sbin"];

/// The sandbox of this process. Its steps are to be called in the order in which they stand here.
pub(super) struct Sandbox {
    settings: SandboxSettings,
    confined: Confined,
    /// What the worker has of its own because its AI may start programs.
    namespaces: Option<Namespaces>,
    root: Option<PrivateRoot>,
    threads: Option<OwnThreads>,
    /// What is granted and can't be given.
    ungiven: Option<String>,
}

impl Sandbox {
    /// A sandbox that confines nothing yet.
    pub(super) fn new(settings: SandboxSettings) -> Self {
        Self {
            settings,
            confined: Confined::default(),
            namespaces: None,
            root: None,
            threads: None,
            ungiven: None,
        }
    }

    /// Lets the server go before the worker, with or without a sandbox.
    pub(super) fn lower_priority(&mut self) {
        let lowered = priority::lead_session().and_then(|()| priority::lower());
        if self.settings.mode != SandboxMode::Off {
            self.note(Protection::Priority, lowered);
        }
    }

    /// If the AI may start programs: gives the worker a namespace of processes, so that they end with it. What comes back is
    /// no worker any more, but waits for it. To be called while this process has one thread only; `tie` is what ties its
    /// life to the server's, which this undoes.
    ///
    /// # Errors
    /// Those of `tie`.
    pub(super) fn enter_pid_namespace<E>(
        &mut self,
        tie: impl Fn() -> Result<(), E>,
    ) -> Result<Option<Waiting>, E> {
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

    /// Gives up the rights of the user, the memory, the threads and the descriptors that the AI does not need, and makes the
    /// root that the worker enters later, with the library of this descriptor. To be called while this process has one
    /// thread only. It unties the worker's life from the server's.
    pub(super) fn give_up_rights(&mut self, library: RawFd) {
        if self.settings.mode == SandboxMode::Off {
            return;
        }
        self.note(Protection::CoreDumps, limits::forbid_core_dumps());
        self.note(Protection::OpenFiles, limits::limit_open_files());
        // The limit does not hold a process that has capabilities, which root gets back after this.
        let threads = user::become_alone(self.namespaces)
            .and_then(|others| limits::limit_threads(self.settings.threads, others));
        self.note(Protection::Threads, threads);
        self.note(Protection::Memory, limits::limit_memory(self.settings.memory_mb));
        match self.build_root(library) {
            Ok(root) => {
                self.root = Some(root);
                self.note(Protection::MountNamespace, Ok(()));
                self.note(Protection::WorkingDirectory, Ok(()));
            }
            Err(reason) => {
                self.note(Protection::MountNamespace, Err(reason));
                self.note(Protection::WorkingDirectory, directory::enter_private());
            }
        }
        let needed = if self.root.is_some() { CapabilitySet::SYS_CHROOT } else { CapabilitySet::empty() };
        let privileges = user::drop_capabilities_but(needed).and_then(|()| {
            set_no_new_privs(true).map_err(|error| format!("can't set no_new_privs: {error}"))
        });
        self.note(Protection::Privileges, privileges);
    }

    fn build_root(&self, library: RawFd) -> Result<PrivateRoot, String> {
        user::drop_capabilities_but(CapabilitySet::SYS_ADMIN | CapabilitySet::SYS_CHROOT)?;
        let libraries = if self.settings.exec.is_empty() { &[][..] } else { &SYSTEM_LIBRARIES };
        let links = if self.settings.exec.is_empty() { &[][..] } else { &PROGRAMS };
        let links = links.iter().map(Path::new).filter(|path| path.is_symlink());
        let written = self.settings.links.iter().map(AsRef::as_ref);
        let granted = self.readable().chain(self.executable()).chain(written);
        PrivateRoot::build(granted.chain(libraries.iter().map(Path::new)), links, library)
    }
    /// Leaves the files that are granted and those of the system's libraries, and the system calls of a process that only
    /// computes and gives up more.
    pub(super) fn restrict(&mut self) {
        if self.settings.mode == SandboxMode::Off {
            return;
        }
        self.ungiven = self.try_grants().err();
        self.threads = OwnThreads::find().ok();
        let readable = SYSTEM_LIBRARIES.into_iter().map(Path::new).chain(self.readable());
        let files = files::leave(readable, self.executable());
        self.note(Protection::Files, files);
        let programs = match (self.settings.exec.is_empty(), self.is_separate()) {
            (true, _) => Programs::None,
            (false, true) => Programs::InNamespace,
            (false, false) => Programs::Anywhere,
        };
        self.note(Protection::SystemCalls, system_calls::restrict(programs));
    }

    /// Leaves nothing but what is granted, now that the system's libraries are open that the AI's library needs, and the
    /// system calls of a process that only computes. An AI that may start programs keeps the system's libraries, which they
    /// need. Returns the path of the library that has this descriptor.
    pub(super) fn restrict_after_load(&mut self, library: RawFd) -> PathBuf {
        let link = format!("/proc/self/fd/{library}").into();
        if self.settings.mode == SandboxMode::Off {
            return link;
        }
        let entered = self.root.take().map(PrivateRoot::enter);
        let path = if entered == Some(Ok(())) { root::LIBRARY.into() } else { link };
        if let Some(entered) = entered {
            self.note(Protection::MountNamespace, entered);
        }
        self.note(Protection::Privileges, user::drop_capabilities_but(CapabilitySet::empty()));
        // Not kept: by the descriptor of a folder outside, the AI would find the way out of its root.
        let threads = self.threads.take();
        if self.settings.exec.is_empty() && self.confined.enforced.contains(&Protection::Files) {
            let files = files::leave(self.readable(), iter::empty());
            self.note(Protection::Files, files.and_then(|()| Self::check_alone(threads.as_ref())));
        }
        self.note(Protection::SystemCalls, system_calls::restrict_further());
        path
    }

    /// What is enforced.
    ///
    /// # Errors
    /// Something that is required can't be enforced, or something that is granted can't be given.
    pub(super) fn finish(&self) -> Result<Confined, Refusal> {
        let missing = &self.confined.missing;
        let is_incomplete = missing.iter().any(|missing| missing.protection.is_required());
        if self.settings.mode == SandboxMode::Required && is_incomplete {
            return Err(Refusal::unenforceable(missing));
        }
        match &self.ungiven {
            Some(message) => Err(Refusal { message: message.clone(), details: String::new() }),
            None => Ok(self.confined.clone()),
        }
    }

    fn readable(&self) -> impl Iterator<Item = &Path> {
        self.settings.read.iter().map(AsRef::as_ref)
    }

    fn executable(&self) -> impl Iterator<Item = &Path> {
        self.settings.exec.iter().flat_map(Executable::files)
    }

    /// Whether this user can reach what is granted.
    fn try_grants(&self) -> Result<(), String> {
        let read = self.settings.read.iter().map(|path| (path, Access::READ_OK, "read"));
        let exec = self.settings.exec.iter().map(|program| (&program.file, Access::EXEC_OK, "execute"));
        read.chain(exec).try_for_each(|(path, access_mode, verb)| {
            access(path, access_mode).map_err(|error| {
                format!(
                    "it is granted to {verb} {}, but its worker can't: {error}; a worker of a server that root runs is \
                     another user without rights, so let all {verb} the file and enter the folders above it",
                    path.display()
                )
            })
        })
    }

    /// Whether this thread, which alone has given up the system's libraries, is the only one.
    fn check_alone(threads: Option<&OwnThreads>) -> Result<(), String> {
        match threads.map_or(Ok(0), OwnThreads::others) {
            Ok(0) => Ok(()),
            Ok(others) => Err(format!(
                "a library of the system that the AI needs has started {others} threads while it was loaded, and they can \
                 still read the system's libraries; link the AI without it"
            )),
            Err(error) => Err(format!("the threads of the worker can't be counted: {error}")),
        }
    }

    /// Notes how a step came out. A protection takes one or two steps, and holds where each of them does.
    fn note(&mut self, protection: Protection, outcome: Result<(), String>) {
        let Confined { enforced, missing } = &mut self.confined;
        let is_missing = missing.iter().any(|missing| missing.protection == protection);
        match outcome {
            Ok(()) if is_missing || enforced.contains(&protection) => {}
            Ok(()) => enforced.push(protection),
            Err(_) if is_missing => {}
            Err(reason) => {
                enforced.retain(|enforced| *enforced != protection);
                missing.push(Missing { protection, reason });
            }
        }
    }
}
