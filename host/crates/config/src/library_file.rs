//! Adds libraries as AIs without a section in the file.

use std::path::Path;

use crate::{
    ai::AiSettings,
    config::Config,
    engine::{MEMORY_MB, MOVE_TIMEOUT_MS},
    library_path::absolute,
};
use library::{ReadLibraryError, SealedLibrary};
use protocol::SandboxSettings;

impl Config {
    /// Adds the library in a file under its own id, and returns the id. It replaces an AI with the
    /// same id. Workers load the current bytes, even if the file changes later.
    ///
    /// # Errors
    /// The file is not an AI's library.
    pub fn add_library(&mut self, file: &Path) -> Result<String, ReadLibraryError> {
        let library = SealedLibrary::read(file)?;
        let id = library.note().id.clone();
        let defaults = AiSettings::of_library(&id, absolute(Path::new("."), file));
        let settings = AiSettings {
            sha256: Some(library.sha256()),
            move_timeout_ms: MOVE_TIMEOUT_MS,
            sandbox: SandboxSettings {
                memory_mb: MEMORY_MB,
                ..defaults.sandbox
            },
            ..defaults
        };
        self.ais.insert(id.clone(), settings);
        Ok(id)
    }
}
