//! The AI under test.

use std::sync::{Arc, Mutex, PoisonError};

use ai_api::OptionSetting;

use crate::failure::CheckFailure;
use config::AiSettings;
use library::SealedLibrary;
use pool::{WorkerProgram, WorkerSession};
use protocol::Manifest;

/// What the AI printed during the last request of a check.
#[derive(Clone, Debug, Default)]
pub struct Printed(Arc<Mutex<String>>);

impl Printed {
    /// Replaces the text, and returns the previous one.
    pub(crate) fn replace(&self, text: String) -> String {
        std::mem::replace(
            &mut self.0.lock().unwrap_or_else(PoisonError::into_inner),
            text,
        )
    }
}

#[derive(Clone, Debug)]
pub struct Subject {
    pub library: Arc<SealedLibrary>,
    /// The options to set; the others keep their defaults.
    pub settings: Vec<OptionSetting>,
    /// The limits and the sandbox of its workers.
    pub ai: AiSettings,
    /// The binary of the workers.
    pub program: WorkerProgram,
    /// The seed of the random games.
    pub seed: u64,
    pub printed: Printed,
}

impl Subject {
    /// Returns whether the AI drives a program. Such an AI reports the program's version.
    pub(crate) const fn drives_a_program(&self) -> bool {
        !self.ai.sandbox.exec.is_empty()
    }

    /// Starts a worker and creates an instance.
    pub(crate) async fn start(&self) -> Result<WorkerSession, CheckFailure> {
        self.start_with(&self.settings).await
    }

    pub(crate) async fn start_with(
        &self,
        settings: &[OptionSetting],
    ) -> Result<WorkerSession, CheckFailure> {
        Ok(WorkerSession::start(&self.program, &self.library, &self.ai, settings).await?)
    }

    /// Starts a worker that reads the manifest but creates no instance.
    pub(crate) async fn load(
        &self,
        settings: &[OptionSetting],
    ) -> Result<WorkerSession, CheckFailure> {
        Ok(WorkerSession::load(&self.program, &self.library, &self.ai, settings).await?)
    }

    /// Returns the manifest, read in a separate worker.
    pub(crate) async fn manifest(&self) -> Result<Manifest, CheckFailure> {
        Ok(self.load(&self.settings).await?.manifest().clone())
    }

    /// Returns the names of the AI's secret options; none if the manifest cannot be read.
    pub async fn secret_options(&self) -> Vec<String> {
        let Ok(manifest) = self.manifest().await else {
            return Vec::new();
        };
        manifest
            .options
            .into_iter()
            .filter(|spec| spec.secret)
            .map(|spec| spec.name)
            .collect()
    }
}
