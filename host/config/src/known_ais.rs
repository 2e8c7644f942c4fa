//! The AIs that a configuration may name: those that it configures, and those in its plugin directories.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use super::{AiSettings, ConfigIssue, PluginPolicy, PluginSettings};
use crate::DroppedIn;
use text::suggest;

/// AIs whose ids a wrong one is compared with.
const MOST_COMPARED: usize = 200;
/// Libraries of which is said why they are not the AI that is named.
const MOST_TOLD: usize = 4;

/// Who can be named. What was dropped in is read, as data, once somebody names an AI that is not configured.
pub(super) struct KnownAis<'a> {
    /// The ids of every `[ai.ID]`, whatever else is wrong with it.
    pub(super) configured: BTreeSet<&'a str>,
    pub(super) plugins: &'a PluginSettings,
    /// Those of them that are right.
    pub(super) ais: &'a BTreeMap<String, AiSettings>,
    pub(super) dropped_in: OnceCell<DroppedIn>,
}

impl KnownAis<'_> {
    /// Whether there is such an AI.
    pub(super) fn contains(&self, id: &str) -> bool {
        self.configured.contains(id) || self.dropped_in().settings().any(|settings| settings.id == id)
    }

    /// Their ids, as many as are compared with one that is wrong.
    pub(super) fn ids(&self) -> Vec<&str> {
        let dropped_in = self.dropped_in().settings().map(|settings| settings.id.as_str());
        self.configured.iter().copied().chain(dropped_in).take(MOST_COMPARED).collect()
    }

    /// Says of an issue with an id that there is not which could be meant, and what could be the AI but is not.
    pub(super) fn explain<'i>(
        &self,
        issue: &'i mut ConfigIssue,
        id: &str,
        except: &str,
    ) -> &'i mut ConfigIssue {
        issue.suggest(suggest(id, self.ids().into_iter().filter(|&known| known != except)));
        for passed in self.dropped_in().skipped.iter().take(MOST_TOLD) {
            issue.note(&passed.to_string());
        }
        if self.plugins.policy != PluginPolicy::Any {
            issue.note(
                "a library in plugins.directories is an AI under its own id where plugins.policy is \"any\"",
            );
        }
        issue
    }

    /// The settings of those that were dropped in, if anybody has named one.
    pub(super) fn into_dropped_in(self) -> Vec<AiSettings> {
        self.dropped_in.into_inner().map_or_else(Vec::new, |found| found.settings().cloned().collect())
    }

    fn dropped_in(&self) -> &DroppedIn {
        self.dropped_in.get_or_init(|| DroppedIn::find(self.plugins, self.ais))
    }
}
