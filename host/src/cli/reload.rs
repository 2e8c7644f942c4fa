//! `rookery reload`.

use anyhow::Context as _;
use clap::Args;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::cli::{
    config_file::ConfigFile,
    failure::Failure,
    output::{print, print_json, print_message},
    runtime::CommandRuntime,
};
use server::reload::{
    Losses, ReloadRecord, Reloaded, RunningServer, reloads_deadline, running_servers,
};

#[derive(Debug, Args)]
pub(super) struct ReloadServers {
    #[command(flatten)]
    file: ConfigFile,
    /// Apply a file even if it has no AIs or clients, or seems truncated
    #[arg(long)]
    allow_empty: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One server's response.
pub(super) struct ServerResponse {
    process: u32,
    record: Result<ReloadRecord, anyhow::Error>,
}

impl ReloadServers {
    pub(super) fn run(self) -> Result<(), Failure> {
        let runtime = CommandRuntime::new()?;
        let responses = runtime.block_on(self.reload_all())?;
        if self.json {
            print_json(&json!({"servers": responses.iter().map(as_json).collect::<Vec<_>>()}))?;
        } else {
            responses.iter().try_for_each(print_response)?;
        }
        ensure_applied(responses)
    }

    async fn reload_all(&self) -> Result<Vec<ServerResponse>, Failure> {
        let config = self.file.configuration();
        let servers = running_servers(self.file.path()).await;
        let not_found = || format!("cannot find {config}; choose it with --config FILE");
        let servers = servers.with_context(not_found)?;
        if servers.is_empty() && !self.file.is_default() && !self.file.path().exists() {
            return Err(Failure::Other(anyhow::Error::msg(not_found())));
        }
        if servers.is_empty() {
            return Err(Failure::Other(anyhow::anyhow!(
                "no server of this user runs with {config}; choose its file with --config, or \
                 send SIGHUP to the process of a server that has no socket; root reaches only \
                 servers of root, of the file's owner and of services"
            )));
        }
        let losses = if self.allow_empty {
            Losses::Allowed
        } else {
            Losses::Refused
        };
        Ok(reload_each(servers, losses).await)
    }
}

/// Reloads one server after another.
pub(super) async fn reload_each(
    servers: Vec<RunningServer>,
    losses: Losses,
) -> Vec<ServerResponse> {
    let mut responses = Vec::new();
    let deadline = reloads_deadline();
    for server in servers {
        responses.push(reload(server, losses, deadline).await);
    }
    responses
}

/// # Errors
/// A server has not applied the configuration.
pub(super) fn ensure_applied(responses: Vec<ServerResponse>) -> Result<(), Failure> {
    if responses
        .iter()
        .any(|response| matches!(response.record, Ok(ReloadRecord::Error { .. })))
    {
        return Err(Failure::Usage(
            "reload failed; keeping the current configuration".into(),
        ));
    }
    responses
        .into_iter()
        .try_for_each(|ServerResponse { process, record }| {
            record
                .with_context(|| format!("server {process}"))
                .map(drop)
                .map_err(Failure::from)
        })
}

async fn reload(server: RunningServer, losses: Losses, deadline: Instant) -> ServerResponse {
    let process = server.process;
    let progress = |message: &str| print_message(&format!("server {process}: {message}"));
    let record = server
        .reload(losses, deadline, progress)
        .await
        .map_err(anyhow::Error::from);
    ServerResponse { process, record }
}

/// Returns the addresses of servers that have reloaded.
pub(super) fn addresses(responses: &[ServerResponse]) -> Vec<String> {
    let addresses = responses.iter().map(|response| match &response.record {
        Ok(ReloadRecord::Result(reloaded)) => &reloaded.addresses[..],
        _ => &[],
    });
    addresses.collect::<Vec<_>>().concat()
}

pub(super) fn as_json(ServerResponse { process, record }: &ServerResponse) -> Value {
    match record {
        Ok(ReloadRecord::Result(reloaded)) => json!({"process": process, "reloaded": reloaded}),
        Ok(ReloadRecord::Error { errors }) => json!({"process": process, "errors": errors}),
        Ok(ReloadRecord::Progress { .. } | ReloadRecord::Answer { .. }) => {
            json!({"process": process, "errors": ["the server closed the connection without a \
                result"]})
        }
        Err(error) => json!({"process": process, "errors": [format!("{error:#}")]}),
    }
}

pub(super) fn print_response(
    ServerResponse { process, record }: &ServerResponse,
) -> Result<(), Failure> {
    match record {
        Ok(ReloadRecord::Result(reloaded)) => {
            let Reloaded {
                ais,
                clients,
                settings,
                warnings,
                time_ms,
                addresses: _,
            } = &**reloaded;
            for warning in warnings {
                print_message(&format!("warning: {warning}"));
            }
            let settings = if settings.is_empty() {
                "unchanged".to_owned()
            } else {
                settings.join(", ")
            };
            let text = format!(
                "server {process}: applied in {time_ms} ms\n  AIs       {ais}\n  clients   \
                 {clients}\n  settings  {settings}"
            );
            Ok(print(&text)?)
        }
        Ok(ReloadRecord::Error { errors }) => {
            for error in errors {
                print_message(error);
            }
            Ok(())
        }
        Ok(ReloadRecord::Progress { .. } | ReloadRecord::Answer { .. }) | Err(_) => Ok(()),
    }
}
