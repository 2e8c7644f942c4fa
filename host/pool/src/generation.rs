//! Replaces the AIs of one configuration by those of the next, while both serve requests.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    Ai, Ais, SmokeTest, StartErrors, WorkerProgram,
    starting::{AiStartError, candidates},
    supervisor::Supervisor,
};
use config::Config;
use config::{Candidate, DroppedIn, SkipReason, SkippedLibrary};

/// The AIs of a new configuration, all ready, and the differences to the previous ones.
#[derive(Debug)]
pub struct NextGeneration {
    /// The AIs. Unchanged ones are shared with the previous generation.
    pub ais: Ais,
    /// The differences.
    pub changes: Changes,
}

/// Ids of AIs or clients, by what changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// New ones.
    pub added: Vec<String>,
    /// Those with other settings, and AIs with another library. Such an AI has new workers.
    pub changed: Vec<String>,
    /// Removed ones.
    pub removed: Vec<String>,
    /// The same as before. Such an AI keeps its workers.
    pub unchanged: Vec<String>,
}

impl Changes {
    /// Compares two sets of settings.
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

/// Which dropped-in libraries that failed to start are tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// All, on request.
    All,
    /// Changed ones.
    Changed,
}

/// The readable libraries, and the errors of the others.
fn split(candidates: Vec<Result<Tried, AiStartError>>) -> (Vec<Tried>, Vec<AiStartError>) {
    let mut errors = Vec::new();
    let read =
        candidates.into_iter().filter_map(|candidate| candidate.map_err(|error| errors.push(error)).ok());
    (read.collect(), errors)
}

/// Why a library is skipped whose AI does not start.
fn skip_reason(errors: &[AiStartError]) -> SkipReason {
    SkipReason::Start {
        errors: errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        lacks_settings: errors.iter().all(AiStartError::is_not_created),
    }
}

/// An AI to start, and the smoke tests that it must pass.
pub(super) type Tried = (Candidate, Arc<[SmokeTest]>);

impl Ais {
    /// Starts every library in the plugin directories that no section names and that passes the smoke tests, beside these AIs,
    /// which are shared as they are. Blocks until all are ready.
    ///
    /// # Errors
    /// The server is shutting down.
    pub fn with_dropped_in(
        &self,
        config: &Config,
        smoke_tests: Vec<SmokeTest>,
    ) -> Result<NextGeneration, StartErrors> {
        let dropped_in = DroppedIn::find(&config.plugins, &config.ais);
        self.next_generation(config, self.by_id.clone(), Vec::new(), dropped_in, &smoke_tests.into())
    }

    /// Reads every library of another configuration, starts each AI that is new, or has other bytes or settings, beside
    /// the running ones, and runs the smoke tests. Blocks until all are ready.
    ///
    /// # Errors
    /// Everything that is wrong with any AI of the configuration; then nothing has changed.
    pub fn reload_with(
        &self,
        config: &Config,
        smoke_tests: Vec<SmokeTest>,
        retry: Retry,
    ) -> Result<NextGeneration, StartErrors> {
        let dropped_in = DroppedIn::find(&config.plugins, &config.ais);
        let dropped_in = match retry {
            Retry::All => dropped_in,
            Retry::Changed => dropped_in.without_failed(&self.skipped),
        };
        let smoke_tests = smoke_tests.into();
        let configured = candidates(config).into_iter().map(|read| Ok((read?, Arc::clone(&smoke_tests))));
        self.next_generation(config, BTreeMap::new(), configured.collect(), dropped_in, &smoke_tests)
    }

    /// Starts without AIs, with a supervisor thread.
    pub(super) fn nobody(program: WorkerProgram) -> Result<Self, StartErrors> {
        let supervisor =
            Supervisor::start(program).map_err(|error| StartErrors(vec![AiStartError::Supervisor(error)]))?;
        Ok(Self { by_id: BTreeMap::new(), skipped: Vec::new(), supervisor: Arc::new(supervisor) })
    }

    /// The AIs that are kept, those that a configuration names, and those dropped in, which pass the smoke tests if they are new.
    pub(super) fn next_generation(
        &self,
        config: &Config,
        kept: BTreeMap<String, Arc<Ai>>,
        configured: Vec<Result<Tried, AiStartError>>,
        dropped_in: DroppedIn,
        smoke_tests_of_dropped_in: &Arc<[SmokeTest]>,
    ) -> Result<NextGeneration, StartErrors> {
        let DroppedIn { candidates: found, mut skipped } = dropped_in;
        let (known, mut errors) = split(configured);
        let found = found.into_iter().map(|candidate| (candidate, Arc::clone(smoke_tests_of_dropped_in)));
        let all: Vec<Tried> = known.into_iter().chain(found).collect();
        let mut ais = kept;
        let mut new = Vec::new();
        for (candidate, smoke_tests) in all {
            match self.same(&candidate) {
                Some(ai) => _ = ais.insert(ai.id.clone(), Arc::clone(ai)),
                None => new.push((candidate, smoke_tests)),
            }
        }
        let about: Vec<_> = new.iter().map(|(candidate, _)| candidate.clone()).collect();
        let outcomes = self.supervisor.raise(new, &Arc::new(config.clone()));
        let outcomes = outcomes.map_err(|error| StartErrors(vec![AiStartError::Supervisor(error)]))?;
        for (Candidate { settings, library }, outcome) in about.into_iter().zip(outcomes) {
            match outcome {
                Ok(ai) => _ = ais.insert(ai.id.clone(), ai),
                Err(mut of_one) if config.ais.contains_key(&settings.id) => errors.append(&mut of_one),
                Err(of_one) => skipped.push(SkippedLibrary {
                    file: settings.library,
                    sha256: Some(library.sha256()),
                    why: Arc::new(skip_reason(&of_one)),
                }),
            }
        }
        if !errors.is_empty() {
            errors.sort_by(|one, other| one.ai().cmp(&other.ai()));
            return Err(StartErrors(errors));
        }
        let changes = self.changes_to(&ais);
        let ais = Self { by_id: ais, skipped, supervisor: Arc::clone(&self.supervisor) };
        Ok(NextGeneration { ais, changes })
    }

    fn changes_to(&self, next: &BTreeMap<String, Arc<Ai>>) -> Changes {
        let addresses = |ais: &BTreeMap<String, Arc<Ai>>| -> BTreeMap<String, *const Ai> {
            ais.iter().map(|(id, ai)| (id.clone(), Arc::as_ptr(ai))).collect()
        };
        Changes::between(&addresses(&self.by_id), &addresses(next))
    }

    /// The AI that a candidate would only be once more.
    fn same(&self, Candidate { settings, library }: &Candidate) -> Option<&Arc<Ai>> {
        let same = |ai: &&Arc<Ai>| ai.settings == *settings && ai.library_sha256 == library.sha256();
        self.get(&settings.id).filter(same)
    }
}
