//! A player that a command names: an AI of the configuration, or the file of a library or a UCI engine.

use std::path::PathBuf;

use crate::cli::{failure::Failure, grants::find_files, output::print_message, target::Target};
use config::{Config, PlayerText};
use pool::WorkerProgram;
use text::visible;
use tournament::{Player, PlayerError, is_path};

/// Loads a player as [`Player::load`] does. A script that doesn't start with its own file alone may read what it looks for in its
/// folder, such as modules. Blocks.
pub(super) fn load_player(config: &Config, text: &str, program: &WorkerProgram) -> Result<Player, Failure> {
    let path = PlayerText::ai_of(text);
    match Player::load(config, text, program) {
        Err(PlayerError::Start(errors)) if is_path(path) => {
            let files = files_of(config, path)?;
            if files.is_empty() {
                return Err(errors.into());
            }
            Ok(Player::load_with_files(config, text, program, &files)?)
        }
        loaded => Ok(loaded?),
    }
}

/// Returns the files of its own folder that an engine looks for while it plays; none of a library.
fn files_of(config: &Config, path: &str) -> Result<Vec<PathBuf>, Failure> {
    let target = Target::find(&[path.to_owned()])?;
    let Some(folder) = target.folder() else { return Ok(Vec::new()) };
    let ai = target.settings("engine", &config.plugins.directories)?;
    let mut subject = target.subject(ai, 0)?;
    let progress = |message: &str| print_message(&visible(&format!("{path}: {message}")));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(find_files(&mut subject, Some(&folder), progress))?;
    Ok(subject.ai.sandbox.read)
}
