//! `rookery client list`.

use std::time::SystemTime;

use clap::Args;
use serde_json::json;

use crate::cli::{
    config_file::ConfigFile,
    failure::Failure,
    output::{print, print_json},
};
use api::replies::client_summary::ClientSummary;
use text::counted;

#[derive(Debug, Args)]
pub(crate) struct ListClients {
    #[command(flatten)]
    file: ConfigFile,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ListClients {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (config, now) = (self.file.load()?, SystemTime::now());
        let clients: Vec<_> = config
            .clients
            .values()
            .map(|client| ClientSummary::new(client, now))
            .collect();
        if self.json {
            return Ok(print_json(&json!({"clients": clients}))?);
        }
        clients
            .iter()
            .try_for_each(|client| Ok(print(&line(client))?))
    }
}

fn line(client: &ClientSummary) -> String {
    let ClientSummary {
        id,
        ai,
        has_key: _,
        keys,
        admin,
        rate,
        max_concurrent,
        expires,
        expiry,
    } = client;
    let mut parts = vec![
        ai.clone(),
        if *keys == 0 {
            "no key".to_owned()
        } else {
            counted(*keys, "key")
        },
    ];
    parts.extend(admin.then(|| "administrator".to_owned()));
    parts.extend(rate.clone());
    parts.extend(max_concurrent.map(|max| format!("at most {}", counted(max, "open request"))));
    parts.extend(expires.as_ref().map(|expires| match expiry {
        Some("expired") => format!("expired at {expires}"),
        Some("expires_soon") => format!("expires soon, at {expires}"),
        _ => format!("expires at {expires}"),
    }));
    format!("{id}: {}", parts.join(", "))
}
