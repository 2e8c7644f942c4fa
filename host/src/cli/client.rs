//! `rookery client`.

mod add;
mod change;
mod list;

use clap::Subcommand;

use crate::cli::failure::Failure;

#[derive(Debug, Subcommand)]
pub(super) enum ClientCommand {
    /// Create a client with a key
    #[command(after_help = "\
Examples:
  rookery client add bob --ai quick --write
  rookery client add ann --rate 20/s --expires 2027-01-31
  rookery client add boss --admin
  rookery client add bob >>config/rookery.toml

Without --write, the command prints the section of the new client. For an existing client, it \
prints lines that you move into its section. 'rookery client rotate' changes a key without an \
interruption.

The command prints the key once, on standard error or in the JSON. The configuration contains only \
its SHA-256. With --ai, the command needs no configuration.")]
    Add(add::AddClient),
    /// List clients
    #[command(after_help = "\
Example:
  rookery client list --json

GET /v1/clients shows their usage on a running server.")]
    List(list::ListClients),
    /// Remove a client and its keys
    #[command(after_help = "\
Example:
  rookery client remove bob

Removes its section from the configuration and reloads your running servers. Other sections and \
comments stay.")]
    Remove(change::RemoveClient),
    /// Change a client's key
    #[command(after_help = "\
Examples:
  rookery client rotate bob                      add a new key; both are valid
  rookery client rotate bob --finish             drop the old key
  rookery client rotate bob --expires 2028-01-31

Use --finish once the client sends the new key. The command changes the client's section, keeps \
its comments and reloads your running servers. It prints the key once, on standard error or in the \
JSON.")]
    Rotate(change::RotateKey),
}

impl ClientCommand {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Add(command) => command.run(),
            Self::List(command) => command.run(),
            Self::Remove(command) => command.run(),
            Self::Rotate(command) => command.run(),
        }
    }
}
