//! Commands that change a section of the configuration.

use std::fmt;

use clap::Args;
use serde_json::{Value, json};

use crate::cli::{
    config_file::ConfigFile,
    failure::Failure,
    output::{escaped, print, print_json, print_message},
    reload::{addresses, as_json, ensure_applied, print_response, reload_each},
    runtime::CommandRuntime,
};
use config::{Config, ConfigErrors, FileEdit, SectionId};
use server::reload::{Losses, running_servers};
use text::visible;

#[derive(Debug, Args)]
pub(super) struct FileChange {
    #[command(flatten)]
    pub(super) file: ConfigFile,
    /// Show the change without writing it
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// A change that has not been written.
pub(super) struct ChangedSections {
    sections: Vec<ChangedSection>,
    /// The configuration with the change; `None` if the file has other errors.
    pub(super) config: Option<Config>,
    losses: Losses,
}

/// A section's text before and after a change. `None` if the file does not contain the section.
struct ChangedSection {
    before: Option<String>,
    after: Option<String>,
}

impl fmt::Display for ChangedSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let after = self.after.as_deref().unwrap_or_default();
        match &self.before {
            Some(before) => f.write_str(&difference(before, after)),
            None => f.write_str(after),
        }
    }
}

impl FileChange {
    /// Returns the change that would be made to the file, without writing it.
    ///
    /// # Errors
    /// The same as for [`apply`](Self::apply).
    pub(super) fn plan(
        &self,
        sections: &[SectionId<'_>],
        refusal: &str,
        mut change: impl FnMut(&mut FileEdit, Option<&Config>) -> Result<(), Failure>,
    ) -> Result<ChangedSections, Failure> {
        let mut edit = FileEdit::read(self.file.path(), &self.file.options(None))?;
        changed(&mut edit, sections, refusal, &mut change)
    }

    /// Changes sections, writes the file, lets running servers apply it and prints what happened.
    /// `change` also gets the configuration, if the file has no errors. Only the hash of a new key
    /// is written.
    ///
    /// # Errors
    /// The change fails, or it causes errors in the configuration, which are reported after
    /// `refusal`. The file then stays unchanged. It is also an error if a server does not apply the
    /// change.
    pub(super) fn apply(
        &self,
        sections: &[SectionId<'_>],
        key: Option<&str>,
        refusal: &str,
        change: impl FnMut(&mut FileEdit, Option<&Config>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.apply_with(sections, key, refusal, &Value::Null, change)
            .map(drop)
    }

    /// Like [`apply`](Self::apply), with `details` in JSON. Returns the addresses of running
    /// servers; `None` if no server runs.
    pub(super) fn apply_with(
        &self,
        sections: &[SectionId<'_>],
        key: Option<&str>,
        refusal: &str,
        details: &Value,
        mut change: impl FnMut(&mut FileEdit, Option<&Config>) -> Result<(), Failure>,
    ) -> Result<Option<Vec<String>>, Failure> {
        let path = self.file.path();
        let id = sections.first().map_or("", |section| section.id());
        // Built before anything is written, so that a new key is shown even if a later step fails.
        let runtime = CommandRuntime::new()?;
        let changed = if self.dry_run {
            self.plan(sections, refusal, change)?
        } else {
            FileEdit::change(path, &self.file.options(None), |edit| {
                changed(edit, sections, refusal, &mut change)
            })?
        };
        let key = key.filter(|_| !self.dry_run);
        if let Some(key) = key.filter(|_| !self.json) {
            print_message(&key_message(id, key));
        }
        if changed.config.is_none() {
            print_message(
                "warning: the file has other errors, which 'rookery config check' reports; servers \
                 keep their configuration",
            );
        }
        let mut responses = Vec::new();
        if !self.dry_run {
            if self.file.is_default() {
                print_message(&format!(
                    "note: there was no configuration, so {} was created from the default one",
                    visible(&path.to_string_lossy())
                ));
            }
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
                reload_each(servers, changed.losses).await
            });
        }
        if self.json {
            let first = changed.sections.into_iter().next();
            let (before, after) = first.map_or((None, None), |first| (first.before, first.after));
            let outcome = match (&before, &after) {
                (None, _) => "added",
                (_, None) => "removed",
                (before, after) if before == after => "unchanged",
                _ => "changed",
            };
            let mut reply = json!({
                "id": id,
                "change": outcome,
                "config": path,
                "is_written": !self.dry_run && outcome != "unchanged",
                "section": after.or(before),
                "servers": responses.iter().map(as_json).collect::<Vec<_>>(),
            });
            if let Some(key) = key {
                reply["key"] = key.into();
            }
            for (name, detail) in details.as_object().into_iter().flatten() {
                reply[name] = detail.clone();
            }
            print_json(&reply)?;
        } else {
            let shown: Vec<_> = changed.sections.iter().map(ToString::to_string).collect();
            let shown = shown.join("\n\n");
            let shown: Vec<_> = shown.trim_end().lines().map(escaped).collect();
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
        let reachable = (!responses.is_empty()).then(|| addresses(&responses));
        ensure_applied(responses)?;
        Ok(reachable)
    }
}

/// Changes sections in memory. The file is not written.
fn changed(
    edit: &mut FileEdit,
    sections: &[SectionId<'_>],
    refusal: &str,
    change: &mut impl FnMut(&mut FileEdit, Option<&Config>) -> Result<(), Failure>,
) -> Result<ChangedSections, Failure> {
    let text_of = |file: &FileEdit| -> Vec<_> {
        let texts = sections.iter().map(|&section| file.section(section));
        texts.collect()
    };
    let (config, texts_before) = (edit.load(), text_of(edit));
    change(edit, config.as_ref().ok())?;
    let now = edit.load();
    let caused = caused(config.as_ref().err(), now.as_ref().err());
    if !caused.is_empty() {
        return Err(Failure::Usage(format!(
            "{refusal}:\n  {}",
            caused.join("\n  ")
        )));
    }
    // A loss that the change itself causes is allowed, such as the removal of the last client. An
    // earlier loss still keeps servers from applying the file.
    let losses = match (&config, &now) {
        (Ok(config), Ok(now)) if config.lost_in(now).is_some() => Losses::Allowed,
        _ => Losses::Refused,
    };
    let changes = texts_before.into_iter().zip(text_of(edit));
    Ok(ChangedSections {
        sections: changes
            .map(|(before, after)| ChangedSection { before, after })
            .collect(),
        config: now.ok(),
        losses,
    })
}

/// Returns the message with a new key.
pub(super) fn key_message(client: &str, key: &str) -> String {
    format!(
        "The key of the client '{client}', shown once and not stored:\n\n  {key}\n\n\
         The client sends it as 'Authorization: Bearer KEY'."
    )
}

/// Returns the messages of the new errors.
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

/// Returns the lines of both versions, with `-` or `+` before each line that only one of them has.
fn difference(before: &str, after: &str) -> String {
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
    fn a_diff_contains_all_lines() {
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
