//! The `rookery` command.

mod cli;
mod log;
mod panics;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
