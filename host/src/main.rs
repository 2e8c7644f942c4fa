//! The `rookery` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    rookery::cli::run()
}
