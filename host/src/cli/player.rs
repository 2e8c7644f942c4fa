//! A player that a command names: an AI of the configuration, or the file of a library or a UCI
//! engine.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::cli::{
    failure::Failure,
    grants::{find_files, find_settings},
    output::print_message,
    runtime::CommandRuntime,
    target::Target,
};
use config::{Config, PlayerText};
use pool::WorkerProgram;
use text::visible;
use tournament::{Player, PlayerError, is_path};

/// Loads a player like [`Player::load`]. An engine may read what it looks for in its folder, such
/// as modules or a net. Blocks.
///
/// # Errors
/// The same as for [`Player::load`]. For an engine that does not play, the error gives the same
/// hints as `rookery add`.
pub(super) fn load_player(
    config: &Config,
    text: &str,
    program: &WorkerProgram,
) -> Result<Player, Failure> {
    let path = PlayerText::ai_of(text);
    match Player::load(config, text, program) {
        // Without its net, an engine may play badly.
        Ok(player) if is_path(path) => match files_beside(config, path)? {
            files if files.is_empty() => Ok(player),
            files => Ok(Player::load_with_files(config, text, program, &files)?),
        },
        Err(PlayerError::Start(errors)) if is_path(path) => match files_of(config, path)? {
            files if files.is_empty() => Err(errors.into()),
            files => Ok(Player::load_with_files(config, text, program, &files)?),
        },
        loaded => Ok(loaded?),
    }
}

/// Returns the files in its own folder that an engine looks for but can start without.
fn files_beside(config: &Config, path: &str) -> Result<Vec<PathBuf>, Failure> {
    let target = Target::find(&[path.to_owned()])?;
    let Some(folder) = target
        .folder()
        .filter(|folder| has_files_beside(folder, target.file()))
    else {
        return Ok(Vec::new());
    };
    let ai = target.settings("engine", &config.plugins.directories)?;
    let mut subject = target.subject(ai, 0)?;
    let progress = |message: &str| print_message(&visible(&format!("{path}: {message}")));
    let runtime = CommandRuntime::new()?;
    runtime.block_on(find_files(&mut subject, Some(&folder), &progress))?;
    Ok(within(subject.ai.sandbox.read, &folder))
}

fn has_files_beside(folder: &Path, file: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut others =
        entries.filter(|entry| Some(entry.file_name().as_os_str()) != file.file_name());
    others.next().is_some()
}

fn within(granted: Vec<PathBuf>, folder: &Path) -> Vec<PathBuf> {
    granted
        .into_iter()
        .filter(|file| file.starts_with(folder))
        .collect()
}

/// Returns the files in its own folder that an AI looks for while it plays.
fn files_of(config: &Config, path: &str) -> Result<Vec<PathBuf>, Failure> {
    let target = Target::find(&[path.to_owned()])?;
    let folder = target.folder();
    let ai = target.settings("engine", &config.plugins.directories)?;
    let subject = target.subject(ai, 0)?;
    let progress = |message: &str| print_message(&visible(&format!("{path}: {message}")));
    let runtime = CommandRuntime::new()?;
    let found = runtime.block_on(find_settings(subject, folder.as_deref(), &progress));
    let tried = found.map_err(|failure| {
        let quoted = shlex::try_quote(path).unwrap_or_default();
        Failure::Usage(format!(
            "'{path}': {failure}\n  for more grants, add it with 'rookery add FLAGS {quoted}', and \
             use its id instead of the path"
        ))
    })?;
    Ok(folder.map_or_else(Vec::new, |folder| {
        within(tried.settings.sandbox.read, &folder)
    }))
}
