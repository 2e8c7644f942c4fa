//! Loads and starts a configuration's AIs, and reports all errors together.

use std::{
    collections::HashMap,
    fmt, io,
    num::NonZero,
    sync::Arc,
    thread::available_parallelism,
    time::{Duration, SystemTime},
};

use ai_api::{AiErrorKind, OptionSetting, OptionSpec, OptionValue};

use crate::{
    about::About,
    fault::MAX_ATTEMPTS_IF_KILLED,
    process::WorkerProcess,
    procfs::total_memory,
    smoke::{self, SmokeTest},
    start::error::StartError,
    start::worker::{StartedWorker, start_worker},
    worker_pool::WorkerSpec,
    worker_program::WorkerProgram,
};
use config::{AiSettings, Candidate, Config, ConfigIssue};
use library::{SealedLibrary, sha256::Sha256Sum};

/// The maximum number of workers for an AI whose configuration does not set their number.
const MAX_WORKERS: usize = 256;

/// An AI whose first worker is ready.
pub(crate) struct StartedAi {
    pub(crate) configured: AiSettings,
    pub(crate) own_files_sha256: Option<Sha256Sum>,
    pub(crate) read_at: SystemTime,
    pub(crate) about: About,
    /// Includes read access to the files its options name.
    pub(crate) settings: AiSettings,
    /// The value of every option.
    pub(crate) options: Vec<OptionSetting>,
    pub(crate) workers: usize,
    pub(crate) spec: WorkerSpec,
    pub(crate) process: WorkerProcess,
}

/// All errors that keep a configuration's AIs from being served.
#[derive(Debug, thiserror::Error)]
pub struct StartErrors(pub Vec<AiStartError>);

impl StartErrors {
    pub(crate) fn supervisor(error: io::Error) -> Self {
        Self(vec![AiStartError::Supervisor(error)])
    }
}

impl fmt::Display for StartErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(index, error)| {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")
        })
    }
}

/// Why one AI can't be served. Each issue is the message with its place in the configuration.
#[derive(Debug, thiserror::Error)]
pub enum AiStartError {
    /// The AI does not declare or allow an option in its section or in a level.
    #[error("{issue}")]
    Option { id: String, issue: Box<ConfigIssue> },
    #[error("{issue}")]
    Read { id: String, issue: Box<ConfigIssue> },
    /// The library or another file differs from its pin.
    #[error("{issue}")]
    Pin { id: String, issue: Box<ConfigIssue> },
    #[error("{issue}")]
    Start {
        id: String,
        source: StartError,
        issue: Box<ConfigIssue>,
    },
    #[error("error: the supervisor thread is not available: {0}")]
    Supervisor(io::Error),
}

impl AiStartError {
    /// Returns the errors for an AI with wrong options.
    pub(crate) fn of_options(id: &str, issues: Vec<ConfigIssue>) -> Vec<Self> {
        issues
            .into_iter()
            .map(|issue| Self::Option {
                id: id.to_owned(),
                issue: Box::new(issue),
            })
            .collect()
    }

    /// Returns the AI's id if the error concerns an AI.
    pub fn ai(&self) -> Option<&str> {
        match self {
            Self::Option { id, .. }
            | Self::Read { id, .. }
            | Self::Pin { id, .. }
            | Self::Start { id, .. } => Some(id),
            Self::Supervisor(_) => None,
        }
    }

    /// Returns the message with its place in the configuration if the error concerns an AI.
    pub fn issue(&self) -> Option<&ConfigIssue> {
        match self {
            Self::Option { issue, .. }
            | Self::Read { issue, .. }
            | Self::Pin { issue, .. }
            | Self::Start { issue, .. } => Some(issue),
            Self::Supervisor(_) => None,
        }
    }

    /// Returns whether the AI itself failed to create an instance, often because settings are
    /// missing.
    pub(crate) fn is_not_created(&self) -> bool {
        let Self::Start {
            source: StartError::NotCreated(error, _),
            ..
        } = self
        else {
            return false;
        };
        error.kind == AiErrorKind::Failed
    }

    /// Returns whether the cause is neither the AI nor its configuration, so a retry may succeed.
    fn is_external(&self) -> bool {
        matches!(self, Self::Start { source, .. } if !source.is_ai_fault())
    }

    /// Returns the details that the message summarizes. They may fill many pages.
    pub fn details(&self) -> Option<&str> {
        match self {
            Self::Start {
                source: StartError::Refused(refusal),
                ..
            } if !refusal.details.is_empty() => Some(&refusal.details),
            _ => None,
        }
    }
}

/// Reads a configuration's libraries, each file once. For each AI whose library is unreadable or
/// whose files differ from their pins, returns an error instead.
pub(crate) fn candidates(config: &Config) -> Vec<Result<Candidate, AiStartError>> {
    let mut libraries = HashMap::new();
    let candidate = |settings: &AiSettings| {
        let (id, file) = (settings.id.clone(), &settings.library);
        let library = match libraries.get(file) {
            Some(library) => Arc::clone(library),
            None => match SealedLibrary::read(file) {
                Ok(library) => Arc::new(library),
                Err(error) => {
                    let issue = Box::new(config.library_issue(&id, &error.to_string()));
                    return Err(AiStartError::Read { id, issue });
                }
            },
        };
        libraries.insert(file.clone(), Arc::clone(&library));
        let issue = config
            .check_pin(&id, library.sha256())
            .or_else(|| config.check_files(&id));
        if let Some(issue) = issue {
            return Err(AiStartError::Pin {
                id,
                issue: Box::new(issue),
            });
        }
        Ok(Candidate::new(settings.clone(), library))
    };
    config.ais.values().map(candidate).collect()
}

/// Starts an AI's first worker and runs the smoke tests, with retries if the worker is killed from
/// outside. Returns all errors of the AI.
pub(crate) async fn start_ai(
    config: &Config,
    candidate: Candidate,
    program: &WorkerProgram,
    smoke_tests: &[SmokeTest],
) -> Result<StartedAi, Vec<AiStartError>> {
    let mut attempts = 1;
    loop {
        match start_once(config, candidate.clone(), program, smoke_tests).await {
            Err(errors)
                if attempts < MAX_ATTEMPTS_IF_KILLED
                    && errors.iter().all(AiStartError::is_external) =>
            {
                attempts += 1;
            }
            outcome => return outcome,
        }
    }
}

/// Why a worker has no instance.
enum NotStarted {
    Worker(StartError),
    Options(Vec<ConfigIssue>),
}

impl From<StartError> for NotStarted {
    fn from(error: StartError) -> Self {
        Self::Worker(error)
    }
}

async fn start_once(
    config: &Config,
    candidate: Candidate,
    program: &WorkerProgram,
    smoke_tests: &[SmokeTest],
) -> Result<StartedAi, Vec<AiStartError>> {
    let Candidate {
        settings: configured,
        library,
        own_files_sha256,
        read_at,
    } = candidate;
    let id = &configured.id;
    let start_error = |source: StartError| {
        let issue = Box::new(config.library_issue(id, &source.in_full()));
        vec![AiStartError::Start {
            id: id.clone(),
            source,
            issue,
        }]
    };
    let resolve = async |specs: &[OptionSpec]| resolved_options(config, id, specs).await;
    let started = start_worker(program, &library, &configured, &configured.options, resolve).await;
    let StartedWorker {
        mut process,
        loaded,
        options,
        sandbox,
    } = started.map_err(|error| match error {
        NotStarted::Worker(source) => start_error(source),
        NotStarted::Options(issues) => AiStartError::of_options(id, issues),
    })?;
    let time_allowed = Duration::from_millis(configured.move_timeout_ms);
    if let Err(failed) = smoke::run(&mut process, smoke_tests, time_allowed).await {
        process.kill().await;
        return Err(start_error(StartError::SmokeTest(failed)));
    }
    let settings = AiSettings {
        sandbox,
        ..configured.clone()
    };
    let spec = WorkerSpec {
        program: program.clone(),
        library,
    };
    let about: About = loaded.into();
    let workers = configured
        .workers
        .unwrap_or_else(|| default_workers(&about, &options, &settings));
    Ok(StartedAi {
        configured,
        own_files_sha256,
        read_at,
        about,
        settings,
        options,
        workers,
        spec,
        process,
    })
}

/// Returns how many workers search in parallel on this machine: as many as its processors and
/// memory allow.
fn default_workers(about: &About, options: &[OptionSetting], settings: &AiSettings) -> usize {
    let configured = options.iter().find(|setting| setting.name == "threads");
    let threads = match configured.map(|setting| &setting.value) {
        Some(OptionValue::Integer(threads)) => usize::try_from(*threads).unwrap_or_default(),
        // One of an engine's threads only reads commands.
        _ => (about.capabilities.threads as usize).saturating_sub(1),
    };
    let processors = available_parallelism().map_or(1, NonZero::get);
    let of_memory = (total_memory() >> 20) / settings.sandbox.memory_mb.max(1);
    (processors / threads.max(1))
        .min(usize::try_from(of_memory).unwrap_or(usize::MAX))
        .clamp(1, MAX_WORKERS)
}

/// Returns the value of every option. Runs on a thread for blocking calls, because options may name
/// files and this thread watches every worker.
async fn resolved_options(
    config: &Config,
    id: &str,
    specs: &[OptionSpec],
) -> Result<Vec<OptionSetting>, NotStarted> {
    let (config, id, specs) = (config.clone(), id.to_owned(), specs.to_vec());
    let check = move || {
        (
            config.check_options(&id, &specs),
            config.resolved_options(&id, &specs),
        )
    };
    let checked = tokio::task::spawn_blocking(check).await;
    match checked.map_err(|error| StartError::Spawn(error.to_string()))? {
        (issues, options) if issues.is_empty() => Ok(options),
        (issues, _) => Err(NotStarted::Options(issues)),
    }
}
