//! The worker that probes tablebases for the host. The server itself opens no table, because a
//! damaged one can crash a process.

use std::{path::PathBuf, sync::Arc};

use tokio::{sync::OnceCell, task::spawn_blocking};

use crate::{
    ai::Ai, fault::Fault, request_context::RequestContext, start::ais::StartErrors,
    supervisor::Supervisor,
};
use config::{Candidate, Config, tablebase_worker};
use library::SealedLibrary;
use protocol::{Job, Probed, Response};

/// The worker's name in logs.
const ID: &str = "tablebases";

/// The tables of one configuration. The first probe starts the worker.
#[derive(Debug)]
pub struct Tablebases {
    config: Config,
    /// Empty if tablebases are off.
    directories: Vec<PathBuf>,
    supervisor: Arc<Supervisor>,
    worker: OnceCell<Arc<Ai>>,
}

/// Why tables can't be probed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TablebaseError {
    #[error("the tablebase worker failed to start: {0}")]
    Start(Arc<StartErrors>),
    #[error("the tablebase worker failed: {0}")]
    Fault(Fault),
}

impl Tablebases {
    pub(crate) fn new(config: &Config, supervisor: Arc<Supervisor>) -> Self {
        let directories = config.tablebases.directories();
        Self {
            config: config.clone(),
            directories,
            supervisor,
            worker: OnceCell::new(),
        }
    }

    /// Returns whether no directory is configured.
    pub const fn is_off(&self) -> bool {
        self.directories.is_empty()
    }

    /// Probes the last position of a job's game. Dropping the future cancels the probe.
    ///
    /// # Errors
    /// The worker can't start or fails, or its queue is full.
    pub async fn probe(&self, context: RequestContext, job: Job) -> Result<Probed, TablebaseError> {
        let started = self.worker.get_or_try_init(|| self.start()).await;
        let worker = started.map_err(|errors| TablebaseError::Start(Arc::new(errors)))?;
        // The probe runs on this machine, which always has a worker.
        let context = RequestContext {
            local_only: true,
            ..context
        };
        match worker.ask(context, job, None).await {
            Ok(Response::Probed(probed)) => Ok(probed),
            Ok(_) => Err(TablebaseError::Fault(Fault::unexpected_reply())),
            Err(fault) => Err(TablebaseError::Fault(fault)),
        }
    }

    /// Starts the worker, on a thread that may block.
    async fn start(&self) -> Result<Arc<Ai>, StartErrors> {
        let (config, supervisor) = (self.config.clone(), Arc::clone(&self.supervisor));
        let directories = self.directories.clone();
        let start = move || {
            let settings = tablebase_worker(ID, directories);
            let library = Arc::new(SealedLibrary::built_in()?);
            supervisor.start_all(vec![Candidate::new(settings, library)], &config, Vec::new())
        };
        let started = spawn_blocking(start)
            .await
            .map_err(std::io::Error::other)
            .flatten();
        let outcome = started.map_err(StartErrors::supervisor)?.pop();
        outcome
            .unwrap_or_else(|| Err(Vec::new()))
            .map_err(StartErrors)
    }
}
