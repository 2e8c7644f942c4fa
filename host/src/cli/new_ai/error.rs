//! Why a new AI's folder is not written.

use std::{io, path::PathBuf};

#[derive(Debug, thiserror::Error)]
pub(crate) enum NewAiError {
    #[error(
        "'{0}' is not a valid AI name: expected a letter from a to z, then at most 63 \
         letters from a to z, digits, underscores and hyphens"
    )]
    InvalidName(String),
    #[error(
        "'{0}' is not a valid AI name: it is a Rust keyword or a crate that the AI depends \
         on; try 'ai-{0}'"
    )]
    ReservedName(String),
    #[error(
        "{} does not contain the crates that an AI in Rust needs: expected ai-api, sdk and \
         host/crates/rules; install Rookery's package, which contains them, or name a clone of \
         Rookery with --link PATH",
        .0.display()
    )]
    MissingSources(PathBuf),
    #[error(
        "an AI in Python speaks UCI, which gives the host no evaluation to search with; leave \
         --evaluator out, or choose --lang rust, c or cpp"
    )]
    NoEvaluator,
    #[error(
        "--link names the crates for an AI in Rust, but --lang names another language; leave one \
         of them out"
    )]
    LinkWithoutCrates,
    #[error("{} already exists; choose another name, or remove it", .0.display())]
    Exists(PathBuf),
    #[error("cannot read {}, which an AI in Rust needs", file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("cannot write {}", file.display())]
    Write { file: PathBuf, source: io::Error },
}
