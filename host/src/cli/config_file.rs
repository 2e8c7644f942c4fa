//! The configuration of a command: `--config`, the environment and the chosen AI.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::{extras, failure::Failure};
use config::{Config, LoadOptions, ensure_known};

const DEFAULT: &str = "config/rookery.toml";

#[derive(Debug, Args)]
pub(crate) struct ConfigFile {
    /// The configuration file
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "ROOKERY_CONFIG",
        default_value = DEFAULT
    )]
    pub(crate) config: PathBuf,
}

impl ConfigFile {
    /// Loads the file with the overrides of the environment.
    pub(crate) fn load(&self) -> Result<Config, Failure> {
        Ok(config::load(&self.config, &load_options(None))?)
    }

    /// Returns whether no other file was chosen.
    pub(crate) fn is_default(&self) -> bool {
        self.config == Path::new(DEFAULT)
    }

    /// Loads the file for a command that needs none: without the default file, the libraries beside
    /// this program are found.
    #[cfg(any(feature = "extras", feature = "mcp"))]
    pub(crate) fn load_if_any(&self) -> Result<Config, Failure> {
        self.load_if_any_with(&load_options(None))
    }

    /// Does the same with further options.
    #[cfg(any(feature = "extras", feature = "mcp"))]
    pub(crate) fn load_if_any_with(&self, options: &LoadOptions) -> Result<Config, Failure> {
        if !self.is_default() || self.config.exists() {
            return Ok(config::load(&self.config, options)?);
        }
        let program = std::env::current_exe()?;
        let folder = program.parent().unwrap_or(Path::new("/"));
        // In a clone they are beside it, in a package in /usr/lib/rookery.
        let directories = vec![folder.to_owned(), folder.join("../lib/rookery")];
        Ok(config::without_file(directories, options)?)
    }
}

/// Returns what configurations are read with: the sections of extras, the environment, and the
/// flag `--listen`, which takes precedence.
pub(crate) fn load_options(listen: Option<String>) -> LoadOptions {
    LoadOptions::from_environment(|name| std::env::var_os(name))
        .with_extras(extras::SECTIONS, extras::ABSENT)
        .with_listen(listen)
}

/// Returns the id of the requested AI, or of the default client's, and adds a discovered AI to the
/// configuration.
pub(crate) fn choose_ai(config: &mut Config, requested: Option<&str>) -> Result<String, Failure> {
    let Some(id) = requested.or(config.client(None).map(|client| client.ai.as_str())) else {
        return Err(Failure::Usage(
            "the configuration has no [client.default]; choose an AI with --ai".into(),
        ));
    };
    let id = id.to_owned();
    ensure_known(config, &id)?;
    Ok(id)
}

/// Returns the text of a path, relative to the working directory, for a setting of a file
/// elsewhere.
pub(crate) fn absolute_text(file: &Path) -> String {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    absolute.to_string_lossy().into_owned()
}
