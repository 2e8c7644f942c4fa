//! Starts the processes of a pool.

use std::sync::Arc;

use ai_api::OptionSetting;

use crate::{process::WorkerProcess, start_error::StartError, worker_program::WorkerProgram};
use config::AiSettings;
use library::SealedLibrary;

/// The library, settings and options that every process of a pool starts with.
#[derive(Debug)]
pub(crate) struct WorkerSpec {
    pub(crate) settings: AiSettings,
    pub(crate) program: WorkerProgram,
    pub(crate) library: Arc<SealedLibrary>,
    pub(crate) options: Vec<OptionSetting>,
}

impl WorkerSpec {
    /// Starts a process and creates the instance.
    ///
    /// # Errors
    /// The worker failed to start.
    pub(super) async fn start(&self) -> Result<WorkerProcess, StartError> {
        let (program, settings) = (&self.program, &self.settings);
        let (process, _) = WorkerProcess::start(program, &self.library, settings, &self.options).await?;
        process.create(self.options.clone()).await
    }
}
