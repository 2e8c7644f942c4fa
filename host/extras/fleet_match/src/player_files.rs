//! A player's files, which are sent by hash.

mod check;
mod pack;
mod place;
#[cfg(test)]
mod tests;

use std::{
    fmt, io,
    path::{Path, PathBuf},
    str::FromStr,
};

use ai_api::{Limits, OptionSetting};
use library::{EngineCommand, executable::ExecutableError, sha256::Sha256Sum};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use text::printable;

/// The maximum number of files and links per player.
pub(crate) const MAX_FILES: usize = 1000;
/// The maximum total size of its files in bytes.
pub(crate) const MAX_BYTES: u64 = 4 << 30;
/// The maximum size of its description in bytes.
const MAX_MANIFEST_BYTES: usize = 256 << 10;

/// The folders that hold system programs' data. Every machine has them, so they are not sent.
const SYSTEM_DATA: [&str; 7] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/share",
    "/usr/local/lib",
    "/usr/local/share",
];
/// The folders of interpreters that every machine has at the same paths.
const SYSTEM_PROGRAMS: [&str; 4] = ["/usr", "/bin", "/nix/store", "/gnu/store"];

/// A player that another machine can start. All paths are the organizer's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerManifest {
    pub name: String,
    /// The id of its AI.
    pub id: String,
    pub limits: Limits,
    /// The fingerprint of its AI, which a node checks.
    #[serde(with = "as_text")]
    pub fingerprint: Sha256Sum,
    pub library: PathBuf,
    pub options: Vec<OptionSetting>,
    pub memory_mb: u64,
    pub threads: u64,
    /// The files and folders that it may read.
    pub read: Vec<PathBuf>,
    /// The programs that it may start.
    pub exec: Vec<PathBuf>,
    pub working_directory: Option<PathBuf>,
    pub move_timeout_ms: u64,
    pub stop_grace_ms: Option<u64>,
    pub start_timeout_ms: u64,
    pub new_game_timeout_ms: u64,
    pub files: Vec<ShippedFile>,
    /// The folders that are sent with all contents. They may be empty.
    pub folders: Vec<PathBuf>,
    pub links: Vec<ShippedLink>,
}

/// A file that is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShippedFile {
    pub path: PathBuf,
    #[serde(with = "as_text")]
    pub sha256: Sha256Sum,
    pub bytes: u64,
}

/// A symbolic link to something that is sent or that every machine has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShippedLink {
    pub path: PathBuf,
    /// Absolute, or relative to the link's folder.
    pub target: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum PlayerFilesError {
    #[error("cannot read {}: {error}", shown(path))]
    Read { path: PathBuf, error: io::Error },
    #[error("cannot write {}: {error}", shown(path))]
    Write { path: PathBuf, error: io::Error },
    #[error(
        "a player has more than {MAX_FILES} files, including {}; grant it only what it needs",
        shown(.0)
    )]
    TooManyFiles(PathBuf),
    #[error(
        "a player's files total at least {bytes} bytes, including {}; at most {MAX_BYTES} are sent",
        shown(path)
    )]
    TooLarge { path: PathBuf, bytes: u64 },
    #[error(
        "{} is a link to {}, which is outside the granted folder; replace it with a relative link \
         within the folder, or with the file",
        shown(link),
        shown(target)
    )]
    LinkOut { link: PathBuf, target: PathBuf },
    #[error("{} is neither a file nor a folder and cannot be sent", shown(.0))]
    NotAFile(PathBuf),
    #[error("the path {0:?} is not UTF-8; rename it")]
    NotUtf8(PathBuf),
    #[error("{} differs from machine to machine and cannot be sent; do not grant it", shown(.0))]
    OfOneMachine(PathBuf),
    #[error("the option {} is secret and cannot be sent; leave it out", printable(.0))]
    Secret(String),
    #[error("the description of the player is invalid: {0}")]
    Invalid(String),
    #[error(
        "the player needs {}, which this machine does not have; install it, or let another \
         machine play",
        shown(.0)
    )]
    Missing(PathBuf),
    #[error("the program {} {error}", shown(path))]
    Program {
        path: PathBuf,
        error: ExecutableError,
    },
    #[error("the folder {} cannot hold a player's files: {reason}", shown(root))]
    Root { root: PathBuf, reason: &'static str },
}

/// Returns whether every machine uses its own copy of a readable file or folder, at the same path.
fn is_system_data(path: &Path) -> bool {
    SYSTEM_DATA.iter().any(|folder| path.starts_with(folder))
}

/// Returns whether a program is an interpreter that every machine has at the same path.
fn is_system_interpreter(path: &Path) -> bool {
    SYSTEM_PROGRAMS
        .iter()
        .any(|folder| path.starts_with(folder))
        && path.file_name().is_some_and(EngineCommand::is_interpreter)
}

/// Returns whether the path or the target of a link is the same on every machine.
fn is_of_system(path: &Path) -> bool {
    is_system_data(path) || is_system_interpreter(path)
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

/// Serializes a value as its text.
mod as_text {
    use super::{Deserialize, Deserializer, FromStr, Serializer, de, fmt};

    pub(super) fn serialize<S: Serializer>(
        value: &impl fmt::Display,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
    where
        D: Deserializer<'de>,
        T: FromStr<Err: fmt::Display>,
    {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}
