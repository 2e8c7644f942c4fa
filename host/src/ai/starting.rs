//! Loading the AIs of a configuration, and telling all that is wrong with them at once.

use std::{
    collections::HashMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use ai_api::OptionSetting;

use super::{
    About, SealedLibrary, WorkerProgram, declarations,
    library::ReadLibraryError,
    process::{StartError, WorkerProcess},
    protocol::{Confined, Loaded},
};
use crate::config::{AiSettings, Config, ConfigIssue, SandboxSettings};
use crate::text::printable;

/// An AI that is loaded and has made its instance.
pub(super) struct Started {
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
    #[error("{0}")]
    Option(ConfigIssue),
    /// Its library can't be read.
    #[error("error: AI '{id}': {source}")]
    Read {
        /// The AI.
        id: String,
        /// Why not.
        source: ReadLibraryError,
    },
    /// It does not start.
    #[error("error: AI '{id}' ({}): {source}", file.display())]
    Start {
        /// The AI.
        id: String,
        /// Its library.
        file: PathBuf,
        /// Why not.
        source: StartError,
    },
    /// There is no thread for the workers.
    #[error("error: can't start the thread that looks after the AIs: {0}")]
    Supervisor(std::io::Error),
}

impl AiStartError {
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

/// Loads and makes every AI.
pub(super) async fn start_all(config: &Config, program: &WorkerProgram) -> Result<Vec<Started>, StartErrors> {
    let mut libraries = HashMap::new();
    let mut started = Vec::new();
    let mut errors = Vec::new();
    for settings in config.ais.values() {
        match start_one(config, settings, program, &mut libraries).await {
            Ok(ai) => started.push(ai),
            Err(mut of_one) => errors.append(&mut of_one),
        }
    }
    if errors.is_empty() {
        return Ok(started);
    }
    for ai in started {
        ai.process.stop().await;
    }
    Err(StartErrors(errors))
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
    /// The options that the configuration sets.
    pub options: Vec<OptionSetting>,
    /// What its workers may do.
    pub sandbox: SandboxSettings,
    /// What of that is enforced, where it could be started.
    pub confined: Option<Confined>,
}

/// Loads and makes every AI once, one after the other, and stops it again. One that fails keeps none from being listed.
///
/// # Errors
/// There is no thread for the workers.
pub fn inspect(config: &Config, program: &WorkerProgram) -> Result<Vec<Inspection>, StartErrors> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| StartErrors(vec![AiStartError::Supervisor(error)]))?;
    runtime.block_on(async {
        let mut libraries = HashMap::new();
        let mut inspections = Vec::new();
        for settings in config.ais.values() {
            let mut confined = None;
            let about = match start_one(config, settings, program, &mut libraries).await {
                Ok(started) => {
                    confined = Some(started.process.confined().clone());
                    started.process.stop().await;
                    Ok(started.about)
                }
                Err(errors) => Err(StartErrors(errors)),
            };
            let sha256 = libraries.get(&settings.library).map(|library| library.sha256().to_owned());
            inspections.push(Inspection {
                id: settings.id.clone(),
                library: (settings.library.clone(), sha256),
                about,
                options: settings.options.clone(),
                sandbox: settings.sandbox.clone(),
                confined,
            });
        }
        Ok(inspections)
    })
}

async fn start_one(
    config: &Config,
    settings: &AiSettings,
    program: &WorkerProgram,
    libraries: &mut HashMap<PathBuf, Arc<SealedLibrary>>,
) -> Result<Started, Vec<AiStartError>> {
    let id = &settings.id;
    let file = &settings.library;
    let library =
        read_once(libraries, file).map_err(|source| vec![AiStartError::Read { id: id.clone(), source }])?;
    let start_error =
        |source: StartError| vec![AiStartError::Start { id: id.clone(), file: file.clone(), source }];
    let (process, loaded) =
        WorkerProcess::start(&program.0, &library, id, &settings.sandbox).await.map_err(start_error)?;
    if let Err(refusal) = declarations::check(&loaded.manifest.options) {
        process.stop().await;
        return Err(start_error(StartError::Refused(refusal)));
    }
    let issues = config.check_options(id, &loaded.manifest.options);
    if !issues.is_empty() {
        process.stop().await;
        return Err(issues.into_iter().map(AiStartError::Option).collect());
    }
    let options = config.resolved_options(id, &loaded.manifest.options);
    let process = process.create(options.clone()).await.map_err(start_error)?;
    Ok(Started { settings: settings.clone(), library, about: about(loaded), options, process })
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
        options: manifest.options.into(),
    }
}
