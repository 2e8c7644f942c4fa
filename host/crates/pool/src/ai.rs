//! One AI: its settings, its manifest and its worker pool.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use ai_api::{Limits, OptionSetting};
use tokio::{sync::watch, task::JoinSet};

use crate::{
    about::About,
    activity::Activity,
    cgroup::{CgroupStatus, NoCgroup},
    fault::Fault,
    listener::Listener,
    procfs::RunQueue,
    request_context::RequestContext,
    slot::RemoteSlot,
    start::ais::StartedAi,
    stats::AiStats,
    worker_pool::{SlotCount, WorkerPool, WorkerState},
};
use config::AiSettings;
use library::{changed_since, file_access::is_folder, sha256::Sha256Sum};
use protocol::{Confined, Job, Response, SandboxSettings, Task};

/// An AI that serves requests. After the last reference is dropped, its workers finish their jobs
/// and stop.
#[derive(Debug)]
pub struct Ai {
    pub id: String,
    /// The configured settings.
    pub settings: AiSettings,
    /// The number of workers on this machine.
    pub workers: usize,
    pub about: About,
    pub library_file: String,
    pub library_sha256: Sha256Sum,
    /// The hash of its own files, taken before the AI was started.
    pub own_files_sha256: Option<Sha256Sum>,
    /// When these files were read.
    read_at: SystemTime,
    /// The limits for a search whose request sets none.
    pub limit: Limits,
    /// The hard time limit for one request.
    pub move_timeout: Duration,
    /// Its workers' grants, including the files its options name.
    pub sandbox: SandboxSettings,
    /// The enforced part of the sandbox, as reported by its first worker before any code of the AI
    /// ran.
    pub confined: Confined,
    pub cgroup: CgroupStatus,
    /// The hash of everything that determines its moves: library, options and granted files. Set
    /// only in a fleet.
    pub fingerprint: OnceLock<Sha256Sum>,
    /// The same hash, computed on first use; `None` if a file could not be read.
    pub(crate) own_fingerprint: OnceLock<Option<Sha256Sum>>,
    pool: WorkerPool,
    pub stats: Arc<AiStats>,
    activity: Activity,
}

/// An AI as a node describes it.
#[derive(Debug)]
pub struct RemoteAi {
    /// Never sets the number of workers. The library and the granted files are paths on the node,
    /// or empty.
    pub settings: AiSettings,
    pub about: About,
    /// The value of every option.
    pub options: Vec<OptionSetting>,
    pub library_file: String,
    pub library_sha256: Sha256Sum,
    pub confined: Confined,
    pub fingerprint: Sha256Sum,
}

impl Ai {
    /// Returns the files that changed in readable folders after the AI was started. Omits the AI's
    /// own files, whose content is compared instead.
    pub(crate) fn changed_in_folders(&self) -> Vec<PathBuf> {
        let own = self.settings.own_files();
        let folders = self
            .settings
            .sandbox
            .read
            .iter()
            .filter(|path| is_folder(path));
        let changed = folders.flat_map(|folder| changed_since(folder, self.read_at));
        changed.filter(|file| !own.contains(file)).collect()
    }

    /// Starts the queue and the workers as tasks of the calling thread.
    pub(crate) fn launch(
        started: StartedAi,
        activity: Activity,
        stop: &watch::Receiver<bool>,
        workers: &mut JoinSet<()>,
    ) -> Arc<Self> {
        let StartedAi {
            configured,
            own_files_sha256,
            read_at,
            about,
            settings,
            options,
            workers: count,
            spec,
            process,
        } = started;
        let library = &spec.library;
        for missing in &process.confined.missing {
            tracing::warn!(ai = %settings.id, %missing, "part of the sandbox is not enforced");
        }
        let library_file = library
            .file()
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let library_sha256 = library.sha256();
        let (id, limit) = (settings.id.clone(), settings.default_limit());
        let move_timeout = Duration::from_millis(settings.move_timeout_ms);
        let sandbox = settings.sandbox.clone();
        let confined = process.confined.clone();
        let cgroup = process.cgroup_status.clone();
        let pool = WorkerPool::launch(spec, settings, options, count, process, stop, workers);
        Arc::new(Self {
            id,
            about,
            library_file: library_file.unwrap_or_default(),
            library_sha256,
            own_files_sha256,
            read_at,
            limit,
            move_timeout,
            confined,
            cgroup,
            settings: configured,
            workers: count,
            sandbox,
            fingerprint: OnceLock::new(),
            own_fingerprint: OnceLock::new(),
            stats: Arc::clone(pool.stats()),
            pool,
            activity,
        })
    }

    /// Creates an AI without workers on this machine, from a node's description.
    pub fn remote(described: RemoteAi) -> Arc<Self> {
        let RemoteAi {
            settings,
            about,
            options,
            library_file,
            library_sha256,
            confined,
            fingerprint,
        } = described;
        let stats = Arc::new(AiStats::new(0));
        Arc::new(Self {
            id: settings.id.clone(),
            about,
            library_file,
            library_sha256,
            own_files_sha256: None,
            read_at: SystemTime::now(),
            limit: settings.default_limit(),
            move_timeout: Duration::from_millis(settings.move_timeout_ms),
            confined,
            cgroup: CgroupStatus::none(NoCgroup::NotUsed),
            sandbox: settings.sandbox.clone(),
            fingerprint: OnceLock::from(fingerprint),
            own_fingerprint: OnceLock::from(Some(fingerprint)),
            pool: WorkerPool::without_workers(settings.clone(), options, Arc::clone(&stats)),
            settings,
            workers: 0,
            stats,
            activity: Activity::default(),
        })
    }

    /// Runs jobs in a node's slot, in addition to the local workers, until the node is gone or the
    /// AI is dropped.
    pub fn serve<S: RemoteSlot>(&self, node: String, slot: S) -> impl Future<Output = ()> + use<S> {
        self.pool.serve(node, slot)
    }

    /// Returns the slots on other machines that serve the AI, by node name.
    pub fn nodes(&self) -> BTreeMap<String, SlotCount> {
        self.pool.remote_slots()
    }

    /// Returns the AI's fingerprint if its files have been read.
    pub fn known_fingerprint(&self) -> Option<Sha256Sum> {
        self.own_fingerprint.get().copied().flatten()
    }

    /// Returns how many jobs the AI can run in parallel, including on nodes unless `local_only` is
    /// set.
    pub fn slots(&self, local_only: bool) -> usize {
        let nodes = self.nodes().into_values().map(|count| count.slots);
        let remote = if local_only { 0 } else { nodes.sum() };
        self.workers + remote
    }

    /// Runs a job within the configured limit. Dropping the future cancels the job and releases its
    /// slot. `listener` receives each iteration.
    ///
    /// # Errors
    /// The AI's fault, or the reason to reject the request.
    pub fn ask(
        &self,
        context: RequestContext,
        job: Job,
        listener: Option<Box<dyn Listener>>,
    ) -> impl Future<Output = Result<Response, Fault>> + Send + use<> {
        let activity = self.activity.clone();
        let task = match job.task {
            Task::Search(limits) => Task::Search(self.settings.hold_limit(limits)),
            task => task,
        };
        let run = self.pool.run(context, Job { task, ..job }, listener);
        async move {
            let _running = activity.begin();
            run.await
        }
    }

    /// Returns the threads of the AI's workers and how long each has waited for a processor.
    pub fn run_queue(&self) -> RunQueue {
        RunQueue::of(self.stats.processes())
    }

    /// Returns whether only nodes run the AI.
    pub const fn is_remote(&self) -> bool {
        self.workers == 0
    }

    /// Returns the configured value of every option.
    pub fn options(&self) -> &[OptionSetting] {
        self.pool.options()
    }

    /// Returns the time after which the host stops a search, shortly before the hard limit.
    pub fn thinking_time(&self) -> Duration {
        self.settings.thinking_time()
    }

    /// Returns the best state of any worker or slot, or `Quarantined` while the circuit is open.
    pub fn state(&self) -> WorkerState {
        self.pool.state()
    }

    /// Returns whether the AI has slots and a closed circuit. The circuit may still be open for
    /// some clients.
    pub fn is_available(&self) -> bool {
        self.pool.is_available()
    }

    pub fn workers_by_state(&self) -> Vec<(WorkerState, usize)> {
        self.pool.workers_by_state()
    }

    /// Returns how long the oldest queued request has waited; zero if the queue is empty.
    pub fn longest_wait(&self) -> Duration {
        self.pool.longest_wait()
    }

    pub fn queue_length(&self) -> usize {
        self.pool.queue_length()
    }
}
