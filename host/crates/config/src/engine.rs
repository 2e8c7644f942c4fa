//! UCI engines as AIs without a section in the file.

use std::path::Path;

use ai_api::{OptionSetting, OptionValue};

use crate::{ai::AiSettings, config::Config, kinds::shown_path, library_path::Libraries};
use library::executable::{ExecutableError, inspect, unreadable};
use library::file_access::canonicalize;
use protocol::SandboxSettings;

/// The library that drives an engine.
const LIBRARY: &str = "ai_uci";
/// Its option that names the engine.
const COMMAND: &str = "command";
/// Engines have networks and tables of their own.
pub(crate) const MEMORY_MB: u64 = 4096;
/// Slow machines and deep limits take time.
pub(crate) const MOVE_TIMEOUT_MS: u64 = 60_000;

/// An engine cannot be an AI.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("the program {error}")]
    Program { error: ExecutableError },
    /// The library that drives engines does not exist in these plugin directories.
    #[error(
        "the library {LIBRARY}, which drives engines, is not in plugins.directories ({}); put lib{LIBRARY}.so there, which \
         'make build' makes",
        .0.join(", ")
    )]
    Library(Vec<String>),
}

impl Config {
    /// Adds a UCI engine and returns its new id. It may start `program` and nothing else.
    ///
    /// # Errors
    /// The program or the library that drives it does not exist.
    ///
    /// # Panics
    /// Never: there are more numbers than AIs.
    pub fn add_engine(&mut self, program: &Path) -> Result<String, EngineError> {
        let unusable = |error| EngineError::Program { error };
        let file = canonicalize(program);
        let file = file.map_err(|error| unusable(unreadable(program, error)))?;
        let executable = inspect(&file).map_err(unusable)?;
        let libraries = Libraries { folder: self.source.folder(), directories: &self.plugins.directories };
        // One more number than there are AIs that could have it.
        let mut ids = (0..=self.ais.len()).map(|number| format!("engine-{number}"));
        let id = ids.find(|id| !self.ais.contains_key(id)).expect("one of the numbers is free");
        let library = libraries.find(LIBRARY).ok();
        let defaults = library.and_then(|library| AiSettings::of_file(&id, &library));
        let defaults = defaults
            .ok_or_else(|| EngineError::Library(self.plugins.directories.iter().map(shown_path).collect()))?;
        let command = OptionSetting {
            name: COMMAND.into(),
            value: OptionValue::Text(file.to_string_lossy().as_ref().into()),
        };
        let settings = AiSettings {
            move_timeout_ms: MOVE_TIMEOUT_MS,
            sandbox: SandboxSettings { memory_mb: MEMORY_MB, exec: vec![executable], ..defaults.sandbox },
            options: vec![command],
            ..defaults
        };
        self.ais.insert(id.clone(), settings);
        Ok(id)
    }
}
