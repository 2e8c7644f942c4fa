//! One worker outside a pool, for conformance checks.

use std::{
    future::pending,
    time::{Duration, Instant},
};

use ai_api::{OptionSetting, OptionSpec};
use tokio::time::sleep;

use super::{
    Fault, StartError, WorkerProgram, manifest_check,
    memory::{resident_bytes, threads},
    process::{GiveUp, TimeAllowed, WorkerProcess},
};
use config::{AiSettings, allowed_values, ungranted_files, with_paths};
use library::SealedLibrary;
use protocol::SandboxSettings;
use protocol::{Iteration, Job, Loaded, Manifest, Refusal, Response};
use text::{printable, suggest};

/// The most iterations of one search that are kept.
const MOST_ITERATIONS: usize = 20_000;

/// A worker of an AI. Dropping it kills the worker.
#[derive(Debug)]
pub struct WorkerSession {
    process: WorkerProcess,
    loaded: Loaded,
    options: Vec<OptionSetting>,
}

/// An event during a search, and its delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// A stop.
    Stop(Duration),
    /// A ponder hit, for a request that [ponders](protocol::SearchParams::ponder).
    PonderHit(Duration),
}

impl Interruption {
    const fn after(self) -> Duration {
        match self {
            Self::Stop(after) | Self::PonderHit(after) => after,
        }
    }
}

/// The outcome of a request.
#[derive(Debug)]
pub struct Heard {
    /// The response, or the fault.
    pub response: Result<Response, Fault>,
    /// The reported iterations.
    pub iterations: Vec<Iteration>,
    /// The elapsed time.
    pub elapsed: Duration,
    /// The part of it after the interruption.
    pub after_interruption: Option<Duration>,
}

impl WorkerSession {
    /// Loads an AI with settings that the host has not checked, without an instance.
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
        Ok(Self { process, loaded, options: Vec::new() })
    }

    /// Loads an AI and makes its instance, with these settings and the defaults of the other options. It may read the files
    /// that they name.
    ///
    /// # Errors
    /// Why there is no worker; what the AI declares contradicts itself, does not allow a setting or needs more than it may
    /// have; the AI can't make an instance.
    pub async fn start(
        program: &WorkerProgram,
        library: &SealedLibrary,
        ai: &AiSettings,
        settings: &[OptionSetting],
    ) -> Result<Self, StartError> {
        let mut session = Self::load(program, library, ai, settings).await?;
        let specs = &session.manifest().options;
        manifest_check::check(specs).map_err(StartError::Refused)?;
        if let Some(refusal) = session.lacks(&ai.sandbox) {
            return Err(StartError::Refused(refusal));
        }
        let options = resolved(specs, settings).map_err(StartError::Refused)?;
        let files = ungranted_files(specs, &options, settings, &ai.sandbox);
        if !files.is_empty() {
            let mut granted = ai.clone();
            granted.sandbox.read.extend(files);
            session = Self::load(program, library, &granted, &options).await?;
        }
        let Self { process, loaded, .. } = session;
        Ok(Self { process: process.create(options.clone()).await?, loaded, options })
    }

    /// The resources that the AI needs beyond its grants.
    pub fn lacks(&self, granted: &SandboxSettings) -> Option<Refusal> {
        manifest_check::check_needs(&self.manifest().capabilities, granted).err()
    }

    /// The manifest of the AI.
    pub const fn manifest(&self) -> &Manifest {
        &self.loaded.manifest
    }

    /// The value of every option of its instance.
    pub fn options(&self) -> &[OptionSetting] {
        &self.options
    }

    /// Whether it has its own search.
    pub const fn is_searcher(&self) -> bool {
        self.loaded.searcher
    }

    /// Whether it evaluates positions.
    pub const fn is_evaluator(&self) -> bool {
        self.loaded.evaluator
    }

    /// Runs a request, with an optional interruption.
    pub async fn ask(
        &mut self,
        question: &Job,
        time_allowed: Duration,
        interruption: Option<Interruption>,
    ) -> Heard {
        let asked = Instant::now();
        let stop = async {
            match interruption {
                Some(Interruption::Stop(after)) => sleep(after).await,
                _ => pending().await,
            }
            GiveUp::Stop
        };
        let ponder_hit = async {
            match interruption {
                Some(Interruption::PonderHit(after)) => sleep(after).await,
                _ => pending().await,
            }
        };
        let mut iterations = Vec::new();
        let response = self
            .process
            .ask(question, TimeAllowed::of(time_allowed), ponder_hit, stop, |iteration| {
                if iterations.len() < MOST_ITERATIONS {
                    iterations.push(iteration);
                }
            })
            .await;
        let elapsed = asked.elapsed();
        Heard {
            response,
            iterations,
            elapsed,
            after_interruption: interruption
                .and_then(|interruption| elapsed.checked_sub(interruption.after())),
        }
    }

    /// The resident memory of the worker, if the kernel reports it.
    pub fn resident_bytes(&self) -> Option<u64> {
        Some(resident_bytes(self.process.id()?))
    }

    /// The threads of the AI beside its main thread, those of its programs included, if the kernel reports them.
    pub fn threads(&self, granted: &SandboxSettings) -> Option<usize> {
        // The main thread and the listener; with programs, also the two processes outside of the worker.
        let own = if granted.exec.is_empty() { 2 } else { 4 };
        Some(threads(self.process.id()?).saturating_sub(own))
    }

    /// The processor time of the worker.
    pub fn computed(&mut self) -> Option<Duration> {
        self.process.computed()
    }

    /// Stops the worker.
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
        Some(meant) => format!("the AI declares no option '{name}'; did you mean '{}'?", printable(meant)),
        None if known.is_empty() => format!("the AI declares no option '{name}', and no other"),
        None => format!("the AI declares no option '{name}'; it declares {}", printable(&known.join(", "))),
    }
}

/// The value of every option: what is set where the AI allows it, else the default; files by their absolute paths.
fn resolved(specs: &[OptionSpec], settings: &[OptionSetting]) -> Result<Vec<OptionSetting>, Refusal> {
    let is_allowed = |setting: &&OptionSetting| {
        specs.iter().any(|spec| spec.name == setting.name && spec.allows(&setting.value))
    };
    if let Some(setting) = settings.iter().find(|setting| !is_allowed(setting)) {
        return Err(Refusal { message: not_allowed(specs, setting), details: String::new() });
    }
    let of = |spec: &OptionSpec| {
        let set = settings.iter().find(|setting| setting.name == spec.name);
        let value = set.and_then(|setting| spec.accept(&setting.value));
        let value = value.unwrap_or_else(|| spec.default.clone());
        let absolute = |path: &str| std::path::absolute(path).unwrap_or_else(|_| path.into());
        OptionSetting { name: spec.name.clone(), value: with_paths(spec, value, absolute) }
    };
    Ok(specs.iter().map(of).collect())
}
