//! Loads and starts the AIs of a configuration, and reports all errors at once.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use ai_api::{AiErrorKind, OptionSetting, OptionSpec};

use super::{
    About, CgroupStatus, SmokeTest, WorkerProgram,
    fault::TIMES_TO_ASK_IF_KILLED,
    manifest_check,
    process::{StartError, WorkerProcess},
    smoke_test,
};
use config::{AiSettings, Config, ConfigIssue, ungranted_files};
use config::{Candidate, DroppedIn, SkippedLibrary};
use library::{ReadLibraryError, SealedLibrary};
use protocol::{Confined, Loaded};
use text::printable;

/// An AI that is loaded and has made its instance.
pub(super) struct Started {
    pub(super) configured: AiSettings,
    /// The same with the files that it may read because its options name them.
    pub(super) settings: AiSettings,
    pub(super) library: Arc<SealedLibrary>,
    pub(super) about: About,
    pub(super) options: Vec<OptionSetting>,
    pub(super) process: WorkerProcess,
}

/// Everything that keeps the AIs of a configuration from being served.
#[derive(Debug, thiserror::Error)]
pub struct StartErrors(pub Vec<AiStartError>);

impl fmt::Display for StartErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().enumerate().try_for_each(|(index, error)| {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")
        })
    }
}

/// Why one AI can't be served.
#[derive(Debug, thiserror::Error)]
pub enum AiStartError {
    /// Its options are not what it declares.
    #[error("{issue}")]
    Option {
        /// The AI.
        id: String,
        /// What is wrong with one of them.
        issue: Box<ConfigIssue>,
    },
    /// Its library can't be read.
    #[error("{issue}")]
    Read {
        /// The AI.
        id: String,
        /// Why not.
        source: ReadLibraryError,
        /// The same, with its place in the configuration.
        issue: Box<ConfigIssue>,
    },
    /// Its library is not the pinned one.
    #[error("{issue}")]
    Pin {
        /// The AI.
        id: String,
        /// What was found and what was expected.
        issue: Box<ConfigIssue>,
    },
    /// It does not start.
    #[error("{issue}")]
    Start {
        /// The AI.
        id: String,
        /// Why not.
        source: StartError,
        /// The same, with its place in the configuration.
        issue: Box<ConfigIssue>,
    },
    /// There is no thread for the workers.
    #[error("error: there is no thread that looks after the AIs: {0}")]
    Supervisor(std::io::Error),
}

impl AiStartError {
    /// The AI that it is about, if it is about one.
    pub fn ai(&self) -> Option<&str> {
        match self {
            Self::Option { id, .. }
            | Self::Read { id, .. }
            | Self::Pin { id, .. }
            | Self::Start { id, .. } => Some(id),
            Self::Supervisor(_) => None,
        }
    }

    /// Returns whether the AI itself says that it can't be created, which often means that it lacks settings.
    pub(super) fn is_not_created(&self) -> bool {
        let Self::Start { source: StartError::NotCreated(error), .. } = self else { return false };
        error.kind == AiErrorKind::Failed
    }

    /// Whether neither the AI nor its configuration is to blame, so that another try may do.
    fn is_external(&self) -> bool {
        matches!(self, Self::Start { source, .. } if !source.is_ai_fault())
    }

    /// All that is known where the message is only the short of it; may be many pages.
    pub fn details(&self) -> Option<&str> {
        match self {
            Self::Start { source: StartError::Refused(refusal), .. } if !refusal.details.is_empty() => {
                Some(&refusal.details)
            }
            _ => None,
        }
    }
}

/// Reads the libraries of a configuration, each file once. What can't be read stands in its AI's place.
pub(super) fn candidates(config: &Config) -> Vec<Result<Candidate, AiStartError>> {
    let mut libraries = HashMap::new();
    let candidate = |settings: &AiSettings| {
        let id = settings.id.clone();
        let library = match read_once(&mut libraries, &settings.library) {
            Ok(library) => library,
            Err(source) => {
                let issue = Box::new(config.library_issue(&id, &source.to_string()));
                return Err(AiStartError::Read { id, source, issue });
            }
        };
        if let Some(issue) = config.check_pin(&id, library.sha256()) {
            return Err(AiStartError::Pin { id, issue: Box::new(issue) });
        }
        Ok(Candidate { settings: settings.clone(), library })
    };
    config.ais.values().map(candidate).collect()
}

/// What was found out about one AI of a configuration, which is stopped again.
#[derive(Debug)]
pub struct Inspection {
    /// The AI.
    pub id: String,
    /// Its library: the file and, where it could be read, its SHA-256.
    pub library: (PathBuf, Option<String>),
    /// What it says of itself, or why it can't be served.
    pub about: Result<About, StartErrors>,
    /// The value of each of its options; where it can't be served, those that the configuration sets.
    pub options: Vec<OptionSetting>,
    /// How it is configured.
    pub settings: AiSettings,
    /// What of that is enforced, where it could be started.
    pub confined: Option<Confined>,
    /// What cgroups enforce beside that, where it could be started.
    pub cgroup: Option<CgroupStatus>,
}

/// What was found out about the AIs of a configuration and those dropped in.
#[derive(Debug)]
pub struct Inspections {
    /// Those of the configuration.
    pub configured: Vec<Inspection>,
    /// Those in the plugin directories that it does not name.
    pub dropped_in: Vec<Inspection>,
    /// Libraries there that are not served, though they could be.
    pub skipped: Vec<SkippedLibrary>,
}

/// Loads and makes every AI once, one after the other, and stops it again; one that was dropped in must pass the smoke tests.
/// One that fails keeps none from being listed.
///
/// # Errors
/// There is no thread for the workers.
pub fn inspect(
    config: &Config,
    program: &WorkerProgram,
    smoke_tests: &[SmokeTest],
) -> Result<Inspections, StartErrors> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| StartErrors(vec![AiStartError::Supervisor(error)]))?;
    let DroppedIn { candidates: found, skipped } = DroppedIn::find(&config.plugins, &config.ais);
    runtime.block_on(async {
        let mut configured = Vec::new();
        for (settings, candidate) in config.ais.values().zip(candidates(config)) {
            configured.push(inspect_one(config, settings, candidate, program, &[]).await);
        }
        let mut dropped_in = Vec::new();
        for candidate in found {
            let settings = candidate.settings.clone();
            dropped_in.push(inspect_one(config, &settings, Ok(candidate), program, smoke_tests).await);
        }
        Ok(Inspections { configured, dropped_in, skipped })
    })
}

async fn inspect_one(
    config: &Config,
    settings: &AiSettings,
    candidate: Result<Candidate, AiStartError>,
    program: &WorkerProgram,
    smoke_tests: &[SmokeTest],
) -> Inspection {
    let (mut confined, mut cgroup, mut options) = (None, None, settings.options.clone());
    let sha256 = candidate.as_ref().ok().map(|candidate| candidate.library.sha256().to_string());
    let started = match candidate {
        Ok(candidate) => start_one(config, candidate, program, smoke_tests).await,
        Err(error) => Err(vec![error]),
    };
    let about = match started {
        Ok(started) => {
            confined = Some(started.process.confined().clone());
            cgroup = Some(started.process.cgroup_status().clone());
            options = started.options;
            started.process.stop().await;
            Ok(started.about)
        }
        Err(errors) => Err(StartErrors(errors)),
    };
    Inspection {
        id: settings.id.clone(),
        library: (settings.library.clone(), sha256),
        about,
        options,
        settings: settings.clone(),
        confined,
        cgroup,
    }
}

/// Starts the first worker of an AI, makes the instance, and puts the smoke tests to it; anew where somebody else kills it.
///
/// # Errors
/// Everything that keeps it from being served.
pub(super) async fn start_one(
    config: &Config,
    candidate: Candidate,
    program: &WorkerProgram,
    smoke_tests: &[SmokeTest],
) -> Result<Started, Vec<AiStartError>> {
    let mut times = 1;
    loop {
        match start_once(config, candidate.clone(), program, smoke_tests).await {
            Err(errors) if times < TIMES_TO_ASK_IF_KILLED && errors.iter().all(AiStartError::is_external) => {
                times += 1;
            }
            started_or_not => return started_or_not,
        }
    }
}

async fn start_once(
    config: &Config,
    candidate: Candidate,
    program: &WorkerProgram,
    smoke_tests: &[SmokeTest],
) -> Result<Started, Vec<AiStartError>> {
    let Candidate { settings: configured, library } = candidate;
    let mut settings = configured.clone();
    let id = &settings.id;
    let start_error = |source: StartError| {
        let issue = Box::new(config.library_issue(id, &source.in_full()));
        vec![AiStartError::Start { id: id.clone(), source, issue }]
    };
    let (mut process, loaded) =
        WorkerProcess::start(program, &library, &settings, &settings.options).await.map_err(start_error)?;
    if let Err(refusal) = manifest_check::check(&loaded.manifest.options) {
        process.stop().await;
        return Err(start_error(StartError::Refused(refusal)));
    }
    if let Err(refusal) = manifest_check::check_needs(&loaded.manifest.capabilities, &settings.sandbox) {
        process.stop().await;
        return Err(start_error(StartError::Refused(refusal)));
    }
    let (issues, options) = match checked_options(config, id, &loaded.manifest.options).await {
        Ok(checked) => checked,
        Err(source) => {
            process.stop().await;
            return Err(start_error(source));
        }
    };
    if !issues.is_empty() {
        process.stop().await;
        let option_error = |issue| AiStartError::Option { id: id.clone(), issue: Box::new(issue) };
        return Err(issues.into_iter().map(option_error).collect());
    }
    let files = ungranted_files(&loaded.manifest.options, &options, &settings.options, &settings.sandbox);
    if !files.is_empty() {
        // An AI may read the files that its options name. Which these are is known only now, and a sandbox never opens.
        settings.sandbox.read.extend(files);
        process.stop().await;
        let started = WorkerProcess::start(program, &library, &settings, &options).await;
        process = started.map_err(start_error)?.0;
    }
    let mut process = process.create(options.clone()).await.map_err(start_error)?;
    let time_allowed = Duration::from_millis(settings.move_timeout_ms);
    if let Err(failed) = smoke_test::run(&mut process, smoke_tests, time_allowed).await {
        process.kill().await;
        return Err(start_error(StartError::SmokeTest(failed)));
    }
    Ok(Started { configured, settings, library, about: about(loaded), options, process })
}

/// What is wrong with the options that a configuration sets, and the value of each. They may name files, and so block: this
/// thread looks after every worker.
async fn checked_options(
    config: &Config,
    id: &str,
    specs: &[OptionSpec],
) -> Result<(Vec<ConfigIssue>, Vec<OptionSetting>), StartError> {
    let (config, id, specs) = (config.clone(), id.to_owned(), specs.to_vec());
    let check = move || (config.check_options(&id, &specs), config.resolved_options(&id, &specs));
    tokio::task::spawn_blocking(check).await.map_err(|error| StartError::Spawn(error.to_string()))
}

fn read_once(
    libraries: &mut HashMap<PathBuf, Arc<SealedLibrary>>,
    file: &Path,
) -> Result<Arc<SealedLibrary>, ReadLibraryError> {
    if let Some(library) = libraries.get(file) {
        return Ok(Arc::clone(library));
    }
    let library = Arc::new(SealedLibrary::read(file)?);
    libraries.insert(file.to_path_buf(), Arc::clone(&library));
    Ok(library)
}

fn about(loaded: Loaded) -> About {
    let Loaded { protocol: _, manifest, searcher, evaluator } = loaded;
    About {
        name: printable(&manifest.name),
        version: printable(&manifest.version),
        author: printable(&manifest.author),
        searcher,
        evaluator,
        options: manifest.options,
        capabilities: manifest.capabilities,
    }
}
