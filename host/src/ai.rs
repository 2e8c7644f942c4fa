//! The AIs: which there are, and asking them. Each lives in worker processes of its own; one thread looks after them all.

pub(crate) mod sanitize;
pub mod cgroup;
pub mod fault;
pub mod library;
pub mod protocol;

mod child;
mod computing;
mod pool;
mod manifest_check;
mod discovery;
mod listener;
mod memory;
mod stdio_capture;
mod worker_session;
mod process;
mod frame_decoder;
mod record;
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

pub(crate) use discovery::DroppedIn;
pub use discovery::{SkippedLibrary, UnknownAi, WhyPassedOver, ensure_known};
pub use fault::{Fault, FaultReason, Stall};
#[doc(hidden)]
pub use frame_decoder::Received;
pub use generation::{Changes, NextGeneration, Retry};
pub use listener::Listener;
pub use pool::State;
pub use process::StartError;
pub use protocol::{
    Confined, Findings, Iteration, Job, MAX_LINES, MAX_TRACE_NODES, Missing, Protection, SearchParams, Task,
};
pub use record::{LastFault, Record};
pub use requester::Requester;
pub use smoke_test::{FailedSmokeTest, Judge, SmokeTest};
pub use starting::{AiStartError, Inspection, Inspections, StartErrors, inspect};
pub use worker_session::{Heard, Interruption, WorkerSession};

use crate::{
    config::{AiSettings, Config, SandboxSettings},
    sha256::Sha256Sum,
};
use cgroup::{CgroupStatus, Cgroups};
use library::SealedLibrary;
use pool::WorkerPool;
use starting::candidates;
use supervisor::Supervisor;

/// Which binary the workers are. The server's own, unless a test says otherwise.
#[derive(Clone, Debug)]
pub struct WorkerProgram {
    path: PathBuf,
    /// Where its workers run.
    cgroups: Arc<Cgroups>,
}

impl WorkerProgram {
    /// The binary of this process, even where its file has been replaced meanwhile.
    pub fn this_binary() -> Self {
        Self::at(Path::new("/proc/self/exe"))
    }

    /// Another `rookery` binary.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_path_buf(), cgroups: Arc::new(Cgroups::unused()) }
    }

    /// The same, whose workers get cgroups of their own.
    #[must_use]
    pub fn in_cgroups(self, cgroups: Arc<Cgroups>) -> Self {
        Self { cgroups, ..self }
    }
}

/// All AIs of a configuration, ready to be asked. Dropping it ends the workers of those that no other configuration shares.
#[derive(Debug)]
pub struct Ais {
    by_id: BTreeMap<String, Arc<Ai>>,
    skipped: Vec<SkippedLibrary>,
    supervisor: Arc<Supervisor>,
}

/// One AI, as it is configured and as it describes itself. When the last one who holds it lets go of it, its workers finish
/// what they were asked and end.
#[derive(Debug)]
pub struct Ai {
    /// What clients call it.
    pub id: String,
    /// How it is configured.
    pub settings: AiSettings,
    /// What it says of itself.
    pub about: About,
    /// The name of its library's file, without the folder.
    pub library_file: String,
    /// The SHA-256 of its library.
    pub library_sha256: Sha256Sum,
    /// For a request that sets none.
    pub limit: Limits,
    /// The hard limit of one answer.
    pub move_timeout: Duration,
    /// What its workers may do.
    pub sandbox: SandboxSettings,
    /// What of that is enforced, as its first worker found before any code of the AI ran.
    pub confined: Confined,
    /// What cgroups enforce beside that.
    pub cgroup: CgroupStatus,
    pool: Arc<WorkerPool>,
    /// What is remembered of its work.
    pub record: Arc<Record>,
}

/// What an AI says of itself, fit to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// A name for people.
    pub name: String,
    /// The AI's own version.
    pub version: String,
    /// Who wrote it.
    pub author: String,
    /// Whether it has its own search.
    pub searcher: bool,
    /// Whether it judges positions.
    pub evaluator: bool,
    /// The options it declares.
    pub options: Vec<OptionSpec>,
    /// What it can do beyond the simplest, and what it needs.
    pub capabilities: Capabilities,
}

/// What holds for one question, beyond what holds for every question to its AI.
#[derive(Clone, Debug)]
pub struct RequestContext {
    /// The party that asks: parties take turns.
    pub requester: Requester,
    /// Turns true when the AI shall answer with what it has.
    pub stop: Option<watch::Receiver<bool>>,
    /// Turns true when the opponent has played what a question that [ponders](SearchParams::ponder) expects.
    pub ponder_hit: Option<watch::Receiver<bool>>,
    /// The hard limit of the answer; left out, the AI's [`move_timeout`](Ai::move_timeout).
    pub time_allowed: Option<Duration>,
    /// What becomes of the question if the AI's worker dies of it.
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
    /// Nobody in particular asks, and nothing else holds.
    fn default() -> Self {
        Self::of(Requester::Local)
    }
}

impl RequestContext {
    /// A party asks, and nothing else holds.
    pub fn of(requester: Requester) -> Self {
        Self { requester, stop: None, ponder_hit: None, time_allowed: None, retry: RetryPolicy::Once }
    }

    /// Comes when the AI shall answer with what it has.
    fn stopped(&self) -> impl Future<Output = ()> + use<> {
        turns_true(self.stop.clone())
    }

    /// Comes when the opponent has played what is expected.
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
    /// Loads every AI of the configuration, and none that was dropped in, and makes its instances. Blocks until all are
    /// ready.
    ///
    /// # Errors
    /// Every AI that can't be loaded or made, and every option that one does not allow.
    pub fn start(config: &Config, program: WorkerProgram) -> Result<Self, StartErrors> {
        let none: Arc<[SmokeTest]> = [].into();
        // An AI of the configuration is trusted to work.
        let configured = candidates(config).into_iter().map(|read| Ok((read?, Arc::clone(&none))));
        let nobody = Self::nobody(program)?;
        let dropped_in = DroppedIn::default();
        Ok(nobody.next_generation(config, BTreeMap::new(), configured.collect(), dropped_in, &none)?.ais)
    }

    /// The libraries in the plugin directories that are not served, though they could be.
    pub fn skipped(&self) -> &[SkippedLibrary] {
        &self.skipped
    }

    /// The AI of an id.
    pub fn get(&self, id: &str) -> Option<&Arc<Ai>> {
        self.by_id.get(id)
    }

    /// Every AI, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Ai>> {
        self.by_id.values()
    }

    /// Lets running answers finish, then ends every worker. Blocks until they are gone, but no longer than `at_most`.
    pub fn stop(&self, at_most: Duration) {
        self.supervisor.stop(at_most);
    }
}

impl Ai {
    /// Asks the AI. Dropping the future frees its place.
    ///
    /// `listener` hears of each finished iteration.
    ///
    /// # Errors
    /// What the AI did instead of answering, or why it was not asked.
    pub async fn ask(&self, question: Job, listener: Option<Box<dyn Listener>>) -> Result<Findings, Fault> {
        self.ask_with(RequestContext::default(), question, listener).await
    }

    /// As [`ask`](Self::ask), with a context of its own.
    ///
    /// # Errors
    /// What the AI did instead of answering, or why it was not asked.
    pub async fn ask_with(
        &self,
        context: RequestContext,
        question: Job,
        listener: Option<Box<dyn Listener>>,
    ) -> Result<Findings, Fault> {
        self.pool.ask(context, question, listener).await
    }

    /// The value of every option that it declares, as configured.
    pub fn options(&self) -> &[OptionSetting] {
        self.pool.options()
    }

    /// How long an answer may take before the AI is asked to stop.
    pub fn thinking_time(&self) -> Duration {
        process::thinking_time(self.move_timeout)
    }

    /// What it is doing, which is the best that one of its workers does, unless it is left alone.
    pub fn state(&self) -> State {
        self.pool.state()
    }

    /// Whether it is not left alone, whatever single clients are kept away.
    pub fn is_available(&self) -> bool {
        self.pool.is_available()
    }

    /// How many of its workers are in each state.
    pub fn workers_by_state(&self) -> [(State, usize); State::ALL.len()] {
        self.pool.workers_by_state()
    }

    /// How many requests wait for their turn.
    pub fn queue_length(&self) -> usize {
        self.pool.queue_length()
    }
}

impl Drop for Ai {
    fn drop(&mut self) {
        self.pool.close();
    }
}
