//! Discovers libraries in the plugin directories that no `[ai.ID]` names. Each is served under its
//! own id.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use crate::{
    ai::AiSettings,
    plugins::{PluginPolicy, PluginSettings, libraries_in},
};
use library::{ReadLibraryError, SealedLibrary};
use library::{file_access::canonicalize, sha256::Sha256Sum};
use text::printable;

/// The maximum number of files to read in one directory.
const MAX_FILES: usize = 1000;
/// The number of reads that may time out before their directory is skipped.
const MAX_STALLED: usize = 2;
/// The shortest read that counts as timed out. Reads fail faster on a file system that is known to
/// hang.
const MIN_STALL: Duration = Duration::from_secs(1);

/// A library in a plugin directory that could be an AI but is not served.
#[derive(Clone, Debug)]
pub struct SkippedLibrary {
    pub file: PathBuf,
    /// Its hash, if it could be read.
    pub sha256: Option<Sha256Sum>,
    pub why: Arc<SkipReason>,
    /// The AI that keeps running the file's earlier contents.
    pub kept: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum SkipReason {
    #[error("{0}")]
    Read(#[from] ReadLibraryError),
    #[error(
        "its id '{0}' is already used by [ai.{0}] for another library; name this library in a \
         separate [ai.ID]"
    )]
    Configured(String),
    #[error(
        "its id '{id}' is already used by {}, which was found first; remove one of them",
        shown(first)
    )]
    Twice {
        id: String,
        /// The library that is served.
        first: PathBuf,
    },
    #[error("its path is not UTF-8, or it was just removed")]
    Path,
    /// It failed to start or failed its smoke test.
    #[error("{errors}")]
    Start {
        /// All errors from its start.
        errors: String,
        /// Whether the AI lacks only settings, according to its own error.
        lacks_settings: bool,
    },
    #[error(
        "{MAX_STALLED} libraries in its directory did not respond, so it and the files after it \
         were not read; check the disk or the network mount"
    )]
    Stalled,
    #[error(
        "only the first {MAX_FILES} libraries in a directory are read; use a directory that \
         contains only AIs"
    )]
    TooMany,
}

impl SkippedLibrary {
    /// Returns whether it could be served with different settings.
    pub fn lacks_settings(&self) -> bool {
        matches!(
            *self.why,
            SkipReason::Start {
                lacks_settings: true,
                ..
            }
        )
    }
}

impl fmt::Display for SkippedLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, why) = (shown(&self.file), &self.why);
        match &self.kept {
            Some(ai) => write!(
                f,
                "{file} is not served; the AI '{ai}' keeps running its earlier version: {why}"
            ),
            None if self.lacks_settings() => {
                write!(
                    f,
                    "{file} is not served until an [ai.ID] names it and sets its [ai.ID.options]: \
                     {why}"
                )
            }
            None => write!(f, "{file} is not served: {why}"),
        }
    }
}

/// An AI to start, with its library in memory.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub settings: AiSettings,
    pub library: Arc<SealedLibrary>,
    /// The hash of [`AiSettings::own_files`], if there are any.
    pub own_files_sha256: Option<Sha256Sum>,
    /// When these files were read.
    pub read_at: SystemTime,
}

impl Candidate {
    /// Reads the AI's own files.
    pub fn new(settings: AiSettings, library: Arc<SealedLibrary>) -> Self {
        let read_at = SystemTime::now();
        Self {
            own_files_sha256: settings.own_files_sha256(),
            read_at,
            settings,
            library,
        }
    }
}

/// The libraries in the plugin directories.
#[derive(Debug, Default)]
pub struct Discovery {
    pub candidates: Vec<Candidate>,
    pub skipped: Vec<SkippedLibrary>,
}

impl Discovery {
    /// Reads every library in the plugin directories that no configured AI uses, if the policy is
    /// `any`.
    pub fn find(plugins: &PluginSettings, configured: &BTreeMap<String, AiSettings>) -> Self {
        let mut found = Self::default();
        if plugins.policy != PluginPolicy::Any {
            return found;
        }
        let mut seen: BTreeSet<PathBuf> = configured.values().map(|ai| real(&ai.library)).collect();
        let mut by_id: BTreeMap<String, PathBuf> = BTreeMap::new();
        for directory in &plugins.directories {
            let files = libraries_in(directory);
            if let Some(file) = files.get(MAX_FILES) {
                found.skip(file, None, SkipReason::TooMany);
            }
            let mut stalled = 0;
            for file in files.into_iter().take(MAX_FILES) {
                if stalled == MAX_STALLED {
                    found.skip(&file, None, SkipReason::Stalled);
                    break;
                }
                let began = Instant::now();
                if !seen.insert(real(&file)) {
                    continue;
                }
                match SealedLibrary::read(&file) {
                    Ok(library) => found.add(configured, &mut by_id, &file, library),
                    Err(ReadLibraryError::Folder(_) | ReadLibraryError::NotRegular(_)) => {
                        tracing::debug!(file = %file.display(), "skipped; not a regular file");
                    }
                    Err(error) => {
                        let is_stalled = matches!(error, ReadLibraryError::Stalled(_));
                        stalled += usize::from(is_stalled && began.elapsed() > MIN_STALL);
                        found.skip(&file, None, error.into());
                    }
                }
            }
        }
        found
    }

    fn add(
        &mut self,
        configured: &BTreeMap<String, AiSettings>,
        by_id: &mut BTreeMap<String, PathBuf>,
        file: &Path,
        library: SealedLibrary,
    ) {
        let id = library.note().id.clone();
        let why = if configured.contains_key(&id) {
            SkipReason::Configured(id)
        } else if let Some(first) = by_id.get(&id) {
            SkipReason::Twice {
                first: first.clone(),
                id,
            }
        } else if let Some(settings) = AiSettings::of_file(&id, file) {
            by_id.insert(id, file.to_path_buf());
            self.candidates
                .push(Candidate::new(settings, Arc::new(library)));
            return;
        } else {
            SkipReason::Path
        };
        self.skip(file, Some(library.sha256()), why);
    }

    fn skip(&mut self, file: &Path, sha256: Option<Sha256Sum>, why: SkipReason) {
        self.skipped.push(SkippedLibrary {
            file: file.to_path_buf(),
            sha256,
            why: Arc::new(why),
            kept: None,
        });
    }

    pub(crate) fn settings(&self) -> impl Iterator<Item = &AiSettings> {
        self.candidates.iter().map(|candidate| &candidate.settings)
    }

    /// Skips unchanged libraries that failed to start before.
    #[must_use]
    pub fn without_failed(mut self, before: &[SkippedLibrary]) -> Self {
        let failed = |candidate: &Candidate| {
            let same = |skipped: &&SkippedLibrary| {
                skipped.file == candidate.settings.library
                    && skipped.sha256 == Some(candidate.library.sha256())
                    && matches!(*skipped.why, SkipReason::Start { .. })
            };
            before.iter().find(same).cloned()
        };
        let candidates = std::mem::take(&mut self.candidates);
        for candidate in candidates {
            match failed(&candidate) {
                Some(skipped) => self.skipped.push(skipped),
                None => self.candidates.push(candidate),
            }
        }
        self
    }
}

/// Removes control characters from a path.
fn shown(file: &Path) -> String {
    printable(&file.to_string_lossy())
}

/// Resolves symbolic links, so that each file has one path.
fn real(file: &Path) -> PathBuf {
    canonicalize(file).unwrap_or_else(|_| file.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_a_path_on_one_line() {
        let file = PathBuf::from("/ais/lib\u{1b}[2J\n2026-11-21 INFO all is well.so");
        let first = file.clone();
        let why = Arc::new(SkipReason::Twice {
            id: "x".into(),
            first,
        });
        let shown = SkippedLibrary {
            file,
            sha256: None,
            why,
            kept: None,
        }
        .to_string();
        assert!(!shown.contains(char::is_control), "{shown:?}");
        assert!(shown.starts_with("/ais/lib [2J 2026-11-21 INFO"), "{shown}");
    }
}
