//! One AI: its settings, its manifest and its worker pool.

use std::{sync::Arc, time::Duration};

use ai_api::{Limits, OptionSetting};
use tokio::{sync::watch, task::JoinSet};

use crate::{
    about::About,
    cgroup::CgroupStatus,
    fault::Fault,
    listener::Listener,
    process::thinking_time,
    request_context::RequestContext,
    starting::StartedAi,
    stats::AiStats,
    worker_pool::{State, WorkerPool, WorkerSpec},
};
use config::AiSettings;
use library::sha256::Sha256Sum;
use protocol::{Confined, Job, Response, SandboxSettings};

/// An AI that serves requests. After the last reference is dropped, its workers finish their jobs and stop.
#[derive(Debug)]
pub struct Ai {
    pub id: String,
    /// As configured.
    pub settings: AiSettings,
    pub about: About,
    pub library_file: String,
    pub library_sha256: Sha256Sum,
    /// The limit of a search without one.
    pub limit: Limits,
    /// The hard limit of one request.
    pub move_timeout: Duration,
    /// The grants of its workers, with the files that its options name.
    pub sandbox: SandboxSettings,
    /// The enforced part of the sandbox, as reported by its first worker before any code of the AI ran.
    pub confined: Confined,
    pub cgroup: CgroupStatus,
    pool: WorkerPool,
    pub stats: Arc<AiStats>,
}

impl Ai {
    /// Starts the queue and the workers as tasks of the calling thread.
    pub(crate) fn launch(
        started: StartedAi,
        stop: &watch::Receiver<bool>,
        workers: &mut JoinSet<()>,
    ) -> Arc<Self> {
        let StartedAi { configured, about, spec, process } = started;
        let WorkerSpec { settings, library, .. } = &spec;
        for missing in &process.confined.missing {
            tracing::warn!(ai = %settings.id, %missing, "a part of the sandbox is not enforced");
        }
        let stats = Arc::new(AiStats::new(settings.workers));
        let library_file = library.file().file_name().map(|name| name.to_string_lossy().into_owned());
        Arc::new(Self {
            id: settings.id.clone(),
            about,
            library_file: library_file.unwrap_or_default(),
            library_sha256: library.sha256(),
            limit: settings.limit,
            move_timeout: Duration::from_millis(settings.move_timeout_ms),
            confined: process.confined.clone(),
            cgroup: process.cgroup_status.clone(),
            settings: configured,
            sandbox: settings.sandbox.clone(),
            pool: WorkerPool::launch(spec, Arc::clone(&stats), process, stop, workers),
            stats,
        })
    }

    /// Runs a job. Dropping the future cancels it and releases its slot. `listener` receives each iteration.
    ///
    /// # Errors
    /// The fault of the AI, or the reason why the request was rejected.
    pub async fn ask(
        &self,
        context: RequestContext,
        job: Job,
        listener: Option<Box<dyn Listener>>,
    ) -> Result<Response, Fault> {
        self.pool.run(context, job, listener).await
    }

    /// Returns the configured value of every option.
    pub fn options(&self) -> &[OptionSetting] {
        self.pool.options()
    }

    /// Returns the time after which the host stops a search, shortly before the hard limit.
    pub fn thinking_time(&self) -> Duration {
        thinking_time(self.move_timeout)
    }

    /// Returns the best state of any worker, unless the circuit is open.
    pub fn state(&self) -> State {
        self.pool.state()
    }

    /// Returns whether the circuit is closed for all clients, whatever holds for single ones.
    pub fn is_available(&self) -> bool {
        self.pool.is_available()
    }

    pub fn workers_by_state(&self) -> Vec<(State, usize)> {
        self.pool.workers_by_state()
    }

    pub fn queue_length(&self) -> usize {
        self.pool.queue_length()
    }
}
