//! `rookery worker`: one AI, for the server that started this process.

use std::path::PathBuf;

use clap::Parser;
use worker::Priority;

use crate::cli::failure::Failure;

/// The arguments of a worker.
#[derive(Debug, Parser)]
#[command(name = "rookery worker")]
pub(super) struct RunWorker {
    /// Process id of the server
    #[arg(long)]
    parent: u32,
    /// The AI, for process lists; its ID may begin with a dash
    #[arg(long, allow_hyphen_values = true)]
    ai: String,
    /// Compute only while a processor is idle
    #[arg(long)]
    idle: bool,
    /// Record missing files in this file
    #[arg(long)]
    trace: Option<PathBuf>,
}

impl RunWorker {
    /// Parses the command line of a worker. Returns `None` for other commands. The parser for all
    /// commands would slow down the start of a worker.
    pub(super) fn from_arguments() -> Option<Self> {
        let arguments = || std::env::args_os().skip(1);
        arguments()
            .next()
            .filter(|command| command == "worker")
            .map(|_| Self::parse_from(arguments()))
    }

    /// Runs until the host closes the socket.
    pub(super) fn run(self) -> Result<(), Failure> {
        let parent = match &self.trace {
            Some(report) => worker::trace(report, self.parent),
            None => Ok(self.parent),
        };
        let priority = if self.idle {
            Priority::Idle
        } else {
            Priority::Low
        };
        parent
            .and_then(|parent| worker::run(parent, priority))
            .map_err(|error| Failure::Other(error.into()))
    }
}
