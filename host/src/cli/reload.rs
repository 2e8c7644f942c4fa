//! `rookery reload`.

use anyhow::Context as _;
use clap::Args;
use serde_json::{Value, json};

use super::{ConfigFile, Failure, print, print_json, say};
use server::reload::{ReloadRecord, Reloaded, RunningServer, running_servers};

#[derive(Debug, Args)]
pub(super) struct ReloadServers {
    #[command(flatten)]
    file: ConfigFile,
    /// For machines
    #[arg(long)]
    json: bool,
}

/// What one server said.
struct Answer {
    process: u32,
    record: Result<ReloadRecord, anyhow::Error>,
}

impl ReloadServers {
    pub(super) fn run(self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let answers = runtime.block_on(self.ask())?;
        if self.json {
            print_json(&json!({"servers": answers.iter().map(as_json).collect::<Vec<_>>()}))?;
        } else {
            answers.iter().try_for_each(tell)?;
        }
        if answers.iter().any(|answer| matches!(answer.record, Ok(ReloadRecord::Error { .. }))) {
            return Err(Failure::Usage("reload failed; keeping the current configuration".into()));
        }
        answers.into_iter().try_for_each(|Answer { process, record }| {
            record.with_context(|| format!("server {process}")).map(drop).map_err(Failure::from)
        })
    }

    async fn ask(&self) -> Result<Vec<Answer>, Failure> {
        let config = self.file.config.display();
        let servers = running_servers(&self.file.config).await;
        let servers = servers
            .with_context(|| format!("can't find the configuration {config}, which --config FILE names"))?;
        if servers.is_empty() {
            return Err(Failure::Other(anyhow::anyhow!(
                "no server of this user runs with the configuration {config}; name its file with --config, or send \
                 SIGHUP to the process of a server that has no socket"
            )));
        }
        let mut answers = Vec::new();
        for server in servers {
            answers.push(reload(server).await);
        }
        Ok(answers)
    }
}

async fn reload(server: RunningServer) -> Answer {
    let process = server.process;
    let progress = |message: &str| say(&format!("server {process}: {message}"));
    let record = server.reload(progress).await.map_err(anyhow::Error::from);
    Answer { process, record }
}

fn as_json(Answer { process, record }: &Answer) -> Value {
    match record {
        Ok(ReloadRecord::Result(reloaded)) => json!({"process": process, "reloaded": reloaded}),
        Ok(ReloadRecord::Error { errors }) => json!({"process": process, "errors": errors}),
        Ok(ReloadRecord::Progress { .. }) => {
            json!({"process": process, "errors": ["the server said nothing at last"]})
        }
        Err(error) => json!({"process": process, "errors": [format!("{error:#}")]}),
    }
}

fn tell(Answer { process, record }: &Answer) -> Result<(), Failure> {
    match record {
        Ok(ReloadRecord::Result(Reloaded { ais, clients, warnings, time_ms })) => {
            for warning in warnings {
                say(&format!("warning: {warning}"));
            }
            let text = format!(
                "server {process}: taken over in {time_ms} ms\n  AIs      {ais}\n  clients  {clients}"
            );
            Ok(print(&text)?)
        }
        Ok(ReloadRecord::Error { errors }) => {
            for error in errors {
                say(error);
            }
            Ok(())
        }
        Ok(ReloadRecord::Progress { .. }) | Err(_) => Ok(()),
    }
}
