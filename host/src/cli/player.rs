//! A player that a command names: an AI of the configuration, or the file of a library or a UCI engine.

use std::path::PathBuf;

use crate::cli::{failure::Failure, grants::find_settings, output::print_message, target::Target};
use config::{Config, PlayerText};
use pool::WorkerProgram;
use text::visible;
use tournament::{Player, PlayerError, is_path};

/// Loads a player as [`Player::load`] does. A script that doesn't start with its own file alone may read what it looks for in its
/// folder, such as modules. Blocks.
///
/// # Errors
/// As [`Player::load`]. An engine that doesn't play has the same hints as in `rookery add`.
pub(super) fn load_player(config: &Config, text: &str, program: &WorkerProgram) -> Result<Player, Failure> {
    let path = PlayerText::ai_of(text);
    match Player::load(config, text, program) {
        Err(PlayerError::Start(errors)) if is_path(path) => match files_of(config, path)? {
            files if files.is_empty() => Err(errors.into()),
            files => Ok(Player::load_with_files(config, text, program, &files)?),
        },
        loaded => Ok(loaded?),
    }
}

/// Returns the files of its own folder that an AI looks for while it plays.
fn files_of(config: &Config, path: &str) -> Result<Vec<PathBuf>, Failure> {
    let target = Target::find(&[path.to_owned()])?;
    let folder = target.folder();
    let ai = target.settings("engine", &config.plugins.directories)?;
    let subject = target.subject(ai, 0)?;
    let progress = |message: &str| print_message(&visible(&format!("{path}: {message}")));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let tried = runtime.block_on(find_settings(subject, folder.as_deref(), progress)).map_err(|failure| {
        let quoted = shlex::try_quote(path).unwrap_or_default();
        Failure::Usage(format!(
            "'{path}': {failure}\n  for more grants, add it with 'rookery add FLAGS {quoted}', and name its id in place of the path"
        ))
    })?;
    let granted = tried.settings.sandbox.read;
    Ok(granted.into_iter().filter(|file| folder.as_ref().is_some_and(|own| file.starts_with(own))).collect())
}
