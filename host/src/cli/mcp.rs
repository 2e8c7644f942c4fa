//! `rookery mcp`.

use clap::Args;

#[cfg(not(feature = "mcp"))]
use crate::cli::extras::WITHOUT_MCP;
use crate::cli::{config_file::ConfigFile, failure::Failure};
#[cfg(feature = "mcp")]
use crate::{
    cli::{
        config_file::choose_ai, runtime::CommandRuntime, serve::WORKERS_GRACE, start::start_ais,
    },
    log::{self, LogFormat},
    panics,
};

#[derive(Debug, Args)]
pub(super) struct RunMcp {
    #[command(flatten)]
    file: ConfigFile,
    /// AI for calls that name none; by default the default client's
    #[arg(long, value_name = "ID")]
    ai: Option<String>,
}

impl RunMcp {
    #[cfg(not(feature = "mcp"))]
    pub(super) fn run(self) -> Result<(), Failure> {
        let Self { file: _, ai: _ } = self;
        Err(Failure::Usage(format!("`rookery mcp` works {WITHOUT_MCP}")))
    }

    #[cfg(feature = "mcp")]
    pub(super) fn run(self) -> Result<(), Failure> {
        log::start("error,rmcp=off", LogFormat::Text);
        panics::end_the_process();
        let mut config = self.file.load()?;
        let id = choose_ai(&mut config, self.ai.as_deref())?;
        let (game, cgroups) = start_ais(config, pool::Activity::default())?;
        let game = std::sync::Arc::new(game);
        // Only the AIs' own limits apply, as in every command.
        let settings = config::ClientSettings::unbounded(String::new(), id);
        let client = game::Client {
            settings,
            identity: pool::ClientIdentity::Local,
        };
        let runtime = CommandRuntime::new()?;
        let served = runtime.block_on(mcp::serve_stdio(std::sync::Arc::clone(&game), client));
        game.stop(WORKERS_GRACE);
        cgroups.close();
        Ok(served.map_err(anyhow::Error::new)?)
    }
}
