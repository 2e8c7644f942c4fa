//! `rookery new-ai`.

mod error;
mod sdk;
mod template;

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use self::{
    error::NewAiError,
    template::{AiKind, NewAi, TemplateLanguage},
};
use crate::cli::{
    failure::Failure,
    output::{print, print_json},
};

#[derive(Debug, Args)]
pub(super) struct CreateNewAi {
    /// Name of the AI and its folder
    name: String,
    /// Create an AI that evaluates while Rookery searches
    #[arg(long)]
    evaluator: bool,
    /// Programming language
    #[arg(long, value_enum, default_value = "rust")]
    lang: TemplateLanguage,
    /// For Rust, use the crates of this clone of Rookery; by default the folder contains copies
    #[arg(long, value_name = "PATH")]
    link: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl CreateNewAi {
    pub(super) fn run(self) -> Result<(), Failure> {
        let kind = if self.evaluator {
            AiKind::Evaluator
        } else {
            AiKind::Searcher
        };
        let failure = |error: NewAiError| match error {
            NewAiError::Read { .. } | NewAiError::Write { .. } => Failure::Other(error.into()),
            _ => Failure::Usage(error.to_string()),
        };
        let new = NewAi::new(&self.name, kind, self.lang, self.link.as_deref()).map_err(failure)?;
        let folder = new.write(Path::new(".")).map_err(failure)?;
        let target = Path::new(".").join(new.target());
        if self.json {
            return Ok(print_json(
                &json!({"folder": folder, "target": folder.join(new.target())}),
            )?);
        }
        let (shown, target) = (folder.display(), target.display());
        let steps = match self.lang {
            TemplateLanguage::Rust => format!(
                "cargo test                    tests it without a server\n  cargo build \
                 --release\n  rookery check-ai {target}"
            ),
            TemplateLanguage::C | TemplateLanguage::Cpp => {
                format!("make\n  rookery check-ai {target}")
            }
            TemplateLanguage::Python => {
                format!("python3 -m unittest\n  rookery check-ai -- python3 {target}")
            }
        };
        Ok(print(&format!(
            "created {shown}. Next:\n  cd {}\n  {steps}\n\
             See its README.md for how to serve it, play against it and rate it.",
            self.name
        ))?)
    }
}
