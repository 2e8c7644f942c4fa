//! A worker's sandbox: its settings and its enforced parts.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// Signals that one process sends to end another. The sandbox keeps a worker from sending them to
/// itself, even with a timer, so that the host can attribute such an exit to another process.
pub const EXTERNAL_SIGNALS: [i32; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGKILL, libc::SIGTERM];

/// What a worker writes to its standard error when it crashes after a failed allocation.
pub const ALLOCATION_FAILED: &str = "rookery worker: crashed after a failed allocation\n";

/// The address space that an AI's programs may reserve beyond their memory. Runtimes and the stacks
/// of finished threads reserve many times what they use.
pub const RESERVED_BY_PROGRAMS: u64 = 64 << 30;

/// The configured sandbox for an AI's workers. The default grants nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxSettings {
    pub mode: SandboxMode,
    /// The AI's memory in each worker, including its library and its programs.
    pub memory_mb: u64,
    /// The AI's threads in each worker, in addition to the main thread.
    pub threads: u64,
    /// Absolute paths of the readable files and folders. They existed when the configuration was
    /// loaded.
    pub read: Vec<PathBuf>,
    /// The programs that the AI may start; empty for an AI that drives no program.
    pub exec: Vec<Executable>,
    /// The folder in which the programs start; the root if `None`.
    pub working_directory: Option<PathBuf>,
    /// The granted paths as configured, if they contain symbolic links.
    pub links: Vec<PathBuf>,
    /// The folder that holds the files of an AI from another machine. The AI's paths are that
    /// machine's paths, placed under this folder, and its options grant no access outside it.
    pub placed_in: Option<PathBuf>,
    /// The tablebase directories, which may be missing. The worker probes them for the AI.
    pub tablebases: Vec<PathBuf>,
}

impl SandboxSettings {
    /// Replaces this machine's paths in the text with the paths on the machine that sent the AI.
    pub fn as_sent(&self, text: &str) -> String {
        match self.placed_in.as_deref().and_then(Path::to_str) {
            Some(root) => text.replace(root, ""),
            None => text.to_owned(),
        }
    }
}

/// What happens if part of the sandbox can't be enforced.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    clap::ValueEnum,
    Default,
    VariantArray,
    IntoStaticStr,
    EnumString,
)]
#[strum(serialize_all = "kebab-case", const_into_str)]
pub enum SandboxMode {
    /// An AI that can't be confined is not started.
    #[default]
    Required,
    /// An AI is confined as far as the kernel allows.
    BestEffort,
    /// An AI has the same permissions as the server.
    Off,
}

/// A program that an AI may start. It existed when the configuration was loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executable {
    /// The absolute path.
    pub file: PathBuf,
    /// The loader that the kernel starts in the program's place; `None` for a static program.
    pub loader: Option<PathBuf>,
}

impl Executable {
    pub fn name(&self) -> String {
        self.file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    }

    /// Returns the files that the kernel executes to start the program.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.file.as_path()).chain(self.loader.as_deref())
    }
}

/// The enforced parts of a worker's sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confined {
    pub enforced: Vec<Protection>,
    /// The parts that are not enforced. Both lists are empty if the sandbox is off.
    pub missing: Vec<Missing>,
}

/// A part of a sandbox that is not enforced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    pub protection: Protection,
    /// The cause and the remedy.
    pub reason: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.protection, self.reason)
    }
}

/// A part of a sandbox, named as clients and operators see it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, VariantArray, IntoStaticStr, Display,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Protection {
    /// The working directory contains only granted files and is not writable.
    WorkingDirectory,
    /// A crash writes no core dump.
    CoreDumps,
    OpenFiles,
    Threads,
    Memory,
    /// Drops all capabilities permanently.
    Privileges,
    /// Allows reading granted files and denies writing.
    Files,
    /// Denies access to the network and to all processes except granted programs.
    SystemCalls,
    /// Processes of granted programs end with the worker.
    Processes,
    /// The worker uses the processor only while it runs a request.
    ComputingTime,
    /// The server has priority over workers for processor and memory. Workers share the processor
    /// equally.
    Priority,
    /// Only granted paths exist for the worker.
    MountNamespace,
    /// Only the worker's processes exist.
    PidNamespace,
}

impl Protection {
    /// Returns whether a required sandbox needs this part. The others only reduce disturbance and
    /// disclosure, and are not available everywhere.
    pub const fn is_required(self) -> bool {
        !matches!(
            self,
            Self::Priority | Self::MountNamespace | Self::PidNamespace
        )
    }
}
