//! One worker outside a pool, for conformance checks.

use std::{
    future::pending,
    pin::pin,
    task::Context,
    time::{Duration, Instant},
};

use ai_api::{OptionSetting, OptionSpec};
use tokio::time::sleep;

use crate::{
    fault::Fault,
    manifest_check,
    process::{StopReason, WorkerProcess},
    procfs::{
        OWN_THREADS, OWN_THREADS_IN_NAMESPACE, occupied_bytes, peak_bytes, resident_bytes, threads,
    },
    start::error::StartError,
    start::worker::{StartedWorker, start_worker},
    worker_program::WorkerProgram,
};
use config::{AiSettings, allowed_values, with_paths};
use library::SealedLibrary;
use protocol::{
    Iteration, Job, Loaded, Manifest, Protection, Refusal, Response, SandboxSettings, Wanted,
};
use text::{printable, suggest};

/// The maximum number of iterations kept per search.
const MAX_ITERATIONS: usize = 20_000;

/// A worker of an AI. Dropping it kills the worker.
#[derive(Debug)]
pub struct WorkerSession {
    process: WorkerProcess,
    loaded: Loaded,
    options: Vec<OptionSetting>,
}

/// An event during a search, and when it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    Stop(Duration),
    /// For a job that [ponders](protocol::SearchParams::ponder).
    PonderHit(Duration),
}

impl Interruption {
    const fn after(self) -> Duration {
        match self {
            Self::Stop(after) | Self::PonderHit(after) => after,
        }
    }
}

#[derive(Debug)]
pub struct JobResult {
    pub response: Result<Response, Fault>,
    pub iterations: Vec<Iteration>,
    pub elapsed: Duration,
    /// The time from the interruption to the result.
    pub after_interruption: Option<Duration>,
}

impl WorkerSession {
    /// Loads an AI with settings that the host has not checked, but does not create an instance.
    ///
    /// # Errors
    /// The worker failed to start.
    pub async fn load(
        program: &WorkerProgram,
        library: &SealedLibrary,
        ai: &AiSettings,
        settings: &[OptionSetting],
    ) -> Result<Self, StartError> {
        let (process, loaded) = WorkerProcess::start(program, library, ai, settings).await?;
        Ok(Self {
            process,
            loaded,
            options: Vec::new(),
        })
    }

    /// Loads an AI and creates its instance with these settings and default values for the other
    /// options. The AI may read the files that these settings name.
    ///
    /// # Errors
    /// The worker failed to start, the manifest is contradictory or does not allow a setting, or
    /// the AI needs more than its grants or can't create an instance.
    pub async fn start(
        program: &WorkerProgram,
        library: &SealedLibrary,
        ai: &AiSettings,
        settings: &[OptionSetting],
    ) -> Result<Self, StartError> {
        let resolve =
            async |specs: &[OptionSpec]| resolved(specs, settings).map_err(StartError::Refused);
        let StartedWorker {
            process,
            loaded,
            options,
            ..
        } = start_worker(program, library, ai, settings, resolve).await?;
        Ok(Self {
            process,
            loaded,
            options,
        })
    }

    /// Returns the resources that the AI needs in addition to its grants.
    pub fn lacks(&self, granted: &SandboxSettings) -> Option<Refusal> {
        manifest_check::check_needs(&self.manifest().capabilities, granted).err()
    }

    pub const fn manifest(&self) -> &Manifest {
        &self.loaded.manifest
    }

    /// Returns the value of every option of the instance.
    pub fn options(&self) -> &[OptionSetting] {
        &self.options
    }

    pub const fn is_searcher(&self) -> bool {
        self.loaded.searcher
    }

    pub const fn is_evaluator(&self) -> bool {
        self.loaded.evaluator
    }

    /// Runs a job, which may take `time_allowed` after its preparation.
    pub async fn run(
        &mut self,
        job: &Job,
        time_allowed: Duration,
        interruption: Option<Interruption>,
    ) -> JobResult {
        let started = Instant::now();
        let mut stop = pin!(async {
            match interruption {
                Some(Interruption::Stop(after)) => sleep(after).await,
                _ => pending().await,
            }
        });
        let interrupt =
            |cx: &mut Context<'_>| stop.as_mut().poll(cx).map(|()| StopReason::Requested);
        let ponder_hit = async {
            match interruption {
                Some(Interruption::PonderHit(after)) => sleep(after).await,
                _ => pending().await,
            }
        };
        let mut iterations = Vec::new();
        let time_allowed = self.process.time_allowed(time_allowed);
        let response = self
            .process
            .run(
                job,
                time_allowed,
                Wanted::Iterations,
                ponder_hit,
                interrupt,
                |iteration| {
                    if iterations.len() < MAX_ITERATIONS {
                        iterations.push(iteration);
                    }
                },
            )
            .await;
        let elapsed = started.elapsed();
        JobResult {
            response,
            iterations,
            elapsed,
            after_interruption: interruption
                .and_then(|interruption| elapsed.checked_sub(interruption.after())),
        }
    }

    /// Returns the end of what the AI has printed since its last request began.
    pub async fn printed(&self) -> String {
        self.process.output.printed().await
    }

    /// Returns the worker's resident memory; `None` after it exits.
    pub fn resident_bytes(&self) -> Option<u64> {
        Some(resident_bytes(self.process.id()?))
    }

    /// Returns the peak that `memory_mb` must allow: private memory for a worker with programs,
    /// otherwise the address space; `None` after the worker exits.
    pub fn peak_bytes(&self) -> Option<u64> {
        let process = self.process.id()?;
        Some(match self.process.most_bytes() {
            Some(measured) => measured.max(occupied_bytes(process)),
            None => peak_bytes(process),
        })
    }

    /// Returns the AI's threads besides its main thread, including those of its programs; `None`
    /// after the worker exits.
    pub fn threads(&self) -> Option<usize> {
        let has_namespace = self
            .process
            .confined
            .enforced
            .contains(&Protection::PidNamespace);
        let own = if has_namespace {
            OWN_THREADS_IN_NAMESPACE
        } else {
            OWN_THREADS
        };
        Some(threads(self.process.id()?).saturating_sub(own))
    }

    /// Returns the worker's processor time if it is confined.
    pub fn cpu_time(&mut self) -> Option<Duration> {
        self.process.cpu_time()
    }

    pub async fn stop(self) {
        self.process.stop().await;
    }
}

fn not_allowed(specs: &[OptionSpec], setting: &OptionSetting) -> String {
    let name = printable(&setting.name);
    if let Some(spec) = specs.iter().find(|spec| spec.name == setting.name) {
        return format!(
            "the AI does not allow this value of its option '{name}'; allowed: {}",
            allowed_values(spec)
        );
    }
    let known: Vec<_> = specs.iter().map(|spec| spec.name.as_str()).collect();
    match suggest(&setting.name, known.iter().copied()) {
        Some(meant) => format!(
            "the AI declares no option '{name}'; did you mean '{}'?",
            printable(meant)
        ),
        None if known.is_empty() => {
            format!("the AI declares no option '{name}'; it has no options")
        }
        None => format!(
            "the AI declares no option '{name}'; it declares {}",
            printable(&known.join(", "))
        ),
    }
}

/// Returns the value of every option: its setting or default, with absolute file paths.
///
/// # Errors
/// The AI does not declare an option, or does not allow a value.
fn resolved(
    specs: &[OptionSpec],
    settings: &[OptionSetting],
) -> Result<Vec<OptionSetting>, Refusal> {
    let is_allowed = |setting: &&OptionSetting| {
        specs
            .iter()
            .any(|spec| spec.name == setting.name && spec.allows(&setting.value))
    };
    if let Some(setting) = settings.iter().find(|setting| !is_allowed(setting)) {
        return Err(not_allowed(specs, setting).into());
    }
    let of = |spec: &OptionSpec| {
        let set = settings.iter().find(|setting| setting.name == spec.name);
        let value = set.and_then(|setting| spec.accept(&setting.value));
        let value = value.unwrap_or_else(|| spec.default.clone());
        let absolute = |path: &str| std::path::absolute(path).unwrap_or_else(|_| path.into());
        OptionSetting {
            name: spec.name.clone(),
            value: with_paths(spec, value, absolute),
        }
    };
    Ok(specs.iter().map(of).collect())
}
