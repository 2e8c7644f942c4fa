//! `rookery remove`.

use clap::Args;

use crate::cli::{failure::Failure, file_change::FileChange};
use config::SectionId;
use text::printable;

#[derive(Debug, Args)]
pub(super) struct RemoveAi {
    /// ID of the AI
    id: String,
    #[command(flatten)]
    change: FileChange,
}

impl RemoveAi {
    pub(super) fn run(self) -> Result<(), Failure> {
        let id = &self.id;
        let refusal = format!(
            "[ai.{}] is still needed; change or remove what uses it",
            printable(id)
        );
        self.change
            .apply(&[SectionId::Ai(id)], None, &refusal, |edit, config| {
                if !edit.remove(SectionId::Ai(id)) {
                    let path = self.change.file.path().display();
                    return Err(Failure::Usage(format!(
                        "{path} has no [ai.{}]",
                        printable(id)
                    )));
                }
                edit.remove_default_client(id);
                // Its library may be served without a section, but not with the options of a level.
                let levels = config.into_iter().flat_map(|config| config.levels.values());
                let levels = levels.filter(|level| level.ai == *id);
                let levels: Vec<_> = levels
                    .map(|level| format!("level.{} plays it", level.id))
                    .collect();
                if levels.is_empty() {
                    Ok(())
                } else {
                    Err(Failure::Usage(format!(
                        "{refusal}:\n  {}",
                        levels.join("\n  ")
                    )))
                }
            })
    }
}
