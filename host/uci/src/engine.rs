//! The AI behind the engine, started anew where its options change.

use std::sync::Arc;

use ai_api::{OptionSetting, OptionValue};

use super::options::{self, OptionRefusal};
use config::Config;
use pool::{Ai, Ais, StartErrors, WorkerProgram};

/// One AI of a configuration, in one worker.
pub(super) struct Engine {
    /// How the AI shall be.
    config: Config,
    /// How it is.
    started_with: Config,
    id: String,
    program: WorkerProgram,
    /// The AI as it was last started.
    running: Arc<Ais>,
    is_outdated: bool,
}

impl Engine {
    /// Starts the AI `id`, which is configured. Blocks until it is ready.
    pub(super) fn start(mut config: Config, id: &str, program: WorkerProgram) -> Result<Self, StartErrors> {
        config.ais.retain(|other, _| other == id);
        for settings in config.ais.values_mut() {
            settings.workers = 1;
        }
        let running = Arc::new(Ais::start(&config, program.clone())?);
        Ok(Self {
            started_with: config.clone(),
            config,
            id: id.to_owned(),
            program,
            running,
            is_outdated: false,
        })
    }

    pub(super) fn ai(&self) -> &Arc<Ai> {
        self.running.get(&self.id).expect("the AI was started and is the only one")
    }

    /// Each declared option with its value, except what goes by one of these names.
    pub(super) fn manifest_check(&self, except: &[&str]) -> Vec<String> {
        let specs = &self.ai().about.options;
        let settings = self.config.resolved_options(&self.id, specs);
        let shown = specs
            .iter()
            .zip(settings)
            .filter(|(spec, _)| !except.iter().any(|name| name.eq_ignore_ascii_case(options::name(spec))));
        shown.map(|(spec, setting)| options::declaration(spec, &setting.value)).collect()
    }

    /// Whether the AI has a table whose size can be set.
    pub(super) fn has_hash(&self) -> bool {
        self.ai().about.options.iter().any(|spec| options::name(spec) == "Hash")
    }

    /// Sets an option for the next start, which [`refresh`](Self::refresh) makes.
    pub(super) fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionRefusal> {
        let setting = options::read(&self.ai().about.options, name, value)?;
        if self.value(&setting.name) != Some(&setting.value) {
            self.config.set_option(&self.id, setting);
            self.is_outdated = true;
        }
        Ok(())
    }

    /// Lets the AI begin anew, with nothing left of what it knew.
    pub(super) const fn forget(&mut self) {
        self.is_outdated = true;
    }

    /// Starts the AI anew if that is due. Where it does not start, it stays as it was, and so do its options.
    pub(super) async fn refresh(&mut self) -> Result<(), StartErrors> {
        if !std::mem::take(&mut self.is_outdated) {
            return Ok(());
        }
        let (config, program) = (self.config.clone(), self.program.clone());
        let started = tokio::task::spawn_blocking(move || Ais::start(&config, program)).await;
        match started.expect("starting an AI does not panic") {
            Ok(ais) => self.running = Arc::new(ais),
            Err(errors) => {
                self.config = self.started_with.clone();
                return Err(errors);
            }
        }
        self.started_with = self.config.clone();
        Ok(())
    }

    fn value(&self, name: &str) -> Option<&OptionValue> {
        let settings: &[OptionSetting] = self.config.ais.get(&self.id).map_or(&[], |ai| &ai.options);
        settings.iter().find(|setting| setting.name == name).map(|setting| &setting.value)
    }
}
