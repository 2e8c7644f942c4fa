//! `rookery config`.

use std::time::SystemTime;

use ai_api::{OptionSetting, OptionValue};
use clap::Subcommand;

use crate::cli::{
    config_file::ConfigFile,
    failure::Failure,
    output::{print, print_message},
};
use game::smoke_tests;
use pool::{StartErrors, WorkerProgram, inspect};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Check a configuration, its AIs and their options, and report all errors
    #[command(after_help = "Example:\n  rookery config check --config my.toml")]
    Check(ConfigFile),
    /// Print the resolved configuration with every key
    #[command(after_help = "Example:\n  ROOKERY_LISTEN=127.0.0.1:9000 rookery config show")]
    Show(ConfigFile),
}

impl Command {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Show(file) => {
                let config = file.load()?;
                let inspections = inspect(&config, &WorkerProgram::this_binary(), &[])?.configured;
                let is_secret = |ai: &str, option: &OptionSetting| {
                    let inspection = inspections.iter().find(|inspection| inspection.settings.id == ai);
                    match inspection.map(|inspection| &inspection.about) {
                        Some(Ok(about)) => {
                            about.options.iter().any(|spec| spec.name == option.name && spec.secret)
                        }
                        // Without a manifest, any text could be secret.
                        _ => matches!(option.value, OptionValue::Text(_)),
                    }
                };
                Ok(print(&config.show(is_secret))?)
            }
            Self::Check(file) => {
                let config = file.load()?;
                for warning in config.warnings(SystemTime::now()) {
                    print_message(&format!("warning: {warning}"));
                }
                let inspections = inspect(&config, &WorkerProgram::this_binary(), &smoke_tests())?.configured;
                let count = inspections.len();
                let errors = inspections.into_iter().filter_map(|inspection| inspection.about.err());
                let errors: Vec<_> = errors.flat_map(|errors| errors.0).collect();
                if errors.is_empty() {
                    let plural = if count == 1 { "" } else { "s" };
                    return Ok(print(&format!("{}: ok, {count} AI{plural}", file.config.display()))?);
                }
                Err(StartErrors(errors).into())
            }
        }
    }
}
