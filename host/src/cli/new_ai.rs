//! `rookery new-ai`.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Failure, print};
use crate::template::{Kind, Language, NewAi, NewAiError};

#[derive(Debug, Args)]
pub(super) struct MakeNewAi {
    /// The name of the AI, of its folder and of its crate
    name: String,
    /// An AI that only judges positions: the host searches with it
    #[arg(long)]
    evaluator: bool,
    /// What it is written in
    #[arg(long, value_enum, default_value = "rust")]
    lang: Language,
    /// For one in Rust: the folder ai-api of a clone of Rookery; left out, the one that this program was built from
    #[arg(long, value_name = "PATH")]
    ai_api: Option<PathBuf>,
}

impl MakeNewAi {
    pub(super) fn run(self) -> Result<(), Failure> {
        let kind = if self.evaluator { Kind::Evaluator } else { Kind::Searcher };
        let usage = |error: NewAiError| Failure::Usage(error.to_string());
        let new = NewAi::new(&self.name, kind, self.lang, self.ai_api.as_deref()).map_err(usage)?;
        let folder = new.write(Path::new(".")).map_err(|error| match error {
            NewAiError::Write { .. } => Failure::Other(error.into()),
            _ => usage(error),
        })?;
        let (shown, library) = (folder.display(), new.library());
        let build = match self.lang {
            Language::Rust => {
                "cargo test                    tries it without a server\n  cargo build --release"
            }
            Language::C => "make",
        };
        Ok(print(&format!(
            "{shown} is there. Next:\n  \
             cd {}\n  \
             {build}\n  \
             rookery check-ai ./{}\n\
             README.md there tells how to serve it, play with it and see how strong it is.",
            self.name,
            library.display()
        ))?)
    }
}
