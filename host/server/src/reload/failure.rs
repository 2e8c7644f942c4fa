//! Why nothing was taken over, for the operator and for those who may know less.

use serde::Serialize;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use utoipa::ToSchema;

use config::ConfigErrors;
use pool::{AiStartError, StartErrors};

/// Why a reload has changed nothing.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// The file can't be used.
    #[error(transparent)]
    Configuration(#[from] ConfigErrors),
    /// Its AIs can't.
    #[error(transparent)]
    Start(#[from] StartErrors),
}

impl ReloadError {
    /// Each error in a text of its own, for the operator.
    pub fn texts(&self) -> Vec<String> {
        match self {
            Self::Configuration(errors) => errors.issues().iter().map(ToString::to_string).collect(),
            Self::Start(errors) => errors.0.iter().map(ToString::to_string).collect(),
        }
    }

    /// Each error without what only the operator may know: paths, lines of the file, words of an AI.
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
    let what = match error {
        AiStartError::Option { .. } => "the configuration sets an option that it does not allow".into(),
        AiStartError::Read { .. } => "its library can't be read".into(),
        AiStartError::Pin { .. } => "its library is not the pinned one".into(),
        AiStartError::Supervisor(_) => return "the server is shutting down".into(),
        AiStartError::Start { source, .. } => source.summary(),
    };
    error.ai().map_or_else(|| what.clone(), |id| format!("AI '{id}': {what}"))
}

/// The last reload, where it failed, as clients are told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FailedReload {
    /// When, as RFC 3339 writes it.
    pub failed_at: String,
    /// Why.
    pub errors: Vec<String>,
    /// All that is known of it, for clients who are administrators.
    #[serde(skip)]
    details: Vec<String>,
}

impl FailedReload {
    /// A reload that has failed just now.
    pub(super) fn now(error: &ReloadError) -> Self {
        let failed_at = OffsetDateTime::now_utc().format(&Rfc3339);
        let failed_at = failed_at.expect("a time of these centuries has a form in RFC 3339");
        Self { failed_at, errors: error.short_texts(), details: error.texts() }
    }

    /// The same with all that is known, for an administrator.
    #[must_use]
    pub fn in_full(&self) -> Self {
        Self { errors: self.details.clone(), ..self.clone() }
    }
}
