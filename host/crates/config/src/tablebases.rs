//! `[tablebases]`.

use std::path::{Path, PathBuf};

use library::file_access::{entries, metadata};
use protocol::{SandboxMode, SandboxSettings};

use crate::{
    ai::AiSettings,
    issue::Issues,
    kinds::{List, absolute_path, shown_path},
    section::{Field, IntoField as _, section},
    shipped::shipped_data,
    table::Table,
};

/// The maximum number of directory entries to read.
const MAX_ENTRIES: usize = 100_000;
/// The memory of the worker that probes for the host, in addition to the tables.
const WORKER_MEMORY_MB: u64 = 64;

section! {
    /// `[tablebases]`: exact endgame results.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct TablebaseSettings {
        /// Directories with Syzygy tables, the shipped ones first because earlier ones take
        /// precedence. Unusable files are skipped, and an empty list turns tables off.
        directories: Option<Vec<PathBuf>> = List::new(
            "a list of directories, relative to this file, such as [\"../data/syzygy\", \
             \"/srv/syzygy\"]",
            absolute_path,
            shown_path,
        )
        .optional("the shipped tables, for up to four pieces")
        .example("[\"../data/syzygy\", \"/srv/syzygy\"]"),
    }
}

impl TablebaseSettings {
    /// Returns the configured directories, or the directory of the shipped tables.
    pub fn directories(&self) -> Vec<PathBuf> {
        self.directories
            .clone()
            .unwrap_or_else(|| shipped_data("syzygy").into_iter().collect())
    }
}

/// Returns the settings of the worker that probes for the host. Its memory limit depends on the
/// size of the tables, so this reads the directories.
pub fn tablebase_worker(id: &str, directories: Vec<PathBuf>) -> AiSettings {
    let files = directories
        .iter()
        .flat_map(|directory| entries(directory, MAX_ENTRIES, is_table));
    let bytes: u64 = files
        .filter_map(|file| Some(metadata(&file).ok()?.len()))
        .sum();
    AiSettings {
        limit: None,
        workers: Some(1),
        sandbox: SandboxSettings {
            mode: SandboxMode::BestEffort,
            // Tables may take up to half of the memory.
            memory_mb: WORKER_MEMORY_MB + 2 * (bytes >> 20),
            tablebases: directories,
            ..SandboxSettings::default()
        },
        ..AiSettings::of_library(id, PathBuf::new())
    }
}

fn is_table(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension == "rtbw" || extension == "rtbz")
}

/// Not a key of `[ai.ID]`: the directories of `[tablebases]`, which each worker gets when it
/// starts.
pub(crate) struct SharedTablebases;

impl Field for SharedTablebases {
    type Value = Vec<PathBuf>;

    fn read(&self, _: &'static str, _: &Table<'_>, _: &mut Issues<'_>) -> Vec<PathBuf> {
        Vec::new()
    }
}
