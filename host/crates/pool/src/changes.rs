//! The differences between two configurations.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

/// Ids of AIs or clients, grouped by change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    pub added: Vec<String>,
    /// Ids whose settings or library changed. These AIs get new workers.
    pub changed: Vec<String>,
    pub removed: Vec<String>,
    /// These AIs keep their workers.
    pub unchanged: Vec<String>,
}

impl Changes {
    pub fn between<T: PartialEq>(old: &BTreeMap<String, T>, new: &BTreeMap<String, T>) -> Self {
        let mut changes = Self::default();
        for (id, settings) in new {
            let kind = match old.get(id) {
                Some(before) if before == settings => &mut changes.unchanged,
                Some(_) => &mut changes.changed,
                None => &mut changes.added,
            };
            kind.push(id.clone());
        }
        changes.removed = old
            .keys()
            .filter(|id| !new.contains_key(*id))
            .cloned()
            .collect();
        changes
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            added,
            changed,
            removed,
            unchanged,
        } = self;
        let kinds = [
            ("added", added),
            ("changed", changed),
            ("removed", removed),
            ("unchanged", unchanged),
        ];
        let mut separator = "";
        for (kind, ids) in kinds.iter().filter(|(_, ids)| !ids.is_empty()) {
            write!(f, "{separator}{kind}: {}", ids.join(", "))?;
            separator = "; ";
        }
        if separator.is_empty() {
            f.write_str("none")
        } else {
            Ok(())
        }
    }
}
