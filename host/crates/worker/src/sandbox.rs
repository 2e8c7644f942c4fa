//! The sandbox: the worker drops rights before it loads an AI's library, because loading runs the
//! library's constructors.
//!
//! Neither the worker nor the AI can undo a step. The worker reports protections that the kernel
//! does not enforce; the configuration determines whether the AI is loaded without them.

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
    os::fd::{AsRawFd as _, OwnedFd, RawFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{Access, Mode, OFlags, access, open},
    io::Errno,
    process::fchdir,
    thread::{CapabilitySet, set_no_new_privs},
};

pub use self::priority::Priority;
pub(crate) use self::processes::exit_as;
use self::{
    processes::{Namespaces, Reaper},
    root::{OwnProcesses, PrivateRoot},
    system_calls::Programs,
    threads::OwnThreads,
};
use protocol::{
    Confined, Executable, Missing, Protection, RESERVED_BY_PROGRAMS, Refusal, SandboxMode,
    SandboxSettings,
};

/// The paths that the dynamic loader reads.
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

/// The devices that ordinary programs expect: one discards output, the other returns random bytes.
const NULL: &str = "/dev/null";
const RANDOM: &str = "/dev/urandom";

/// Folders of programs. On many systems, they are symbolic links.
const PROGRAM_FOLDERS: [&str; 2] = ["/bin", "/sbin"];

/// The sandbox of this process. Its steps must be called in declaration order.
pub(super) struct Sandbox {
    settings: SandboxSettings,
    confined: Confined,
    namespaces: Option<Namespaces>,
    root: Option<PrivateRoot>,
    threads: Option<OwnThreads>,
    /// Why a granted path is not accessible.
    inaccessible: Option<String>,
}

fn open_path(path: &Path) -> Result<OwnedFd, Errno> {
    open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
}

impl Sandbox {
    pub(super) fn new(settings: SandboxSettings) -> Self {
        Self {
            settings,
            confined: Confined::default(),
            namespaces: None,
            root: None,
            threads: None,
            inaccessible: None,
        }
    }

    /// Gives the server priority over the worker, even without a sandbox.
    pub(super) fn lower_priority(&mut self, to: Priority) {
        let lowered = priority::lead_session().and_then(|()| priority::lower(to));
        if self.settings.mode != SandboxMode::Off {
            self.record(Protection::Priority, lowered);
        }
    }

    /// Gives the worker a PID namespace: it sees no other process, and the programs that its AI
    /// starts end with it. The two other processes return `Some` and must wait. Requires a single
    /// thread. Resets the parent-death signal, which `tie` sets again.
    ///
    /// # Errors
    /// The errors of `tie`.
    pub(super) fn enter_pid_namespace<E>(
        &mut self,
        tie: impl Fn() -> Result<(), E>,
    ) -> Result<Option<Reaper>, E> {
        if self.settings.mode == SandboxMode::Off {
            return Ok(None);
        }
        let unshared = processes::unshare();
        tie()?;
        let mut reaper = None;
        let entered = unshared.and_then(|namespaces| {
            reaper = processes::split()?;
            self.namespaces = Some(namespaces);
            Ok(())
        });
        if !self.settings.exec.is_empty() {
            self.record(Protection::Processes, entered.clone());
        }
        self.record(Protection::PidNamespace, entered);
        Ok(reaper)
    }

    pub(super) fn is_off(&self) -> bool {
        self.settings.mode == SandboxMode::Off
    }

    pub(super) const fn has_pid_namespace(&self) -> bool {
        self.namespaces.is_some()
    }

    /// Limits memory, threads and descriptors, drops the user's rights, and builds the root that
    /// the worker enters later. The root contains the library behind this descriptor. Requires a
    /// single thread. Resets the parent-death signal.
    pub(super) fn drop_rights(&mut self, library: RawFd) {
        if self.settings.mode == SandboxMode::Off {
            return;
        }
        self.record(Protection::CoreDumps, limits::forbid_core_dumps());
        self.record(Protection::OpenFiles, limits::limit_open_files());
        // The thread limit counts the threads of all the user's processes, and does not apply to
        // root or to processes with capabilities.
        let threads = self
            .isolate_user()
            .and_then(|others| limits::limit_threads(self.settings.threads, others));
        self.record(Protection::Threads, threads);
        self.record(Protection::Memory, self.limit_memory());
        let built = self.build_root(library).map(|root| self.root = Some(root));
        let directory = if built.is_ok() {
            Ok(())
        } else {
            directory::enter_private()
        };
        self.record(Protection::MountNamespace, built);
        self.record(Protection::WorkingDirectory, directory);
        let needed = if self.root.is_some() {
            CapabilitySet::SYS_CHROOT
        } else {
            CapabilitySet::empty()
        };
        let privileges = user::drop_capabilities_except(needed).and_then(|()| {
            set_no_new_privs(true).map_err(|error| format!("can't set no_new_privs: {error}"))
        });
        self.record(Protection::Privileges, privileges);
    }

    /// Limits the address space. For an AI with programs, the limit is generous, because the host
    /// measures their memory.
    fn limit_memory(&self) -> Result<(), String> {
        let reserved = if self.settings.exec.is_empty() {
            0
        } else {
            RESERVED_BY_PROGRAMS
        };
        limits::limit_address_space((self.settings.memory_mb << 20) + reserved)
    }

    /// Makes this process the user's only one, except for the returned number of others.
    fn isolate_user(&self) -> Result<u64, String> {
        match self.namespaces {
            Some(Namespaces::ProcessesAndUsers) => Ok(processes::REAPERS),
            Some(Namespaces::Processes) | None => user::isolate().map(|()| 0),
        }
    }

    fn build_root(&self, library: RawFd) -> Result<PrivateRoot, String> {
        // The folders above a granted path need not be open to the worker's user: the private root
        // has its own.
        let needed =
            CapabilitySet::SYS_ADMIN | CapabilitySet::SYS_CHROOT | CapabilitySet::DAC_READ_SEARCH;
        user::drop_capabilities_except(needed)?;
        let has_programs = !self.settings.exec.is_empty();
        let of_programs = SYSTEM_LIBRARIES
            .into_iter()
            .chain([NULL, RANDOM])
            .map(Path::new);
        let of_programs = of_programs.filter(|_| has_programs);
        let links = PROGRAM_FOLDERS
            .into_iter()
            .map(Path::new)
            .filter(|path| has_programs && path.is_symlink());
        let written = self.settings.links.iter().map(AsRef::as_ref);
        let granted = self.readable().chain(self.executable()).chain(written);
        let program = self
            .settings
            .exec
            .first()
            .map(|program| program.file.as_path());
        let has_namespace = self.has_pid_namespace();
        let processes = program.map(|program| OwnProcesses {
            program,
            has_namespace,
        });
        PrivateRoot::build(granted.chain(of_programs), links, library, processes)
    }

    /// Allows granted files, system libraries, and the system calls that a process needs to compute
    /// and to restrict itself further.
    pub(super) fn restrict(&mut self) {
        if self.settings.mode == SandboxMode::Off {
            return;
        }
        self.inaccessible = self.check_grants().err();
        self.threads = OwnThreads::open().ok();
        let device = |path| {
            self.open(Path::new(path))
                .ok()
                .filter(|_| !self.settings.exec.is_empty())
        };
        let libraries = SYSTEM_LIBRARIES
            .into_iter()
            .filter_map(|path| open_path(Path::new(path)).ok());
        let readable = libraries
            .chain(self.opened(self.readable()))
            .chain(device(RANDOM));
        let files = files::allow_only(readable, self.opened(self.executable()), device(NULL));
        self.record(Protection::Files, files);
        let programs = match (self.settings.exec.is_empty(), self.has_pid_namespace()) {
            (true, _) => Programs::None,
            (false, true) => Programs::InNamespace,
            (false, false) => Programs::Anywhere,
        };
        // After this, the kernel doesn't let this user change anything below `/proc/self`, so steps
        // that change something there must come first.
        self.record(Protection::CoreDumps, limits::forbid_tracing());
        self.record(Protection::SystemCalls, system_calls::restrict(programs));
    }

    /// Allows only granted files, once the required system libraries are open, and the system calls
    /// that a process needs to compute. An AI that may start programs keeps access to the system
    /// libraries, which programs need. Returns the path of the library behind this descriptor.
    pub(super) fn restrict_after_load(&mut self, library: RawFd) -> PathBuf {
        if self.settings.mode == SandboxMode::Off {
            // Not `/proc/self`, which a debugger would resolve to its own process.
            return format!("/proc/{}/fd/{library}", std::process::id()).into();
        }
        let link = format!("/proc/self/fd/{library}").into();
        let entered = self.root.take().map(PrivateRoot::enter);
        let path = if entered == Some(Ok(())) {
            root::LIBRARY.into()
        } else {
            link
        };
        // Without a private root, any folder but a granted one could show the AI files that it may
        // not see.
        let working_directory = self.settings.working_directory.as_deref();
        let is_granted =
            |folder: &&Path| self.readable().any(|granted| folder.starts_with(granted));
        if let Some(directory) =
            working_directory.filter(|folder| entered == Some(Ok(())) || is_granted(folder))
        {
            // If nothing in the folder is granted, it does not exist in the private root, and the
            // working directory stays the root.
            let _ = open_path(directory).and_then(fchdir);
        }
        if let Some(entered) = entered {
            self.record(Protection::MountNamespace, entered);
        }
        self.record(
            Protection::Privileges,
            user::drop_capabilities_except(CapabilitySet::empty()),
        );
        // Dropped at the end of this function, because the AI could leave its root through this
        // descriptor of a folder outside.
        let threads = self.threads.take();
        if self.settings.exec.is_empty() && self.confined.enforced.contains(&Protection::Files) {
            let files = files::allow_only(self.opened(self.readable()), iter::empty(), None);
            self.record(
                Protection::Files,
                files.and_then(|()| Self::check_single_thread(threads.as_ref())),
            );
        }
        self.record(Protection::SystemCalls, system_calls::restrict_further());
        path
    }

    /// Returns the enforced sandbox.
    ///
    /// # Errors
    /// A required protection can't be enforced, or a granted path is not accessible.
    pub(super) fn finish(&self) -> Result<Confined, Refusal> {
        let missing = &self.confined.missing;
        let is_incomplete = missing
            .iter()
            .any(|missing| missing.protection.is_required());
        if self.settings.mode == SandboxMode::Required && is_incomplete {
            return Err(Refusal::unenforceable(missing));
        }
        match &self.inaccessible {
            Some(message) => Err(message.clone().into()),
            None => Ok(self.confined.clone()),
        }
    }

    fn readable(&self) -> impl Iterator<Item = &Path> {
        self.settings
            .read
            .iter()
            .chain(&self.settings.tablebases)
            .map(AsRef::as_ref)
    }

    fn executable(&self) -> impl Iterator<Item = &Path> {
        self.settings.exec.iter().flat_map(Executable::files)
    }

    /// Opens a granted path, in the private root if there is one.
    fn open(&self, path: &Path) -> Result<OwnedFd, Errno> {
        self.root
            .as_ref()
            .map_or_else(|| open_path(path), |root| root.open(path))
    }

    /// Opens the accessible paths.
    fn opened<'a>(&self, paths: impl Iterator<Item = &'a Path>) -> impl Iterator<Item = OwnedFd> {
        paths.filter_map(|path| self.open(path).ok())
    }

    /// Checks that this user can access the granted paths.
    fn check_grants(&self) -> Result<(), String> {
        let read = self
            .settings
            .read
            .iter()
            .map(|path| (path, Access::READ_OK, "read"));
        let exec = self
            .settings
            .exec
            .iter()
            .map(|program| (&program.file, Access::EXEC_OK, "execute"));
        read.chain(exec).try_for_each(|(path, access_mode, verb)| {
            let opened = self.open(path.as_ref());
            let accessed = opened.and_then(|file| {
                access(format!("/proc/self/fd/{}", file.as_raw_fd()), access_mode)
            });
            accessed.map_err(|error| {
                let folders = if self.root.is_some() {
                    ""
                } else {
                    " and enter the folders above it"
                };
                format!(
                    "its [ai.ID] lets it {verb} {}, but its worker can't: {error}; if root runs \
                     the server, workers run as a user without rights, so let all users {verb} \
                     the file{folders}",
                    path.display()
                )
            })
        })
    }

    /// Checks that this is the only thread, because any other thread would still have access to the
    /// system libraries.
    fn check_single_thread(threads: Option<&OwnThreads>) -> Result<(), String> {
        match threads.map_or(Ok(0), OwnThreads::others) {
            Ok(0) => Ok(()),
            Ok(others) => Err(format!(
                "a system library that the AI needs started {others} threads when it was \
                 loaded, and they can still read the system's libraries; link the AI without it"
            )),
            Err(error) => Err(format!("can't count the worker's threads: {error}")),
        }
    }

    /// Records the outcome of a step. A protection takes one or two steps, and is enforced if all
    /// of them succeed.
    fn record(&mut self, protection: Protection, outcome: Result<(), String>) {
        let Confined { enforced, missing } = &mut self.confined;
        if missing
            .iter()
            .any(|missing| missing.protection == protection)
        {
            return;
        }
        match outcome {
            Ok(()) if enforced.contains(&protection) => {}
            Ok(()) => enforced.push(protection),
            Err(reason) => {
                enforced.retain(|enforced| *enforced != protection);
                missing.push(Missing { protection, reason });
            }
        }
    }
}
