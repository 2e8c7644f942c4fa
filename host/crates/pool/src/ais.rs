//! Replaces one configuration's AIs with the next one's while both serve requests.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::runtime::Handle;

use crate::{
    ai::Ai,
    changes::Changes,
    outdated::{Outdated, OutdatedAi},
    smoke::SmokeTest,
    start::ais::{AiStartError, StartErrors, candidates},
    supervisor::Supervisor,
    tablebases::Tablebases,
    worker_program::WorkerProgram,
};
use config::{AiSettings, Candidate, Config, Discovery, SkipReason, SkippedLibrary};

/// All AIs of a configuration, ready to serve. Dropping this stops the workers of AIs that no other
/// generation shares.
#[derive(Debug)]
pub struct Ais {
    by_id: BTreeMap<String, Arc<Ai>>,
    /// AIs on nodes that have the same id as an AI in `by_id`. Requests reach them only by their
    /// fingerprint.
    superseded: Vec<Arc<Ai>>,
    skipped: Vec<SkippedLibrary>,
    outdated: Vec<OutdatedAi>,
    tablebases: Arc<Tablebases>,
    supervisor: Arc<Supervisor>,
}

/// A new configuration's AIs, all ready, and how they differ from the previous ones.
#[derive(Debug)]
pub struct NextGeneration {
    /// Unchanged AIs are shared with the previous generation.
    pub ais: Ais,
    pub changes: Changes,
}

/// Which plugin libraries to start again after they failed to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// All of them, because the operator asked for it.
    All,
    Changed,
}

impl Ais {
    /// Starts every AI of the configuration, without plugins. Blocks until all are ready.
    ///
    /// # Errors
    /// Every error of every AI: when it is loaded or started, or in its options.
    pub fn start(config: &Config, program: WorkerProgram) -> Result<Self, StartErrors> {
        Self::start_under(
            Supervisor::start(program).map_err(StartErrors::supervisor)?,
            config,
        )
    }

    /// Starts every AI as tasks of a single-threaded runtime, which must outlive them. Jobs
    /// submitted on that thread then do not wake any other thread. Call it on another thread, which
    /// it blocks until all are ready.
    ///
    /// # Errors
    /// Every error of every AI: when it is loaded or started, or in its options.
    pub fn start_in(
        config: &Config,
        program: WorkerProgram,
        runtime: &Handle,
    ) -> Result<Self, StartErrors> {
        Self::start_under(Supervisor::start_in(program, runtime), config)
    }

    fn start_under(supervisor: Supervisor, config: &Config) -> Result<Self, StartErrors> {
        let supervisor = Arc::new(supervisor);
        let tablebases = Arc::new(Tablebases::new(config, Arc::clone(&supervisor)));
        let (by_id, superseded, skipped, outdated) =
            (BTreeMap::new(), Vec::new(), Vec::new(), Vec::new());
        let none = Self {
            by_id,
            superseded,
            skipped,
            outdated,
            tablebases,
            supervisor,
        };
        // Configured AIs start without smoke tests.
        let (plugins, smoke_tests) = (Discovery::default(), Vec::new());
        Ok(none
            .next_generation(
                config,
                BTreeMap::new(),
                candidates(config),
                plugins,
                smoke_tests,
            )?
            .ais)
    }

    /// Returns the libraries in the plugin directories that are not served.
    pub fn skipped(&self) -> &[SkippedLibrary] {
        &self.skipped
    }

    /// Returns the AIs that kept running through the reload although their files had changed.
    pub fn outdated(&self) -> &[OutdatedAi] {
        &self.outdated
    }

    /// Returns the tablebases, which survive a reload while they are held.
    pub const fn tablebases(&self) -> &Arc<Tablebases> {
        &self.tablebases
    }

    pub fn get(&self, id: &str) -> Option<&Arc<Ai>> {
        self.by_id.get(id)
    }

    /// Returns every AI, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Ai>> {
        self.by_id.values()
    }

    /// Returns these AIs together with AIs on nodes. If several AIs have the same id, the AI on
    /// this machine takes precedence, or else the first AI.
    #[must_use]
    pub fn with_remote(&self, remote: &[Arc<Ai>]) -> Self {
        let mut by_id: BTreeMap<_, _> = self
            .local()
            .map(|ai| (ai.id.clone(), Arc::clone(ai)))
            .collect();
        let mut superseded = Vec::new();
        for ai in remote {
            match by_id.entry(ai.id.clone()) {
                Entry::Vacant(place) => _ = place.insert(Arc::clone(ai)),
                Entry::Occupied(_) => superseded.push(Arc::clone(ai)),
            }
        }
        let (tablebases, supervisor) = (Arc::clone(&self.tablebases), Arc::clone(&self.supervisor));
        let (skipped, outdated) = (self.skipped.clone(), self.outdated.clone());
        Self {
            by_id,
            superseded,
            skipped,
            outdated,
            tablebases,
            supervisor,
        }
    }

    /// Returns the AI with this id whose fingerprint begins with this prefix, even if it is
    /// superseded.
    pub fn pinned(&self, id: &str, fingerprint: &str) -> Option<&Arc<Ai>> {
        let of_id = self
            .get(id)
            .into_iter()
            .chain(self.superseded.iter().filter(|ai| ai.id == id));
        let is_pinned = |ai: &Ai| {
            ai.fingerprint
                .get()
                .is_some_and(|own| own.to_string().starts_with(fingerprint))
        };
        of_id.into_iter().find(|ai| is_pinned(ai))
    }

    /// Returns the AIs that run on this machine.
    pub fn local(&self) -> impl Iterator<Item = &Arc<Ai>> {
        self.iter().filter(|ai| !ai.is_remote())
    }

    /// Drains all requests, then stops every worker. Blocks for at most `at_most`.
    pub fn stop(&self, at_most: Duration) {
        self.supervisor.stop(at_most);
    }

    /// Starts every library in the plugin directories that no section names, and adds those that
    /// pass the smoke tests. The result shares all of this generation's AIs. Blocks until all are
    /// ready.
    ///
    /// # Errors
    /// The server is shutting down.
    pub fn with_discovered(
        &self,
        config: &Config,
        smoke_tests: Vec<SmokeTest>,
    ) -> Result<NextGeneration, StartErrors> {
        let plugins = Discovery::find(&config.plugins, &config.ais);
        self.next_generation(config, self.by_id.clone(), Vec::new(), plugins, smoke_tests)
    }

    /// Reads every library of another configuration. While the running AIs keep serving, starts AIs
    /// that are new or have a different library or settings, and runs their smoke tests. A running
    /// AI with unchanged settings keeps running even if its files are gone. Blocks until all are
    /// ready.
    ///
    /// # Errors
    /// All errors of all AIs in the configuration. In that case, nothing has changed.
    pub fn reload_with(
        &self,
        config: &Config,
        smoke_tests: Vec<SmokeTest>,
        retry: Retry,
    ) -> Result<NextGeneration, StartErrors> {
        let plugins = Discovery::find(&config.plugins, &config.ais);
        let plugins = match retry {
            Retry::All => plugins,
            Retry::Changed => plugins.without_failed(&self.skipped),
        };
        self.next_generation(
            config,
            BTreeMap::new(),
            candidates(config),
            plugins,
            smoke_tests,
        )
    }

    /// Adds the configured AIs and the plugins to `ais`. Runs the smoke tests of new AIs.
    fn next_generation(
        &self,
        config: &Config,
        mut ais: BTreeMap<String, Arc<Ai>>,
        configured: Vec<Result<Candidate, AiStartError>>,
        plugins: Discovery,
        smoke_tests: Vec<SmokeTest>,
    ) -> Result<NextGeneration, StartErrors> {
        let Discovery {
            candidates: found,
            mut skipped,
        } = plugins;
        let (mut new, mut kept, mut errors, mut outdated) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let directories = config.tablebases.directories();
        for candidate in configured.into_iter().chain(found.into_iter().map(Ok)) {
            let candidate = candidate.map(|candidate| with_tablebases(candidate, &directories));
            let id = match &candidate {
                Ok(candidate) => Some(&*candidate.settings.id),
                Err(error) => error.ai(),
            };
            if let Some((ai, files)) =
                id.and_then(|id| self.without_files(id, config, AiSettings::gone_grants))
            {
                outdated.push(OutdatedAi {
                    id: ai.id.clone(),
                    why: Outdated::Gone(files),
                });
                kept.push(ai);
                continue;
            }
            match candidate {
                Ok(candidate) => match self.unchanged(&candidate) {
                    Some(ai) => {
                        let files = ai.changed_in_folders();
                        if !files.is_empty() {
                            outdated.push(OutdatedAi {
                                id: ai.id.clone(),
                                why: Outdated::Changed(files),
                            });
                        }
                        kept.push(ai);
                    }
                    None => new.push(candidate),
                },
                Err(error) => errors.push(error),
            }
        }
        let outcomes = self.supervisor.start_all(new.clone(), config, smoke_tests);
        let outcomes = outcomes.map_err(StartErrors::supervisor)?;
        for (
            Candidate {
                settings, library, ..
            },
            outcome,
        ) in new.into_iter().zip(outcomes)
        {
            match outcome {
                Ok(ai) => _ = ais.insert(ai.id.clone(), ai),
                Err(mut of_one) if config.ais.contains_key(&settings.id) => {
                    match self.without_files(&settings.id, config, AiSettings::missing_in_command) {
                        Some((ai, files)) => {
                            outdated.push(OutdatedAi {
                                id: ai.id.clone(),
                                why: Outdated::Gone(files),
                            });
                            kept.push(ai);
                        }
                        None => errors.append(&mut of_one),
                    }
                }
                Err(of_one) => skipped.push(SkippedLibrary {
                    file: settings.library,
                    sha256: Some(library.sha256()),
                    why: Arc::new(skip_reason(&of_one)),
                    kept: None,
                }),
            }
        }
        for ai in kept {
            // Its levels may have changed.
            let issues = config.check_levels(&ai.id, &ai.about.options);
            errors.extend(AiStartError::of_options(&ai.id, issues));
            ais.insert(ai.id.clone(), Arc::clone(ai));
        }
        if !errors.is_empty() {
            errors.sort_by(|one, other| one.ai().cmp(&other.ai()));
            return Err(StartErrors(errors));
        }
        for library in &mut skipped {
            library.kept = self.keep_running(&library.file, config, &mut ais);
        }
        let (superseded, supervisor) = (Vec::new(), Arc::clone(&self.supervisor));
        // Starts another worker even for the same directories: their files may have changed.
        let tablebases = Arc::new(Tablebases::new(config, Arc::clone(&supervisor)));
        let ais = Self {
            by_id: ais,
            superseded,
            skipped,
            outdated,
            tablebases,
            supervisor,
        };
        let changes = self.changes_to(&ais);
        Ok(NextGeneration { ais, changes })
    }

    /// Keeps the discovered AI of a library whose replacement can't be served. Returns the AI's id.
    fn keep_running(
        &self,
        file: &Path,
        config: &Config,
        ais: &mut BTreeMap<String, Arc<Ai>>,
    ) -> Option<String> {
        let is_its = |ai: &&Arc<Ai>| {
            let mut discovered = AiSettings::of_library(&ai.id, file.to_path_buf());
            discovered
                .sandbox
                .tablebases
                .clone_from(&ai.settings.sandbox.tablebases);
            // An AI with different settings was configured and is being removed.
            !config.ais.contains_key(&ai.id) && ai.settings == discovered
        };
        let ai = self.local().find(is_its)?;
        match ais.entry(ai.id.clone()) {
            Entry::Vacant(place) => Some(place.insert(Arc::clone(ai)).id.clone()),
            // Either another library has its id now, or this one is already kept.
            Entry::Occupied(place) => Arc::ptr_eq(place.get(), ai).then(|| ai.id.clone()),
        }
    }

    pub fn changes_to(&self, next: &Self) -> Changes {
        let addresses = |ais: &Self| -> BTreeMap<String, *const Ai> {
            ais.by_id
                .iter()
                .map(|(id, ai)| (id.clone(), Arc::as_ptr(ai)))
                .collect()
        };
        Changes::between(&addresses(self), &addresses(next))
    }

    /// Returns the running AI with this id and its missing files, if its settings are unchanged and
    /// `missing` finds any.
    fn without_files(
        &self,
        id: &str,
        config: &Config,
        missing: fn(&AiSettings) -> Vec<PathBuf>,
    ) -> Option<(&Arc<Ai>, Vec<PathBuf>)> {
        let ai = self.get(id).filter(|ai| !ai.is_remote())?;
        let mut settings = config.ais.get(id)?.clone();
        settings.sandbox.tablebases = config.tablebases.directories();
        let files = if settings.runs_as(&ai.settings) {
            missing(&settings)
        } else {
            Vec::new()
        };
        (!files.is_empty()).then_some((ai, files))
    }

    /// Returns the running AI whose settings, library and own files match the candidate's.
    fn unchanged(&self, candidate: &Candidate) -> Option<&Arc<Ai>> {
        let Candidate {
            settings,
            library,
            own_files_sha256,
            read_at: _,
        } = candidate;
        let is_same = |ai: &&Arc<Ai>| {
            !ai.is_remote()
                && ai.settings.runs_as(settings)
                && ai.library_sha256 == library.sha256()
                && ai.own_files_sha256 == *own_files_sha256
        };
        self.get(&settings.id).filter(is_same)
    }
}

/// Gives an AI's workers access to the host's tablebases.
fn with_tablebases(mut candidate: Candidate, directories: &[PathBuf]) -> Candidate {
    candidate.settings.sandbox.tablebases = directories.to_vec();
    candidate
}

/// Returns why a plugin that failed to start is skipped.
pub(crate) fn skip_reason(errors: &[AiStartError]) -> SkipReason {
    // The server runs without the plugin, so this is not a server error.
    let text = |error: &AiStartError| error.to_string().trim_start_matches("error: ").to_owned();
    SkipReason::Start {
        errors: errors.iter().map(text).collect::<Vec<_>>().join("; "),
        lacks_settings: errors.iter().all(AiStartError::is_not_created),
    }
}
