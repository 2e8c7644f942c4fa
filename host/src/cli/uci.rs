//! `rookery uci`.

use std::io;

use clap::Args;

use crate::cli::{
    config_file::{ConfigFile, choose_ai},
    failure::Failure,
};
use crate::log::{self, LogFormat};
use pool::WorkerProgram;
use uci::UciError;

#[derive(Debug, Args)]
pub(super) struct RunUci {
    #[command(flatten)]
    file: ConfigFile,
    /// AI; by default the default client's
    #[arg(long, value_name = "ID")]
    ai: Option<String>,
}

impl RunUci {
    pub(super) fn run(self) -> Result<(), Failure> {
        log::start("error", LogFormat::Text);
        let mut config = self.file.load()?;
        let id = choose_ai(&mut config, self.ai.as_deref())?;
        match uci::run(
            config,
            &id,
            WorkerProgram::this_binary(),
            io::stdin(),
            io::stdout(),
        ) {
            Ok(()) => Ok(()),
            Err(UciError::Start(errors)) => Err(errors.into()),
            Err(UciError::Io(error)) => {
                let error = anyhow::Error::new(error);
                Err(error
                    .context("cannot read standard input or write standard output")
                    .into())
            }
        }
    }
}
