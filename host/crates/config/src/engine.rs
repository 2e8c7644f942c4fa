//! Adds UCI engines as AIs without a section in the file.

use std::path::{Path, PathBuf};

use ai_api::{OptionSetting, OptionValue};

use crate::{
    ai::AiSettings, config::Config, kinds::shown_path, library_path::Libraries,
    shipped::library_folders,
};
use library::{EngineCommand, EngineCommandError, ProgramPlaces, file_access::metadata};

/// The library that drives an engine.
pub const LIBRARY: &str = "ai_uci";
/// The option that names the engine: a path, or a command line with shell quoting.
pub const COMMAND: &str = "command";
/// The option that sets how long a search without a time limit runs, for engines that ignore
/// `stop`.
pub const UNTIMED_SEARCH: &str = "untimed_search_ms";
/// Leaves room for the networks and tables that engines load.
pub(crate) const MEMORY_MB: u64 = 4096;
/// Allows for slow machines and deep limits.
pub(crate) const MOVE_TIMEOUT_MS: u64 = 60_000;

/// Why an engine cannot be an AI.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("{0}")]
    Command(#[from] EngineCommandError),
    /// The library that drives engines does not exist in these directories.
    #[error(
        "the library {LIBRARY}, which drives UCI engines, was not found in {}; run 'make build' \
         and copy lib{LIBRARY}.so there, or add its directory to plugins.directories",
        .0.join(", ")
    )]
    Library(Vec<String>),
}

impl AiSettings {
    /// Returns the settings of a UCI engine that may only start its program and read what its
    /// command names. Looks for the library that drives engines in `directories` and in the
    /// installation.
    ///
    /// # Errors
    /// The library does not exist.
    pub fn of_engine(
        id: &str,
        command: &EngineCommand,
        directories: &[PathBuf],
    ) -> Result<Self, EngineError> {
        let mut defaults = Self::of_library(id, engine_library(directories)?);
        defaults.sandbox.memory_mb = MEMORY_MB;
        defaults.sandbox.exec = vec![command.program().clone()];
        defaults.sandbox.read = command.read().to_vec();
        defaults.sandbox.links = command.links().to_vec();
        defaults.sandbox.working_directory = command.working_directory().map(Path::to_owned);
        let command = OptionSetting {
            name: COMMAND.into(),
            value: OptionValue::Text(command.text()),
        };
        Ok(Self {
            options: vec![command],
            ..defaults
        })
    }
}

/// Returns the file of the library that drives engines.
///
/// # Errors
/// It is neither in the directories, nor next to this program, nor where the package installs it.
pub fn engine_library(directories: &[PathBuf]) -> Result<PathBuf, EngineError> {
    let directories = [directories, &library_folders()].concat();
    let libraries = Libraries {
        folder: Path::new("."),
        directories: &directories,
    };
    libraries.find(LIBRARY).map_err(|_| {
        let looked_in = directories
            .iter()
            .filter(|directory| metadata(directory).is_ok());
        EngineError::Library(looked_in.map(shown_path).collect())
    })
}

impl Config {
    /// Adds a UCI engine (a program or a script) and returns its new id.
    ///
    /// # Errors
    /// The program or the library that drives it does not exist.
    ///
    /// # Panics
    /// Never: one of the generated ids is always free.
    pub fn add_engine(&mut self, program: &str) -> Result<String, EngineError> {
        let command =
            EngineCommand::find(&[program.to_owned()], &ProgramPlaces::of_this_process())?;
        // Generates one id more than there are AIs, so that at least one is free.
        let mut ids = (0..=self.ais.len()).map(|number| format!("engine-{number}"));
        let id = ids
            .find(|id| !self.ais.contains_key(id))
            .expect("one of the numbers is free");
        let engine = AiSettings::of_engine(&id, &command, &self.plugins.directories)?;
        let settings = AiSettings {
            move_timeout_ms: MOVE_TIMEOUT_MS,
            ..engine
        };
        self.ais.insert(id.clone(), settings);
        Ok(id)
    }
}
