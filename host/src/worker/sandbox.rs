//! The sandbox: what a worker gives up before it loads an AI's library, whose code runs as soon as it is loaded.
//!
//! Nothing here can be taken back, neither by the worker nor by the AI. What the kernel refuses to enforce is told, and
//! the configuration says whether the AI is loaded all the same.

mod directory;
mod files;
mod limits;
mod system_calls;
mod user;

use rustix::{
    fs::{Access, access},
    thread::set_no_new_privs,
};

use crate::{
    ai::protocol::{Confined, Missing, Protection, Refusal},
    config::{SandboxMode, SandboxSettings},
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
}

impl Sandbox {
    /// A sandbox that confines nothing yet.
    pub(super) fn new(settings: SandboxSettings) -> Self {
        Self { settings, confined: Confined::default() }
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
        let threads = user::become_alone().and_then(|()| limits::limit_threads(self.settings.threads));
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
        let granted = self.settings.read.iter().map(AsRef::as_ref);
        let files = files::leave_readable(SYSTEM_LIBRARIES.into_iter().map(AsRef::as_ref).chain(granted));
        self.note(Protection::Files, files);
        self.note(Protection::SystemCalls, system_calls::restrict());
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
            let missing: Vec<_> = self.confined.missing.iter().map(ToString::to_string).collect();
            return refused(format!(
                "its sandbox is required, but can't be enforced here: {}; change that, or set sandbox = \
                 \"best-effort\" in its [ai.ID] to start it without",
                missing.join("; ")
            ));
        }
        for path in &self.settings.read {
            if let Err(error) = access(path, Access::READ_OK) {
                return refused(format!(
                    "it is granted to read {}, but its worker can't: {error}; a worker of a server that root runs is \
                     another user without rights, so make the file and the folders above it readable for all",
                    path.display()
                ));
            }
        }
        Ok(self.confined.clone())
    }

    /// Leaves only the files that are granted, now that the library is loaded, to this thread and those that it starts.
    /// Threads that the library's constructors have started keep the system libraries.
    ///
    /// # Errors
    /// The kernel that did it before can't do it again.
    pub(super) fn lock_harder(&self) -> Result<(), String> {
        if !self.confined.enforced.contains(&Protection::Files) {
            return Ok(());
        }
        files::leave_readable(self.settings.read.iter().map(AsRef::as_ref))
    }

    fn note(&mut self, protection: Protection, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.confined.enforced.push(protection),
            Err(reason) => self.confined.missing.push(Missing { protection, reason }),
        }
    }
}
