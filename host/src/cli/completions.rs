//! `rookery completions`.

use clap::Args;
use clap_complete::{Shell, generate};

use crate::cli::{failure::Failure, output::print};

#[derive(Debug, Args)]
pub(super) struct PrintCompletions {
    /// Shell
    shell: Shell,
}

impl PrintCompletions {
    pub(super) fn run(self, mut command: clap::Command) -> Result<(), Failure> {
        let (name, mut script) = (command.get_name().to_owned(), Vec::new());
        generate(self.shell, &mut command, name, &mut script);
        Ok(print(&String::from_utf8_lossy(&script))?)
    }
}
