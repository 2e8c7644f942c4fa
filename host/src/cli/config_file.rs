//! The configuration of a command: `--config`, the environment and the chosen AI.

use std::path::PathBuf;

use clap::Args;

use crate::cli::failure::Failure;
use config::{Config, Overrides, ensure_known};

#[derive(Debug, Args)]
pub(crate) struct ConfigFile {
    /// The configuration file
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "ROOKERY_CONFIG",
        default_value = "config/rookery.toml"
    )]
    pub(crate) config: PathBuf,
}

impl ConfigFile {
    /// Loads the file with the overrides of the environment.
    pub(crate) fn load(&self) -> Result<Config, Failure> {
        Ok(config::load(&self.config, &overrides(None))?)
    }
}

/// Returns the overrides of the environment, and of the flag `--listen`, which wins.
pub(crate) fn overrides(listen: Option<String>) -> Overrides {
    Overrides::from_environment(|name| std::env::var_os(name)).with_listen(listen)
}

/// Returns the id of the requested AI, or of the default client's, and adds a discovered AI to the configuration.
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
