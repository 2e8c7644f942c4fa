//! How the AIs of one configuration follow those of another while both can be asked.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    Ai, Ais, StartErrors, Trial,
    starting::{AiStartError, Candidate, candidates},
};
use crate::config::Config;

/// The AIs of a new configuration, all ready, and how they differ from those before.
#[derive(Debug)]
pub struct Succession {
    /// Who is there now. The AIs that are the same as before are shared with those before.
    pub ais: Ais,
    /// What is different.
    pub changes: Changes,
}

/// Ids by what became of those that bear them: AIs, or clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// Those that were not there.
    pub added: Vec<String>,
    /// Those that have other settings; AIs also those that have another library. Such an AI has new workers.
    pub changed: Vec<String>,
    /// Those that are no longer there.
    pub removed: Vec<String>,
    /// Those that are as before; such an AI keeps its workers.
    pub unchanged: Vec<String>,
}

impl Changes {
    /// From one set of settings to another.
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
        changes.removed = old.keys().filter(|id| !new.contains_key(*id)).cloned().collect();
        changes
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { added, changed, removed, unchanged } = self;
        let kinds = [("added", added), ("changed", changed), ("removed", removed), ("unchanged", unchanged)];
        let mut separator = "";
        for (kind, ids) in kinds.iter().filter(|(_, ids)| !ids.is_empty()) {
            write!(f, "{separator}{kind}: {}", ids.join(", "))?;
            separator = "; ";
        }
        if separator.is_empty() { f.write_str("none") } else { Ok(()) }
    }
}

impl Ais {
    /// Reads every library of another configuration, starts each AI that is new, or has other bytes or settings, beside
    /// those that run, and puts the trials to it. Blocks until all are ready; nobody notices until the outcome is used.
    ///
    /// # Errors
    /// Everything that is wrong with any of them; then nothing has changed.
    pub fn succeeded_by(&self, config: &Config, trials: Vec<Trial>) -> Result<Succession, StartErrors> {
        let mut changes = Changes::default();
        let mut ais = BTreeMap::new();
        let mut errors = Vec::new();
        let mut new = Vec::new();
        for candidate in candidates(config) {
            match candidate {
                Ok(candidate) => match self.same(&candidate) {
                    Some(ai) => {
                        changes.unchanged.push(ai.id.clone());
                        ais.insert(ai.id.clone(), Arc::clone(ai));
                    }
                    None => new.push(candidate),
                },
                Err(error) => errors.push(error),
            }
        }
        for candidate in &new {
            let id = &candidate.settings.id;
            let kind = if self.get(id).is_some() { &mut changes.changed } else { &mut changes.added };
            kind.push(id.clone());
        }
        let outcomes = self.supervisor.raise(new, &Arc::new(config.clone()), &trials.into());
        for outcome in outcomes.map_err(|error| StartErrors(vec![AiStartError::Supervisor(error)]))? {
            match outcome {
                Ok(ai) => _ = ais.insert(ai.id.clone(), ai),
                Err(mut of_one) => errors.append(&mut of_one),
            }
        }
        if !errors.is_empty() {
            errors.sort_by(|one, other| one.ai().cmp(&other.ai()));
            return Err(StartErrors(errors));
        }
        changes.removed = self.ais.keys().filter(|id| !ais.contains_key(*id)).cloned().collect();
        Ok(Succession { ais: Self { ais, supervisor: Arc::clone(&self.supervisor) }, changes })
    }

    /// The AI that a candidate would only be once more.
    fn same(&self, Candidate { settings, library }: &Candidate) -> Option<&Arc<Ai>> {
        let same = |ai: &&Arc<Ai>| ai.settings == *settings && ai.library_sha256 == library.sha256();
        self.get(&settings.id).filter(same)
    }
}
