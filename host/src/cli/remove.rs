//! `rookery remove`.

use clap::Args;
use serde_json::json;

use crate::cli::{
    config_file::{ConfigFile, overrides},
    failure::Failure,
    output::{print, print_json},
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
        let mut edit = FileEdit::read(path)?;
        let section = edit.section(id).unwrap_or_default();
        if !edit.remove_ai(id) {
            return Err(Failure::Usage(format!("{} has no [ai.{}]", path.display(), printable(id))));
        }
        // Others may refer to it.
        edit.load(&overrides(None))?;
        let mut responses = Vec::new();
        if !self.dry_run {
            edit.write().map_err(|error| anyhow::anyhow!("cannot write {}: {error}", path.display()))?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            responses = runtime
                .block_on(async { reload_each(running_servers(path).await.unwrap_or_default()).await });
        }
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
            let lines: Vec<_> = section.lines().map(|line| format!("- {line}")).collect();
            let note = if self.dry_run { "\n\nnothing was written (--dry-run)" } else { "" };
            print(&format!("{}:\n\n{}{note}", path.display(), lines.join("\n")))?;
            responses.iter().try_for_each(print_response)?;
        }
        ensure_applied(responses)
    }
}
