//! UCI engines as AIs that no file configures.

use std::path::{Path, PathBuf};

use ai_api::{Limits, OptionSetting, OptionValue};

use super::{AiSettings, Config, Isolation, keys, keys::Setting as _, library_path::Libraries};
use library::executable::{ExecutableError, inspect, unreadable};
use library::file_access::canonicalize;
use protocol::{SandboxMode, SandboxSettings};

/// The library that drives an engine.
const LIBRARY: &str = "ai_uci";
/// Its option that names the engine.
const COMMAND: &str = "command";
/// Engines bring nets and tables of their own.
const MEMORY_MB: u64 = 4096;
const THREADS: u64 = 64;
/// Weak machines and deep limits take their time.
const MOVE_TIMEOUT_MS: u64 = 60_000;

/// Why an engine can't be an AI.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// There is no such program.
    #[error("the program {error}")]
    Program {
        /// Why it can't be started.
        error: ExecutableError,
    },
    /// The library that drives engines is nowhere.
    #[error(
        "the library {LIBRARY}, which drives engines, is not in plugins.directories ({}); put lib{LIBRARY}.so there, which \
         'make build' makes",
        .0.join(", ")
    )]
    Library(Vec<String>),
}

impl Config {
    /// Adds the UCI engine that is started by this program, and gives back the id that it has now. It may start that program and
    /// nothing else.
    ///
    /// # Errors
    /// There is no such program, or no library to drive it.
    ///
    /// # Panics
    /// Never: there are more numbers than AIs.
    pub fn add_engine(&mut self, program: &Path) -> Result<String, EngineError> {
        let unusable = |error| EngineError::Program { error };
        let file = canonicalize(program);
        let file = file.map_err(|error| unusable(unreadable(program, error)))?;
        let executable = inspect(&file).map_err(unusable)?;
        let libraries = Libraries { folder: self.source.folder(), directories: &self.plugins.directories };
        let library = libraries.find(LIBRARY).map_err(|_| {
            let shown = |folder: &PathBuf| folder.display().to_string();
            EngineError::Library(self.plugins.directories.iter().map(shown).collect())
        })?;
        // One more number than there are AIs that could have it.
        let mut ids = (0..=self.ais.len()).map(|number| format!("engine-{number}"));
        let id = ids.find(|id| !self.ais.contains_key(id)).expect("one of the numbers is free");
        let command = OptionSetting {
            name: COMMAND.into(),
            value: OptionValue::Text(file.to_string_lossy().as_ref().into()),
        };
        let settings = AiSettings {
            id: id.clone(),
            library,
            workers: 1,
            move_timeout_ms: MOVE_TIMEOUT_MS,
            start_timeout_ms: keys::START_TIMEOUT_MS.kind.default(),
            new_game_timeout_ms: keys::NEW_GAME_TIMEOUT_MS.kind.default(),
            queue: keys::QUEUE_CAPACITY.kind.default() as usize,
            isolate: Isolation::None,
            fallback: None,
            limit: Limits::depth(keys::DEFAULT_DEPTH),
            sandbox: SandboxSettings {
                mode: SandboxMode::Required,
                memory_mb: MEMORY_MB,
                threads: THREADS,
                read: Vec::new(),
                exec: vec![executable],
                links: Vec::new(),
            },
            sha256: None,
            options: vec![command],
            overridable_options: Vec::new(),
        };
        self.ais.insert(id.clone(), settings);
        Ok(id)
    }
}
