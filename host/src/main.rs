//! The `rookery` command.

mod cli;
mod log;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
