//! Libraries in the plugin directories that no section of the configuration names: each is an AI under its own id.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fmt, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use ai_api::{AiError, AiErrorKind};

use super::{
    AiStartError, SealedLibrary, StartError,
    library::{ReadLibraryError, UnfitLibraryError},
    starting::Candidate,
};
use crate::{
    config::{AiSettings, Config, PluginPolicy},
    sha256::Sha256Sum,
};

/// Files that are looked at in one directory. More stand only where a directory of something else was named.
const MOST_FILES: usize = 1000;

/// A library in a plugin directory that is not served, though it could be an AI.
#[derive(Clone, Debug)]
pub struct PassedOver {
    /// The library.
    pub file: PathBuf,
    /// Its bytes, where they could be read.
    pub sha256: Option<Sha256Sum>,
    /// Why it is not served.
    pub why: Arc<WhyPassedOver>,
}

/// Why a library in a plugin directory is not served.
#[derive(Debug, thiserror::Error)]
pub enum WhyPassedOver {
    /// It is not to be read as an AI.
    #[error("{0}")]
    Read(#[from] ReadLibraryError),
    /// The configuration has an AI of this id.
    #[error(
        "its id '{0}' is that of [ai.{0}], which has another library; the configuration can name this one in an [ai.ID] \
         of its own"
    )]
    Configured(String),
    /// Another library of this id stands before it.
    #[error("its id '{id}' is that of {} too, which is found first; take one of them away", first.display())]
    Twice {
        /// The id.
        id: String,
        /// The library that is served.
        first: PathBuf,
    },
    /// Its path can't stand in a configuration, or it is gone.
    #[error("its path is not UTF-8, or it has just been taken away")]
    Path,
    /// It does not start, or not answer as it must.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Start(Vec<AiStartError>),
    /// There are too many files.
    #[error(
        "only the first {MOST_FILES} libraries of a directory are looked at; name a directory that holds only AIs"
    )]
    TooMany,
}

impl PassedOver {
    /// Whether nothing is wrong with it but that it can't do without settings, as the AI says itself.
    pub fn wants_settings(&self) -> bool {
        let says_so = |error: &AiStartError| {
            matches!(
                error,
                AiStartError::Start {
                    source: StartError::NotCreated(AiError { kind: AiErrorKind::Failed, .. }),
                    ..
                }
            )
        };
        matches!(&*self.why, WhyPassedOver::Start(errors) if errors.iter().all(says_so))
    }
}

impl fmt::Display for PassedOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not served: {}", self.file.display(), self.why)
    }
}

/// What stands in the plugin directories.
#[derive(Debug, Default)]
pub(super) struct DroppedIn {
    pub(super) candidates: Vec<Candidate>,
    pub(super) passed_over: Vec<PassedOver>,
}

impl DroppedIn {
    /// Reads every library in the directories of a configuration that no AI of it names, as far as its policy allows.
    /// What has no note of an AI is somebody else's library and not spoken of.
    pub(super) fn find(config: &Config) -> Self {
        let mut found = Self::default();
        if config.plugins.policy != PluginPolicy::Any {
            return found;
        }
        let mut seen: BTreeSet<PathBuf> = config.ais.values().map(|ai| real(&ai.library)).collect();
        let mut by_id: BTreeMap<String, PathBuf> = BTreeMap::new();
        for directory in &config.plugins.directories {
            let files = libraries_in(directory);
            if let Some(file) = files.get(MOST_FILES) {
                found.pass_over(file, None, WhyPassedOver::TooMany);
            }
            for file in files.into_iter().take(MOST_FILES).filter(|file| seen.insert(real(file))) {
                match SealedLibrary::read(&file) {
                    Ok(library) => found.add(config, &mut by_id, &file, library),
                    Err(ReadLibraryError::Unfit(UnfitLibraryError::NoNote) | ReadLibraryError::NoFile) => {
                        tracing::debug!(file = %file.display(), "a library that is no AI");
                    }
                    Err(error) => found.pass_over(&file, None, error.into()),
                }
            }
        }
        found
    }

    fn add(
        &mut self,
        config: &Config,
        by_id: &mut BTreeMap<String, PathBuf>,
        file: &Path,
        library: SealedLibrary,
    ) {
        let id = library.note().id.clone();
        let why = if config.ais.contains_key(&id) {
            WhyPassedOver::Configured(id)
        } else if let Some(first) = by_id.get(&id) {
            WhyPassedOver::Twice { first: first.clone(), id }
        } else if let Some(settings) = AiSettings::with_defaults(&id, file) {
            by_id.insert(id, file.to_path_buf());
            self.candidates.push(Candidate { settings, library: Arc::new(library) });
            return;
        } else {
            WhyPassedOver::Path
        };
        self.pass_over(file, Some(library.sha256()), why);
    }

    fn pass_over(&mut self, file: &Path, sha256: Option<Sha256Sum>, why: WhyPassedOver) {
        self.passed_over.push(PassedOver { file: file.to_path_buf(), sha256, why: Arc::new(why) });
    }

    /// Passes over again what did not start before, if its bytes are the same.
    pub(super) fn without_failed(mut self, before: &[PassedOver]) -> Self {
        let failed = |candidate: &Candidate| {
            let same = |passed: &&PassedOver| {
                passed.file == candidate.settings.library
                    && passed.sha256 == Some(candidate.library.sha256())
                    && matches!(*passed.why, WhyPassedOver::Start(_))
            };
            before.iter().find(same).cloned()
        };
        let candidates = std::mem::take(&mut self.candidates);
        for candidate in candidates {
            match failed(&candidate) {
                Some(passed) => self.passed_over.push(passed),
                None => self.candidates.push(candidate),
            }
        }
        self
    }
}

/// Every file of a folder that is named like a library, by name. None where there is no folder.
fn libraries_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = entries.filter(|path| path.extension() == Some(OsStr::new("so"))).collect();
    files.sort();
    files
}

/// One path for each file, whatever links lead to it.
fn real(file: &Path) -> PathBuf {
    fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf())
}
