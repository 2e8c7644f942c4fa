//! Errors of commands and their exit status.

use std::{env, io, process::ExitCode};

use serde::Serialize;

use crate::log::report;
use config::{ConfigErrors, ConfigIssue, UnknownAi, WriteConfigError};
use pool::StartErrors;
use text::{counted, visible};

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

/// How an error is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorForm {
    Text,
    /// One line, after any messages.
    Json,
}

impl ErrorForm {
    /// Returns `Json` if the command line contains `--json`.
    pub(crate) fn of_arguments() -> Self {
        let mut flags = env::args_os().take_while(|word| word != "--");
        if flags.any(|word| word == "--json") {
            Self::Json
        } else {
            Self::Text
        }
    }
}

/// An error as JSON, with the members of an HTTP API problem.
#[derive(Debug, Serialize)]
struct FailureReply {
    code: &'static str,
    detail: String,
    exit_status: u8,
    /// Errors in the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    issues: Vec<ConfigIssue>,
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
        Self::Other(anyhow::anyhow!(
            "cannot get random bytes from the operating system: {error}"
        ))
    }
}

impl Failure {
    /// Returns the error for invalid arguments.
    pub(crate) fn of_arguments(error: &clap::Error) -> Self {
        let text = error.render().to_string();
        Self::Usage(
            text.strip_prefix("error: ")
                .unwrap_or(&text)
                .trim_end()
                .to_owned(),
        )
    }

    /// Reports the error and returns the exit status. A closed standard output counts as success.
    pub(crate) fn report(&self, form: ErrorForm) -> ExitCode {
        if matches!(self, Self::Other(error) if is_broken_pipe(error)) {
            return ExitCode::SUCCESS;
        }
        let text = match (form, self) {
            (ErrorForm::Json, _) => serde_json::to_string(&self.problem()).unwrap_or_default(),
            // Each line of these errors begins with "error:".
            (ErrorForm::Text, Self::Configuration(_) | Self::Start(_)) => {
                visible(&self.to_string())
            }
            (ErrorForm::Text, _) => visible(&format!("error: {}", self.detail())),
        };
        report(&text);
        ExitCode::from(self.exit_status())
    }

    const fn exit_status(&self) -> u8 {
        if matches!(self, Self::Other(_)) { 1 } else { 2 }
    }

    fn detail(&self) -> String {
        match self {
            Self::Other(error) => format!("{error:#}"),
            _ => self.to_string(),
        }
    }

    fn problem(&self) -> FailureReply {
        let of_issues = |issues: &[ConfigIssue]| {
            format!("{} in the configuration", counted(issues.len(), "error"))
        };
        let (code, detail, issues) = match self {
            Self::Usage(_) => ("wrong_usage", self.detail(), Vec::new()),
            Self::UnknownAi(_) => ("unknown_ai", self.detail(), Vec::new()),
            Self::Configuration(errors) => (
                "wrong_configuration",
                of_issues(errors.issues()),
                errors.issues().to_vec(),
            ),
            Self::Start(errors) => {
                let issues: Vec<_> = errors
                    .0
                    .iter()
                    .filter_map(|error| error.issue().cloned())
                    .collect();
                let detail = if issues.len() == errors.0.len() {
                    of_issues(&issues)
                } else {
                    self.detail()
                };
                ("ai_not_started", detail, issues)
            }
            Self::Other(_) => ("failed", self.detail(), Vec::new()),
        };
        FailureReply {
            code,
            detail: visible(&detail),
            exit_status: self.exit_status(),
            issues,
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
