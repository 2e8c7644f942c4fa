//! `rookery new-ai`.

mod template;

use std::path::{Path, PathBuf};

use clap::Args;

use self::template::{Kind, Language, NewAi, NewAiError};
use crate::cli::{failure::Failure, output::print};

#[derive(Debug, Args)]
pub(super) struct CreateNewAi {
    /// Name of the AI, its folder and its crate
    name: String,
    /// Create an AI that only evaluates; the host searches
    #[arg(long)]
    evaluator: bool,
    /// Programming language
    #[arg(long, value_enum, default_value = "rust")]
    lang: Language,
    /// For Rust: the folder ai-api in a clone of Rookery; by default the clone that this program was built from
    #[arg(long, value_name = "PATH")]
    ai_api: Option<PathBuf>,
}

impl CreateNewAi {
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
                "cargo test                    tests it without a server\n  cargo build --release"
            }
            Language::C => "make",
        };
        Ok(print(&format!(
            "created {shown}. Next:\n  \
             cd {}\n  \
             {build}\n  \
             rookery check-ai ./{}\n\
             See its README.md for how to serve it, play against it and rate it.",
            self.name,
            library.display()
        ))?)
    }
}
