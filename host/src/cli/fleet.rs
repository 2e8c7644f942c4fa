//! `rookery fleet`.

use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::{
    config_file::ConfigFile, failure::Failure, output::print, runtime::CommandRuntime,
};
use fleet::{
    FleetSettings, FleetStatus, NODE_NAME_ALLOWED, NodeAi, NodeStatus, is_node_name, observe,
    permissions_of_server,
};
use fleet_match::{
    NodeMatchStatus, PlayingStatus, observe_matches, permissions_of_organizer,
    permissions_of_playing_node,
};
use text::counted;

/// How long to wait for announcements. A node announces itself every second.
const OBSERVED: Duration = Duration::from_millis(1500);

#[derive(Debug, Subcommand)]
pub(super) enum FleetCommand {
    /// List nodes
    #[command(after_help = "\
Examples:
  rookery fleet status
  rookery fleet status --nats nats://127.0.0.1:4222 --json

Shows the AIs, free slots and matches of each node.

Exit status: 0 if there is a node, 1 if there is none or NATS is unreachable.")]
    Status(ShowStatus),
    /// Print NATS permissions
    #[command(after_help = "\
Examples:
  rookery fleet permissions gpu1                       for the node gpu1
  rookery fleet permissions --server web1              for the server web1
  rookery fleet permissions gpu1 --from anna           for a node that plays anna's matches
  rookery fleet permissions --server anna --matches    for 'rookery match --fleet' as anna

Add the block to a user in nats-server's configuration:
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
    /// `name` in [fleet] of the node or server
    name: String,
    /// Print permissions of a server instead of a node
    #[arg(long)]
    server: bool,
    /// Names whose matches the node plays, like `from` in [fleet.matches]
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        conflicts_with = "server"
    )]
    from: Vec<String>,
    /// Let nodes play matches of this server or command
    #[arg(long, requires = "server")]
    matches: bool,
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
            self.file.path(),
            &self
                .file
                .options(None)
                .with_flag("fleet", ("--nats", "nats"), self.nats),
        )?;
        let Some(settings) = config.extra::<FleetSettings>() else {
            let message =
                "there is no fleet: add [fleet] with `nats` to the configuration, or set --nats";
            return Err(Failure::Usage(message.into()));
        };
        let runtime = CommandRuntime::new()?;
        let observing = async {
            tokio::try_join!(
                observe(settings, OBSERVED),
                observe_matches(settings, OBSERVED)
            )
        };
        let (status, matches) = runtime.block_on(observing).map_err(anyhow::Error::new)?;
        print(&if self.json {
            as_json(&status, &matches)
        } else {
            as_text(&status, &matches)
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

type Matches = BTreeMap<String, NodeMatchStatus>;

fn as_json(status: &FleetStatus, matches: &Matches) -> String {
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
        let matches = matches.get(name);
        json!({"name": name, "state": node.state, "ais": ais, "matches": matches})
    };
    let nodes: Vec<_> = status.nodes.iter().map(node).collect();
    json!({ "nodes": nodes }).to_string()
}

fn as_text(status: &FleetStatus, matches: &Matches) -> String {
    let mut text = counted(status.nodes.len(), "node");
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
        let Some(NodeMatchStatus {
            slots,
            playing,
            is_busy,
            refused,
            ..
        }) = matches.get(name)
        else {
            continue;
        };
        let _ = write!(
            text,
            "\n  matches: plays {} of {}",
            playing.len(),
            counted(*slots, "pair")
        );
        if *is_busy {
            text += ", because other work uses its processors";
        }
        for PlayingStatus {
            organizer, pair, ..
        } in playing
        {
            let _ = write!(text, "\n    pair {pair} of {organizer}");
        }
        for reason in refused {
            let _ = write!(text, "\n    does not play a match: {reason}");
        }
    }
    text
}

impl ShowPermissions {
    fn run(self) -> Result<(), Failure> {
        if let Some(name) = self
            .from
            .iter()
            .chain([&self.name])
            .find(|name| !is_node_name(name))
        {
            return Err(Failure::Usage(format!(
                "{name:?} is not a valid name of a node or server; allowed: {NODE_NAME_ALLOWED}"
            )));
        }
        let permissions = match (self.server, self.matches) {
            (true, true) => permissions_of_organizer(&self.name),
            (true, false) => permissions_of_server(&self.name),
            (false, _) => permissions_of_playing_node(&self.name, &self.from),
        };
        Ok(print(&permissions.to_string())?)
    }
}
