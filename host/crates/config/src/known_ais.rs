//! The AIs that a client, a level or a fallback may name: those in the configuration or in its
//! plugin directories.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use ai_api::note::is_id;
use text::suggest;

use crate::{
    ai::AiSettings,
    discovery::Discovery,
    id::ID_ALLOWED,
    issue::{ConfigIssue, Issues},
    plugins::{PluginPolicy, PluginSettings},
    rollout::{CandidateSettings, TrafficShare},
    section::Section as _,
    source::shortened,
    table::Table,
};

/// The description of the AIs that a client or a level may name.
pub const NAMED_AI: &str = "the ID of an AI: from an [ai.ID] in this file, a library in \
    plugins.directories or, with a [fleet], a node";
/// The maximum number of ids to compare with a wrong one.
const MAX_COMPARED: usize = 200;
/// The maximum number of skipped libraries in a message.
const MAX_SKIPPED: usize = 4;

/// The AIs that can be named. The plugin directories are read only if a named AI is not configured.
pub struct KnownAis<'a> {
    /// The id of every `[ai.ID]`, even if the section has errors.
    pub configured: BTreeSet<&'a str>,
    /// Whether an extra provides AIs on other machines, with any id.
    pub has_remote: bool,
    pub plugins: &'a PluginSettings,
    pub ais: &'a BTreeMap<String, AiSettings>,
    pub discovered: OnceCell<Discovery>,
}

impl KnownAis<'_> {
    /// Returns whether an AI on this machine has this id.
    pub fn contains(&self, id: &str) -> bool {
        self.configured.contains(id)
            || self
                .discovered()
                .settings()
                .any(|settings| settings.id == id)
    }

    fn ids(&self) -> Vec<&str> {
        let discovered = self
            .discovered()
            .settings()
            .map(|settings| settings.id.as_str());
        self.configured
            .iter()
            .copied()
            .chain(discovered)
            .take(MAX_COMPARED)
            .collect()
    }

    /// Adds hints to an issue with the unknown `id`: the most similar id other than `except`, and
    /// the skipped libraries.
    fn explain<'i>(
        &self,
        issue: &'i mut ConfigIssue,
        id: &str,
        except: &str,
    ) -> &'i mut ConfigIssue {
        issue.suggest(suggest(
            id,
            self.ids().into_iter().filter(|&known| known != except),
        ));
        for skipped in self.discovered().skipped.iter().take(MAX_SKIPPED) {
            issue.note(&skipped.to_string());
        }
        if self.plugins.policy != PluginPolicy::Any {
            issue.note(
                "a library in plugins.directories is served under its own id only if \
                 plugins.policy is \"any\"",
            );
        }
        issue
    }

    /// Reports the key at `path` if neither this machine nor a node of a `[fleet]` can have the AI
    /// that it names.
    pub fn check_named(&self, path: &str, ai: &str, span: &Range<usize>, issues: &mut Issues<'_>) {
        if self.contains(ai) || self.has_remote && is_id(ai) {
            return;
        }
        if self.has_remote {
            let message = format!(
                "`{path}` names the AI `{}`, which is not a valid id",
                shortened(ai, 64)
            );
            issues.at(span, &message).allow(ID_ALLOWED);
        } else {
            self.report_unknown(path, ai, span, issues);
        }
    }

    /// Reports that the key at `path` names an AI that does not exist.
    pub fn report_unknown(
        &self,
        path: &str,
        ai: &str,
        span: &Range<usize>,
        issues: &mut Issues<'_>,
    ) {
        let ids = self.ids();
        let allowed = if ids.is_empty() {
            "none: there is no [ai.ID]"
        } else {
            &ids.join(", ")
        };
        self.explain(issues.missing(span, &unknown_ai(path, ai)), ai, "")
            .allow(allowed);
    }

    /// Returns the settings of the AIs in the plugin directories, if the directories were read.
    pub fn into_discovered(self) -> Vec<AiSettings> {
        self.discovered
            .into_inner()
            .map_or_else(Vec::new, |found| found.settings().cloned().collect())
    }

    fn discovered(&self) -> &Discovery {
        self.discovered
            .get_or_init(|| Discovery::find(self.plugins, self.ais))
    }
}

/// Returns the message for a key that names an AI that does not exist.
fn unknown_ai(path: &str, ai: &str) -> String {
    format!(
        "`{path}` names the AI `{}`, which is not configured",
        shortened(ai, 64)
    )
}

/// Reports fallbacks that do not exist, are the AI itself, or have their own fallback.
pub fn check_fallbacks(tables: &[Table<'_>], known: &KnownAis<'_>, issues: &mut Issues<'_>) {
    let key = "fallback";
    for table in tables {
        let Some(name) = table.text(key) else {
            continue;
        };
        let (path, span) = (table.path_of(key), table.span_of(key));
        let issue = match tables.iter().find(|other| other.name == name) {
            None if known.contains(name) => continue,
            None => known.explain(
                issues.missing(&span, &unknown_ai(&path, name)),
                name,
                table.name,
            ),
            Some(other) if other.name == table.name => {
                issues.missing(&span, &format!("`{path}` names the AI itself"))
            }
            Some(other) if other.get(key).is_some() => {
                let message = format!("`{path}` names the AI `{name}`, which has its own fallback");
                issues.missing(&span, &message)
            }
            Some(_) => continue,
        };
        issue.allow(&AiSettings::allowed(key));
    }
}

/// Reports candidates that have no section, are the AI itself, or have their own candidate. Also
/// reports shares without a candidate.
pub fn check_candidates(tables: &[Table<'_>], known: &KnownAis<'_>, issues: &mut Issues<'_>) {
    for table in tables {
        let Some(name) = table.text("candidate") else {
            check_shares(table, known.ais, issues);
            continue;
        };
        let (path, span) = (table.path_of("candidate"), table.span_of("candidate"));
        let shown = shortened(name, 64);
        let message = match tables.iter().find(|other| other.name == name) {
            None if known.contains(name) => {
                format!("`{path}` names the AI `{shown}`, which has no [ai.{shown}]")
            }
            None => {
                known.report_unknown(&path, name, &span, issues);
                continue;
            }
            Some(other) if other.name == table.name => format!("`{path}` names the AI itself"),
            Some(other) if other.get("candidate").is_some() => {
                format!("`{path}` names the AI `{shown}`, which has its own candidate")
            }
            Some(_) => continue,
        };
        issues
            .missing(&span, &message)
            .allow(&AiSettings::allowed("candidate"));
    }
}

fn check_shares(table: &Table<'_>, ais: &BTreeMap<String, AiSettings>, issues: &mut Issues<'_>) {
    let Some(CandidateSettings {
        shadow,
        canary,
        id: None,
    }) = ais.get(table.name).map(|ai| &ai.rollout)
    else {
        return;
    };
    if table.get("candidate").is_some() {
        return;
    }
    for (key, share) in [("shadow", shadow), ("canary", canary)] {
        if *share > TrafficShare::NONE {
            let message = format!(
                "`{}` is {share}, but [ai.{}] has no candidate",
                table.path_of(key),
                table.name
            );
            issues
                .missing(&table.span_of(key), &message)
                .allow("a share only if `candidate` is set");
        }
    }
}
