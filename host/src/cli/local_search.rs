//! Searches of commands that need no server: one AI, its limits and its failures.

use api::{error::RequestError, forms::search::LimitForm};
use clap::Args;
use config::ClientSettings;
use game::{Client, GameService, ServiceError};
use pool::{ClientIdentity, WorkerProgram};

use crate::cli::{
    config_file::{ConfigFile, choose_ai},
    failure::Failure,
};

/// Starts an AI from a configuration. `None` starts the default client's AI.
pub(crate) fn start(file: &ConfigFile, ai: Option<&str>) -> Result<(GameService, Client), Failure> {
    let mut config = file.load()?;
    let id = choose_ai(&mut config, ai)?;
    config.keep_only(&id);
    let service = GameService::start(config, WorkerProgram::this_binary())?;
    let client = Client {
        settings: ClientSettings::unbounded(String::new(), id),
        identity: ClientIdentity::Local,
    };
    Ok((service, client))
}

#[derive(Debug, Args)]
pub(crate) struct LimitArguments {
    /// Maximum depth in plies
    #[arg(long, value_name = "N")]
    depth: Option<u64>,
    /// Maximum number of nodes
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Maximum time in milliseconds
    #[arg(long, value_name = "N")]
    movetime_ms: Option<u64>,
    /// Search for a mate in this many moves
    #[arg(long, value_name = "N")]
    mate: Option<u64>,
}

impl LimitArguments {
    pub(crate) fn form(&self) -> Option<LimitForm> {
        let Self {
            depth,
            nodes,
            movetime_ms,
            mate,
        } = *self;
        let is_set = [depth, nodes, movetime_ms, mate]
            .iter()
            .any(Option::is_some);
        is_set.then_some(LimitForm {
            depth,
            nodes,
            movetime_ms,
            mate,
        })
    }
}

pub(crate) fn failure(error: RequestError) -> Failure {
    match error {
        RequestError::IllegalGame(game) => {
            let lines = game
                .issues
                .iter()
                .map(|issue| format!("{} ({})", issue.message, issue.code));
            Failure::Usage(format!(
                "the game is not legal:\n  {}",
                lines.collect::<Vec<_>>().join("\n  ")
            ))
        }
        RequestError::Malformed(_)
        | RequestError::UnknownAi { .. }
        | RequestError::Service(
            ServiceError::NoEvaluator { .. }
            | ServiceError::NoChess960 { .. }
            | ServiceError::NoTrace { .. },
        ) => Failure::Usage(error.to_string()),
        RequestError::Service(ServiceError::Fault { ai, fault }) => {
            Failure::Other(anyhow::anyhow!("AI '{ai}': {}", fault.in_full()))
        }
        _ => Failure::Other(error.into()),
    }
}
