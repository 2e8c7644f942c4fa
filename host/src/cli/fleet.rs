//! `rookery fleet`.

use std::{fmt::Write as _, time::Duration};

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::{
    config_file::{ConfigFile, load_options},
    failure::Failure,
    output::print,
};
use fleet::{FleetSettings, NODE_NAME_ALLOWED, is_node_name};
use fleet::{FleetStatus, NodeAi, NodeStatus, observe, permissions_of_node, permissions_of_server};

/// A node announces itself each second.
const OBSERVED: Duration = Duration::from_millis(1500);

#[derive(Debug, Subcommand)]
pub(super) enum FleetCommand {
    /// List the nodes, their AIs and their free slots
    #[command(after_help = "\
Examples:
  rookery fleet status
  rookery fleet status --nats nats://127.0.0.1:4222 --json

Exit status: 0 if there is a node, 1 if there is none or NATS is not reachable.")]
    Status(ShowStatus),
    /// Print what nats-server must allow a node, or a server
    #[command(after_help = "\
Examples:
  rookery fleet permissions gpu1             for the user of the node gpu1
  rookery fleet permissions --server web1    for the user of the server web1

Put the block into a user of the configuration of nats-server:
  authorization { users = [ { nkey: UA…, permissions { … } } ] }")]
    Permissions(ShowPermissions),
}

#[derive(Debug, Args)]
pub(super) struct ShowStatus {
    #[command(flatten)]
    file: ConfigFile,
    /// NATS servers, separated by commas; overrides `nats` in [fleet]
    #[arg(long, value_name = "URL")]
    nats: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ShowPermissions {
    /// `name` in [fleet] of the node or the server
    name: String,
    /// For a server instead of a node
    #[arg(long)]
    server: bool,
}

impl FleetCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Status(command) => command.run(),
            Self::Permissions(command) => command.run(),
        }
    }
}

impl ShowStatus {
    fn run(self) -> Result<(), Failure> {
        let config = config::load(
            &self.file.config,
            &load_options(None).with_flag("fleet", ("--nats", "nats"), self.nats),
        )?;
        let Some(settings) = config.extra::<FleetSettings>() else {
            let message =
                "there is no fleet: add [fleet] with `nats` to the configuration, or set --nats";
            return Err(Failure::Usage(message.into()));
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let status = runtime
            .block_on(observe(settings, OBSERVED))
            .map_err(anyhow::Error::new)?;
        print(&if self.json {
            as_json(&status)
        } else {
            as_text(&status)
        })?;
        if status.nodes.is_empty() {
            return Err(anyhow::anyhow!(
                "no node announced itself within {} ms",
                OBSERVED.as_millis()
            )
            .into());
        }
        Ok(())
    }
}

fn as_json(status: &FleetStatus) -> String {
    let ai = |ai: &NodeAi| {
        json!({
            "id": ai.id,
            "fingerprint": ai.fingerprint,
            "slots": ai.slots,
            "free": ai.free
        })
    };
    let node = |(name, node): (&String, &NodeStatus)| {
        let ais: Vec<_> = node.ais.iter().map(ai).collect();
        json!({"name": name, "state": node.state, "ais": ais})
    };
    let nodes: Vec<_> = status.nodes.iter().map(node).collect();
    json!({ "nodes": nodes }).to_string()
}

fn as_text(status: &FleetStatus) -> String {
    let mut text = format!("{} nodes", status.nodes.len());
    for (name, node) in &status.nodes {
        let _ = write!(text, "\n{name}: {}", node.state.into_str());
        for NodeAi {
            id,
            fingerprint,
            slots,
            free,
            ..
        } in &node.ais
        {
            let short: String = fingerprint.chars().take(12).collect();
            let _ = write!(text, "\n  {id}  {free} of {slots} slots free  {short}");
        }
    }
    text
}

impl ShowPermissions {
    fn run(self) -> Result<(), Failure> {
        if !is_node_name(&self.name) {
            return Err(Failure::Usage(format!(
                "{:?} is no name of a node or a server; allowed: {NODE_NAME_ALLOWED}",
                self.name
            )));
        }
        let block = if self.server {
            permissions_of_server
        } else {
            permissions_of_node
        };
        Ok(print(&block(&self.name))?)
    }
}
