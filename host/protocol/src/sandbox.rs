//! What the workers of an AI may do.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The sandbox of an AI's workers, as it is configured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxSettings {
    /// How much it matters.
    pub mode: SandboxMode,
    /// How much memory the AI may take in each worker, its library included.
    pub memory_mb: u64,
    /// How many threads the AI may start in each worker, beside the one that is asked.
    pub threads: u64,
    /// Absolute paths of the files, and of the folders with all below them, that the AI may read; they were there when
    /// the configuration was loaded.
    pub read: Vec<PathBuf>,
    /// The programs that the AI may start; none of them is what an AI has that only thinks.
    pub exec: Vec<Executable>,
    /// The paths of these as they are written, where links on the way lead from them.
    pub links: Vec<PathBuf>,
}

/// How much a sandbox matters.
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
    strum::VariantArray,
    strum::IntoStaticStr,
    strum::EnumString,
)]
#[strum(serialize_all = "kebab-case", const_into_str)]
pub enum SandboxMode {
    /// An AI that can't be confined is not started.
    #[default]
    Required,
    /// An AI is confined as far as the kernel can.
    BestEffort,
    /// An AI may do whatever the server may.
    Off,
}

/// A program that was there when the configuration was loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executable {
    /// Its absolute path.
    pub file: PathBuf,
    /// The loader that the kernel starts in its stead, which finds its libraries; none for a static program.
    pub loader: Option<PathBuf>,
}

impl Executable {
    /// The name of its file.
    pub fn name(&self) -> String {
        self.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// What the kernel executes to start it.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.file.as_path()).chain(self.loader.as_deref())
    }
}
