//! `rookery man`.

use std::{fs, path::PathBuf};

use anyhow::Context as _;
use clap::Args;
use clap_mangen::generate_to;

use crate::cli::failure::Failure;

#[derive(Debug, Args)]
pub(super) struct WriteManual {
    /// Folder to create
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl WriteManual {
    pub(super) fn run(self, command: clap::Command) -> Result<(), Failure> {
        fs::create_dir_all(&self.folder)
            .and_then(|()| generate_to(command, &self.folder))
            .with_context(|| format!("cannot write the pages to {}", self.folder.display()))?;
        Ok(())
    }
}
