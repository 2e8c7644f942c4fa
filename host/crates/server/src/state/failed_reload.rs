//! The errors of a failed reload, for operators and for clients.

use std::time::SystemTime;

use serde::Serialize;
use utoipa::ToSchema;

use api::words::rfc3339;
use config::ConfigErrors;
use pool::{AiStartError, StartErrors};

/// The error of a failed reload.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// The configuration file is invalid.
    #[error(transparent)]
    Configuration(#[from] ConfigErrors),
    /// An AI does not start.
    #[error(transparent)]
    Start(#[from] StartErrors),
}

impl ReloadError {
    /// Returns the message of each error, for the operator.
    pub fn texts(&self) -> Vec<String> {
        match self {
            Self::Configuration(errors) => {
                errors.issues().iter().map(ToString::to_string).collect()
            }
            Self::Start(errors) => errors.0.iter().map(ToString::to_string).collect(),
        }
    }

    /// Returns the error messages without what only operators may see: paths, lines of the file, an
    /// AI's messages.
    fn short_texts(&self) -> Vec<String> {
        match self {
            Self::Configuration(errors) => {
                let count = errors.issues().len();
                let plural = if count == 1 { "" } else { "s" };
                vec![format!("the configuration has {count} error{plural}")]
            }
            Self::Start(errors) => errors.0.iter().map(short_text).collect(),
        }
    }
}

fn short_text(error: &AiStartError) -> String {
    let summary = match error {
        AiStartError::Option { .. } => {
            "the configuration sets an option that the AI does not allow".into()
        }
        AiStartError::Read { .. } => "its library can't be read".into(),
        AiStartError::Pin { .. } => {
            "its library or another of its files does not match its pin".into()
        }
        AiStartError::Supervisor(_) => return "the server is shutting down".into(),
        AiStartError::Start { source, .. } => source.summary(),
    };
    error
        .ai()
        .map_or_else(|| summary.clone(), |id| format!("AI '{id}': {summary}"))
}

/// The last reload, if it failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FailedReload {
    /// The time (RFC 3339).
    pub failed_at: String,
    /// The errors.
    pub errors: Vec<String>,
    /// The errors with details, for administrators.
    #[serde(skip)]
    details: Vec<String>,
}

impl FailedReload {
    /// Creates the record of a reload that has just failed.
    pub(crate) fn now(error: &ReloadError) -> Self {
        Self {
            failed_at: rfc3339(SystemTime::now()),
            errors: error.short_texts(),
            details: error.texts(),
        }
    }

    /// Returns this record with all details, for an administrator.
    #[must_use]
    pub fn in_full(&self) -> Self {
        Self {
            errors: self.details.clone(),
            ..self.clone()
        }
    }
}
