//! The AIs: which there are, and asking them. Each lives in worker processes of its own; one thread looks after them all.

pub mod cgroup;
pub mod fault;

mod child;
mod computing;
mod worker_pool;
mod manifest_check;
mod listener;
mod memory;
mod stdio_capture;
mod worker_session;
mod process;
mod frame_decoder;
mod stats;
mod requester;
mod starting;
mod generation;
mod supervisor;
mod smoke_test;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use ai_api::{Capabilities, Limits, OptionSetting, OptionSpec};
use tokio::sync::watch;

pub use crate::worker_pool::State;
pub use fault::{Fault, FaultReason, Stall};
#[doc(hidden)]
pub use frame_decoder::Received;
pub use generation::{Changes, NextGeneration, Retry};
pub use listener::Listener;
pub use process::StartError;
pub use requester::Requester;
pub use smoke_test::{Expectation, FailedSmokeTest, SmokeTest};
pub use starting::{AiStartError, Inspection, Inspections, StartErrors, inspect};
pub use stats::{AiStats, LastFault, seconds};
pub use worker_session::{Heard, Interruption, WorkerSession};

use crate::worker_pool::WorkerPool;
use cgroup::{CgroupStatus, Cgroups};
use config::{AiSettings, Config, DroppedIn, SkippedLibrary};
use library::sha256::Sha256Sum;
use protocol::{Confined, Job, Response, SandboxSettings};
use starting::candidates;
use supervisor::Supervisor;

/// The binary of the workers: the server's own, except in tests.
#[derive(Clone, Debug)]
pub struct WorkerProgram {
    path: PathBuf,
    /// The cgroups of the workers.
    cgroups: Arc<Cgroups>,
}

impl WorkerProgram {
    /// The binary of this process, even if its file was replaced.
    pub fn this_binary() -> Self {
        Self::at(Path::new("/proc/self/exe"))
    }

    /// Another `rookery` binary.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_path_buf(), cgroups: Arc::new(Cgroups::unused()) }
    }

    /// Puts each worker into a cgroup.
    #[must_use]
    pub fn in_cgroups(self, cgroups: Arc<Cgroups>) -> Self {
        Self { cgroups, ..self }
    }
}

/// All AIs of a configuration, ready. Dropping it stops the workers of those that no other generation shares.
#[derive(Debug)]
pub struct Ais {
    by_id: BTreeMap<String, Arc<Ai>>,
    skipped: Vec<SkippedLibrary>,
    supervisor: Arc<Supervisor>,
}

/// One AI: its settings, its manifest and its pool. After the last reference is dropped, its workers finish their requests and
/// stop.
#[derive(Debug)]
pub struct Ai {
    /// Its id.
    pub id: String,
    /// Its settings.
    pub settings: AiSettings,
    /// Its manifest, cleaned.
    pub about: About,
    /// The file name of its library.
    pub library_file: String,
    /// The SHA-256 of its library.
    pub library_sha256: Sha256Sum,
    /// The limit of a request without one.
    pub limit: Limits,
    /// The hard limit of one request.
    pub move_timeout: Duration,
    /// The grants of its workers.
    pub sandbox: SandboxSettings,
    /// The enforced part of the sandbox, as reported by its first worker before any code of the AI ran.
    pub confined: Confined,
    /// The controllers of its cgroups.
    pub cgroup: CgroupStatus,
    pool: Arc<WorkerPool>,
    /// Its counters.
    pub stats: Arc<AiStats>,
}

/// The manifest of an AI, cleaned for display.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Its display name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its author.
    pub author: String,
    /// Whether it has its own search.
    pub searcher: bool,
    /// Whether it evaluates positions.
    pub evaluator: bool,
    /// Its declared options.
    pub options: Vec<OptionSpec>,
    /// Its capabilities and needs.
    pub capabilities: Capabilities,
}

/// The context of one request.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// The requester. Requesters take turns.
    pub requester: Requester,
    /// Turns true to stop the search.
    pub stop: Option<watch::Receiver<bool>>,
    /// Turns true on a ponder hit, for a request that [ponders](SearchParams::ponder).
    pub ponder_hit: Option<watch::Receiver<bool>>,
    /// The hard limit; by default the AI's [`move_timeout`](Ai::move_timeout).
    pub time_allowed: Option<Duration>,
    /// Whether it is retried if its worker dies.
    pub retry: RetryPolicy,
}

/// Whether a request whose worker died is sent to another worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryPolicy {
    /// To one other worker, for a client that wants an answer.
    Once,
    /// To none, for a caller that wants to know what the AI did.
    Never,
}

impl Default for RequestContext {
    /// A local requester, without limits of its own.
    fn default() -> Self {
        Self::of(Requester::Local)
    }
}

impl RequestContext {
    /// A requester, without limits of its own.
    pub fn of(requester: Requester) -> Self {
        Self { requester, stop: None, ponder_hit: None, time_allowed: None, retry: RetryPolicy::Once }
    }

    /// Resolves when the search must stop.
    fn stopped(&self) -> impl Future<Output = ()> + use<> {
        turns_true(self.stop.clone())
    }

    /// Resolves on a ponder hit.
    fn ponder_hit(&self) -> impl Future<Output = ()> + use<> {
        turns_true(self.ponder_hit.clone())
    }
}

/// Resolves when the flag becomes true; pending forever without a sender.
async fn turns_true(said: Option<watch::Receiver<bool>>) {
    if let Some(mut said) = said
        && said.wait_for(|said| *said).await.is_ok()
    {
        return;
    }
    std::future::pending::<()>().await;
}

impl Ais {
    /// Starts every AI of the configuration, without dropped-in ones. Blocks until all are ready.
    ///
    /// # Errors
    /// All errors of all AIs: of loading, starting and options.
    pub fn start(config: &Config, program: WorkerProgram) -> Result<Self, StartErrors> {
        let none: Arc<[SmokeTest]> = [].into();
        // Configured AIs run no smoke tests.
        let configured = candidates(config).into_iter().map(|read| Ok((read?, Arc::clone(&none))));
        let nobody = Self::nobody(program)?;
        let dropped_in = DroppedIn::default();
        Ok(nobody.next_generation(config, BTreeMap::new(), configured.collect(), dropped_in, &none)?.ais)
    }

    /// The skipped libraries of the plugin directories.
    pub fn skipped(&self) -> &[SkippedLibrary] {
        &self.skipped
    }

    /// Returns the AI with an id.
    pub fn get(&self, id: &str) -> Option<&Arc<Ai>> {
        self.by_id.get(id)
    }

    /// Every AI, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Ai>> {
        self.by_id.values()
    }

    /// Drains all requests, then stops every worker. Blocks for at most `at_most`.
    pub fn stop(&self, at_most: Duration) {
        self.supervisor.stop(at_most);
    }
}

impl Ai {
    /// Runs a request. Dropping the future cancels it and releases its slot. `listener` receives each iteration.
    ///
    /// # Errors
    /// The fault of the AI, or the reason why the request was rejected.
    pub async fn ask(&self, question: Job, listener: Option<Box<dyn Listener>>) -> Result<Response, Fault> {
        self.ask_with(RequestContext::default(), question, listener).await
    }

    /// As [`ask`](Self::ask), with a context of its own.
    ///
    /// # Errors
    /// The fault of the AI, or the reason why the request was rejected.
    pub async fn ask_with(
        &self,
        context: RequestContext,
        question: Job,
        listener: Option<Box<dyn Listener>>,
    ) -> Result<Response, Fault> {
        self.pool.ask(context, question, listener).await
    }

    /// The configured value of every option.
    pub fn options(&self) -> &[OptionSetting] {
        self.pool.options()
    }

    /// The hard limit of one request.
    pub fn thinking_time(&self) -> Duration {
        process::thinking_time(self.move_timeout)
    }

    /// Its state: the best state of any worker, unless the circuit is open.
    pub fn state(&self) -> State {
        self.pool.state()
    }

    /// Whether the circuit is closed for all clients, whatever holds for single ones.
    pub fn is_available(&self) -> bool {
        self.pool.is_available()
    }

    /// The number of workers in each state.
    pub fn workers_by_state(&self) -> [(State, usize); State::ALL.len()] {
        self.pool.workers_by_state()
    }

    /// The number of queued requests.
    pub fn queue_length(&self) -> usize {
        self.pool.queue_length()
    }
}

impl Drop for Ai {
    fn drop(&mut self) {
        self.pool.close();
    }
}
