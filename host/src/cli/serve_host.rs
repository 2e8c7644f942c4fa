//! `rookery worker`: one AI, for the server that started this process.

use clap::Parser;

use super::Failure;
use worker;

/// What the server tells its worker.
#[derive(Debug, Parser)]
#[command(name = "rookery worker")]
pub(super) struct ServeHost {
    /// The server's process
    #[arg(long)]
    parent: u32,
    /// The AI, for whoever lists the processes
    #[arg(long)]
    ai: String,
}

impl ServeHost {
    /// What stands on the command line, if it is a worker's. Building the parser of all commands would take a good part of
    /// the time in which a worker starts.
    pub(super) fn from_arguments() -> Option<Self> {
        let arguments = || std::env::args_os().skip(1);
        arguments().next().filter(|command| command == "worker").map(|_| Self::parse_from(arguments()))
    }

    /// Runs until the host closes the socket.
    pub(super) fn run(self) -> Result<(), Failure> {
        worker::run(self.parent).map_err(|error| Failure::Other(error.into()))
    }
}
