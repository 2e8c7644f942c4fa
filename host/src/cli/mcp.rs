//! `rookery mcp`.

use clap::Args;

use crate::cli::{config_file::ConfigFile, failure::Failure};

#[derive(Debug, Args)]
pub(super) struct RunMcp {
    #[command(flatten)]
    file: ConfigFile,
    /// The AI of a call that names none; by default that of the default client
    #[arg(long, value_name = "ID")]
    ai: Option<String>,
}

impl RunMcp {
    pub(super) fn run(self) -> Result<(), Failure> {
        tools::serve(self)
    }
}

#[cfg(not(feature = "mcp"))]
mod tools {
    use super::{Failure, RunMcp};
    use crate::cli::serve::WITHOUT_MCP;

    pub(super) fn serve(RunMcp { file: _, ai: _ }: RunMcp) -> Result<(), Failure> {
        Err(Failure::Usage(WITHOUT_MCP.into()))
    }
}

#[cfg(feature = "mcp")]
mod tools {
    use std::sync::Arc;

    use super::{Failure, RunMcp};
    use crate::cli::{config_file::choose_ai, serve::WORKERS_GRACE, start::start_ais};
    use crate::log::{self, LogFormat};
    use config::ClientSettings;
    use game::Client;
    use pool::ClientIdentity;
    use server::mcp::serve_stdio;

    pub(super) fn serve(RunMcp { file, ai }: RunMcp) -> Result<(), Failure> {
        log::start("error,rmcp=off", LogFormat::Text);
        let mut config = file.load_if_any()?;
        let id = choose_ai(&mut config, ai.as_deref())?;
        let (game, cgroups) = start_ais(config, None)?;
        let game = Arc::new(game);
        // As for every command, the limits are those of the AIs.
        let settings = ClientSettings::unbounded(String::new(), id);
        let client = Client { settings, identity: ClientIdentity::Local };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let served = runtime.block_on(serve_stdio(Arc::clone(&game), client));
        game.stop(WORKERS_GRACE);
        cgroups.close();
        Ok(served.map_err(anyhow::Error::new)?)
    }
}
