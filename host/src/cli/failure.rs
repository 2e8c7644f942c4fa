//! Errors of commands and their exit status.

use std::{io, process::ExitCode};

use crate::log::report;
use config::{ConfigErrors, UnknownAi, WriteConfigError};
use pool::StartErrors;
use text::visible;

/// The error of a command: `Other` exits with status 1, the other variants with 2.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    UnknownAi(#[from] UnknownAi),
    #[error("{0}")]
    Configuration(#[from] ConfigErrors),
    #[error("{0}")]
    Start(#[from] StartErrors),
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Other(error.into())
    }
}

impl From<WriteConfigError> for Failure {
    fn from(error: WriteConfigError) -> Self {
        Self::Other(error.into())
    }
}

impl From<getrandom::Error> for Failure {
    fn from(error: getrandom::Error) -> Self {
        Self::Other(anyhow::anyhow!("cannot get random bytes from the operating system: {error}"))
    }
}

impl Failure {
    /// Reports the error and returns the exit status. A closed standard output is a success.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            // Each of their lines begins with "error:".
            Self::Configuration(_) | Self::Start(_) => report(&visible(&self.to_string())),
            Self::Usage(_) | Self::UnknownAi(_) => report(&visible(&format!("error: {self}"))),
            Self::Other(error) if is_broken_pipe(error) => return ExitCode::SUCCESS,
            Self::Other(error) => report(&visible(&format!("error: {error:#}"))),
        }
        match self {
            Self::Other(_) => ExitCode::FAILURE,
            _ => ExitCode::from(2),
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
