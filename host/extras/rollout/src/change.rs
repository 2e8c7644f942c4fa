//! Promotes or aborts a candidate in the text of a configuration.

use std::path::PathBuf;

use config::{ConfigErrors, FileEdit, SectionId, WriteConfigError};

/// A change that ends a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RolloutChange {
    /// The candidate replaces its AI, under the AI's id.
    Promote,
    /// The candidate is removed.
    Abort,
}

#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    #[error("{0}")]
    Config(#[from] ConfigErrors),
    #[error("{0}")]
    Write(#[from] WriteConfigError),
    #[error("[ai.{0}] has no `candidate`")]
    NoCandidate(String),
    #[error("found no [ai.{0}]")]
    NoSection(String),
}

/// The keys of a section that set its candidate.
const ROLLOUT_KEYS: [&str; 3] = ["candidate", "shadow", "canary"];
const FALLBACK: &str = "fallback";

impl RolloutChange {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Promote => "promote",
            Self::Abort => "abort",
        }
    }

    /// Changes an AI's section, and removes its candidate's section unless another section names
    /// it. Returns the id of the candidate.
    ///
    /// # Errors
    /// The AI has no section or no candidate.
    pub fn apply(self, edit: &mut FileEdit, ai: &str) -> Result<String, ChangeError> {
        let section = SectionId::Ai(ai);
        if edit.section(section).is_none() {
            return Err(ChangeError::NoSection(ai.to_owned()));
        }
        let candidate = edit.texts(section, "candidate").pop();
        let candidate = candidate.ok_or_else(|| ChangeError::NoCandidate(ai.to_owned()))?;
        let from = SectionId::Ai(&candidate);
        edit.remove_keys(section, &ROLLOUT_KEYS);
        if self == Self::Promote {
            // The AI cannot be its own fallback.
            if edit.texts(from, FALLBACK) == [ai] {
                edit.remove_keys(from, &[FALLBACK]);
            }
            edit.replace(section, from, &[FALLBACK]);
        }
        let is_named = match edit.load() {
            Ok(config) => config.names_ai(&candidate),
            Err(_) => true,
        };
        if !is_named {
            edit.remove(from);
        }
        Ok(candidate)
    }

    /// Keeps a copy of the unchanged file next to the file. Returns the copy's path.
    ///
    /// # Errors
    /// The copy cannot be written.
    pub fn keep_copy(self, edit: &FileEdit, ai: &str) -> Result<PathBuf, WriteConfigError> {
        edit.keep_copy(&format!("before-{}-{ai}", self.name()))
    }
}
