//! `rookery client`.

mod add;
mod change;
mod list;

use clap::Subcommand;

use crate::cli::failure::Failure;

#[derive(Debug, Subcommand)]
pub(super) enum ClientCommand {
    /// Create a client's key and print its configuration lines, or write them
    #[command(after_help = "\
Examples:
  rookery client add bob --ai quick --write      into the configuration, which running servers apply
  rookery client add ann --rate 20/s --expires 2027-01-31
  rookery client add boss --admin
  rookery client add bob >>config/rookery.toml   only for a new client

For a client that the configuration already has, the command prints lines for its existing \
section: move them there, because a section must be unique. 'rookery client rotate' changes a key \
without an interruption.

The key is printed once, on standard error or with --json in the output, and not stored; the lines \
have only its SHA-256. With --ai the command needs no configuration.")]
    Add(add::AddClient),
    /// List the clients of a configuration
    #[command(after_help = "\
Example:
  rookery client list --json

A running server has their usage too: GET /v1/clients.")]
    List(list::ListClients),
    /// Remove a client with its keys
    #[command(after_help = "\
Example:
  rookery client remove bob

Its section is removed from the configuration, other sections and their comments stay, and running \
servers of this user apply it.")]
    Remove(change::RemoveClient),
    /// Give a client a new key beside the old one, then drop the old one
    #[command(after_help = "\
Examples:
  rookery client rotate bob                      print a new key; both are valid
  rookery client rotate bob --finish             once the client sends the new one: only it is valid
  rookery client rotate bob --expires 2028-01-31

The section in the configuration is changed, its comments stay, and running servers of this user \
apply it. The key is printed once, on standard error or with --json in the output, and not \
stored.")]
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
