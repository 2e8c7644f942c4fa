//! `rookery remove`.

use clap::Args;
use serde_json::json;

use crate::cli::{
    config_file::{ConfigFile, overrides},
    failure::Failure,
    output::{escaped, print, print_json},
    reload::{as_json, ensure_applied, print_response, reload_each},
};
use config::FileEdit;
use server::reload::running_servers;
use text::printable;

#[derive(Debug, Args)]
pub(super) struct RemoveAi {
    /// The AI
    id: String,
    #[command(flatten)]
    file: ConfigFile,
    /// Write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl RemoveAi {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (path, id) = (&self.file.config, &self.id);
        let remove = |edit: &mut FileEdit| -> Result<String, Failure> {
            let before = edit.load(&overrides(None));
            let section = edit.section(id).unwrap_or_default();
            if !edit.remove_ai(id) {
                let path = path.display();
                return Err(Failure::Usage(format!("{path} has no [ai.{}]", printable(id))));
            }
            edit.remove_default_client(id);
            match (edit.load(&overrides(None)), before) {
                (Ok(config), _) => {
                    // Its library may be served without a section, but not with the options of a level.
                    let levels = config.levels.values().filter(|level| level.ai == *id);
                    let levels: Vec<_> = levels.map(|level| format!("level.{} plays it", level.id)).collect();
                    if levels.is_empty() { Ok(section) } else { Err(still_needed(id, &levels)) }
                }
                (Err(errors), Ok(_)) => {
                    let messages = errors.issues().iter().map(|issue| issue.message.clone());
                    Err(still_needed(id, &messages.collect::<Vec<_>>()))
                }
                (Err(_), Err(errors)) => Err(errors.into()),
            }
        };
        let mut responses = Vec::new();
        let section = if self.dry_run {
            remove(&mut FileEdit::read(path)?)?
        } else {
            let section = FileEdit::change(path, remove)?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            responses = runtime
                .block_on(async { reload_each(running_servers(path).await.unwrap_or_default()).await });
            section
        };
        if self.json {
            let servers: Vec<_> = responses.iter().map(as_json).collect();
            print_json(&json!({
                "id": id,
                "config": path,
                "is_written": !self.dry_run,
                "section": section,
                "servers": servers,
            }))?;
        } else {
            let lines: Vec<_> = section.lines().map(|line| format!("- {}", escaped(line))).collect();
            let note = if self.dry_run { "\n\nnothing was written (--dry-run)" } else { "" };
            print(&format!("{}:\n\n{}{note}", path.display(), lines.join("\n")))?;
            responses.iter().try_for_each(print_response)?;
        }
        ensure_applied(responses)
    }
}

fn still_needed(id: &str, messages: &[String]) -> Failure {
    let messages = messages.join("\n  ");
    Failure::Usage(format!(
        "[ai.{id}] is still needed; let the others name another AI, or remove them:\n  {messages}"
    ))
}
