//! `rookery uci`.

use std::io;

use clap::Args;

use super::{ConfigFile, Failure};
use crate::{
    telemetry::{self, LogFormat},
    uci::{self, UciError},
};
use pool::WorkerProgram;

#[derive(Debug, Args)]
pub(super) struct PlayUci {
    #[command(flatten)]
    file: ConfigFile,
    /// The AI that plays; left out, the default client's
    #[arg(long, value_name = "ID")]
    ai: Option<String>,
}

impl PlayUci {
    pub(super) fn run(self) -> Result<(), Failure> {
        telemetry::start("error", LogFormat::Text);
        let mut config = self.file.load()?;
        let id = super::chosen_ai(&mut config, self.ai.as_deref())?;
        match uci::run(config, &id, WorkerProgram::this_binary(), io::stdin(), io::stdout()) {
            Ok(()) => Ok(()),
            Err(UciError::Start(errors)) => Err(errors.into()),
            Err(UciError::Broken(error)) => Err(error.into()),
        }
    }
}
