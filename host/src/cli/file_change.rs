//! Commands that change a section of the configuration.

use clap::Args;
use serde_json::{Map, Value, json};

use crate::cli::{
    config_file::{ConfigFile, load_options},
    failure::Failure,
    output::{escaped, print, print_json, print_message},
    reload::{as_json, ensure_applied, print_response, reload_each},
};
use config::{Config, ConfigErrors, FileEdit, SectionId};
use server::reload::{Losses, running_servers};
use text::visible;

#[derive(Debug, Args)]
pub(super) struct FileChange {
    #[command(flatten)]
    pub(super) file: ConfigFile,
    /// Write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl FileChange {
    /// Changes a section, writes the file and lets running servers apply it. `change` also gets the
    /// configuration, if the file has no errors. Of a new key only its hash is written.
    ///
    /// # Errors
    /// The change fails or causes errors in the configuration, with `refusal`; then the file is as
    /// it was. Or a server doesn't apply it.
    pub(super) fn apply(
        &self,
        section: SectionId<'_>,
        key: Option<&str>,
        refusal: &str,
        mut change: impl FnMut(&mut FileEdit, Option<&Config>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let path = &self.file.config;
        // Built before anything is written, so that a new key is shown whatever fails.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let change = |edit: &mut FileEdit| -> Result<_, Failure> {
            let (config, before) = (edit.load(&load_options(None)), edit.section(section));
            change(edit, config.as_ref().ok())?;
            let now = edit.load(&load_options(None));
            let losses = losses(config.as_ref().ok(), now.as_ref().ok());
            let caused = caused(config.err().as_ref(), now.as_ref().err());
            if !caused.is_empty() {
                return Err(Failure::Usage(format!(
                    "{refusal}:\n  {}",
                    caused.join("\n  ")
                )));
            }
            Ok((before, edit.section(section), now.is_err(), losses))
        };
        let (before, after, has_errors, losses) = if self.dry_run {
            let mut change = change;
            change(&mut FileEdit::read(path, &load_options(None))?)?
        } else {
            FileEdit::change(path, change)?
        };
        let key = key.filter(|_| !self.dry_run);
        if let Some(key) = key.filter(|_| !self.json) {
            print_message(&key_message(section.id(), key));
        }
        if has_errors {
            print_message(
                "warning: the file has other errors, which 'rookery config check' reports; servers \
                 keep their configuration",
            );
        }
        let mut responses = Vec::new();
        if !self.dry_run {
            responses = runtime.block_on(async {
                let servers = running_servers(path).await.unwrap_or_else(|error| {
                    print_message(&format!(
                        "warning: cannot look for running servers: {error}"
                    ));
                    Vec::new()
                });
                if servers.is_empty() && !self.json {
                    print_message(
                        "note: found no running server with this configuration; a server applies \
                         the change when it reloads",
                    );
                }
                reload_each(servers, losses).await
            });
        }
        if self.json {
            let mut reply = Map::from_iter([("id".to_owned(), section.id().into())]);
            reply.extend(key.map(|key| ("key".to_owned(), key.into())));
            reply.insert("config".into(), json!(path));
            reply.insert("is_written".into(), (!self.dry_run).into());
            reply.insert("section".into(), after.or(before).into());
            reply.insert("servers".into(), responses.iter().map(as_json).collect());
            print_json(&Value::Object(reply))?;
        } else {
            let shown = match (&before, &after) {
                (None, after) => after.clone().unwrap_or_default(),
                (Some(before), after) => difference(before, after.as_deref().unwrap_or_default()),
            };
            let shown: Vec<_> = shown.lines().map(escaped).collect();
            let note = if self.dry_run {
                "\n\nnothing was written (--dry-run)"
            } else {
                ""
            };
            print(&format!(
                "{}:\n\n{}{note}",
                visible(&path.to_string_lossy()),
                shown.join("\n")
            ))?;
            responses.iter().try_for_each(print_response)?;
        }
        ensure_applied(responses)
    }
}

/// Returns the message with a new key.
pub(super) fn key_message(client: &str, key: &str) -> String {
    format!(
        "The key of the client '{client}', shown once and not stored:\n\n  {key}\n\n\
         The client sends it as 'Authorization: Bearer KEY'."
    )
}

/// Allows a loss that the change itself causes, such as the removal of the last client. A file that
/// had lost something before is not applied for the change.
pub(super) fn losses(before: Option<&Config>, now: Option<&Config>) -> Losses {
    match (before, now) {
        (Some(before), Some(now)) if before.lost_in(now).is_some() => Losses::Allowed,
        _ => Losses::Refused,
    }
}

/// Returns the messages of the errors that were not there before.
fn caused(before: Option<&ConfigErrors>, now: Option<&ConfigErrors>) -> Vec<String> {
    let messages = |errors: Option<&ConfigErrors>| -> Vec<String> {
        errors
            .into_iter()
            .flat_map(ConfigErrors::issues)
            .map(|issue| issue.message.clone())
            .collect()
    };
    let before = messages(before);
    messages(now)
        .into_iter()
        .filter(|message| !before.contains(message))
        .collect()
}

/// Returns the lines of both texts, those of one alone with `-` or `+`.
pub(super) fn difference(before: &str, after: &str) -> String {
    let [old, new] = [before, after].map(|text| text.lines().collect::<Vec<_>>());
    let mut lines = Vec::new();
    let mut rest = old.as_slice();
    for line in new {
        if let Some(at) = rest.iter().position(|other| *other == line) {
            lines.extend(rest[..at].iter().map(|gone| format!("- {gone}")));
            lines.push(format!("  {line}"));
            rest = &rest[at + 1..];
        } else {
            lines.push(format!("+ {line}"));
        }
    }
    lines.extend(rest.iter().map(|gone| format!("- {gone}")));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_has_all_lines() {
        let after = "[ai.x]\nlibrary = \"b\"\nthreads = 8\nmemory_mb = 9";
        let expected =
            "  [ai.x]\n- library = \"a\"\n+ library = \"b\"\n  threads = 8\n+ memory_mb = 9";
        let found = difference("[ai.x]\nlibrary = \"a\"\nthreads = 8", after);
        let sorted = |text: &str| {
            let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(sorted(&found), sorted(expected));
        assert_eq!(difference("a\nb", "a\nb"), "  a\n  b");
    }
}
