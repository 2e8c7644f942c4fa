//! The AI of the session, restarted when its options change.

use std::sync::Arc;

use ai_api::OptionValue;

use crate::{
    options::{OptionError, declaration, parse_option, uci_name},
    strength::Strength,
};
use config::Config;
use pool::{Ai, Ais, StartErrors, WorkerProgram};

/// One AI of a configuration, in one worker.
pub(crate) struct Engine {
    /// The configuration for the next start.
    config: Config,
    /// The configuration of the running AI.
    running_config: Config,
    id: String,
    program: WorkerProgram,
    running: Ais,
    needs_restart: bool,
}

impl Engine {
    /// Starts the AI `id` from the configuration. Blocks until it is ready.
    pub(crate) fn start(
        mut config: Config,
        id: &str,
        program: WorkerProgram,
    ) -> Result<Self, StartErrors> {
        config.keep_only(id);
        let running = Ais::start(&config, program.clone())?;
        Ok(Self {
            running_config: config.clone(),
            config,
            id: id.to_owned(),
            program,
            running,
            needs_restart: false,
        })
    }

    pub(crate) fn ai(&self) -> &Arc<Ai> {
        self.running
            .get(&self.id)
            .expect("the AI was started under this id")
    }

    /// Returns the strength for the next start, or `None` for an AI without the option `elo`.
    pub(crate) fn strength(&self) -> Option<Strength> {
        let specs = &self.ai().about.options;
        Strength::of(specs, &self.config.resolved_options(&self.id, specs))
    }

    /// Returns the `option` lines of the AI, except the options with these names.
    pub(crate) fn option_lines(&self, except: &[&str]) -> Vec<String> {
        let specs = &self.ai().about.options;
        let settings = self.config.resolved_options(&self.id, specs);
        let shown = specs.iter().zip(settings).filter(|(spec, _)| {
            !except
                .iter()
                .any(|name| name.eq_ignore_ascii_case(uci_name(spec)))
        });
        shown
            .map(|(spec, setting)| declaration(spec, &setting.value))
            .collect()
    }

    /// Returns whether the AI has a hash table with a configurable size.
    pub(crate) fn has_hash(&self) -> bool {
        self.ai()
            .about
            .options
            .iter()
            .any(|spec| uci_name(spec) == "Hash")
    }

    /// Sets an option. [`apply`](Self::apply) restarts the AI with it.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), OptionError> {
        let setting = parse_option(&self.ai().about.options, name, value)?;
        if self.value(&setting.name) != Some(&setting.value) {
            self.config.set_option(&self.id, setting);
            self.needs_restart = true;
        }
        Ok(())
    }

    /// Makes the next [`apply`](Self::apply) restart the AI to clear its state.
    pub(crate) const fn request_restart(&mut self) {
        self.needs_restart = true;
    }

    /// Restarts the AI if needed. If it does not start, keeps the running AI and its options.
    ///
    /// Dropping the future keeps the running AI. The options are applied at the next restart.
    pub(crate) async fn apply(&mut self) -> Result<(), StartErrors> {
        if !std::mem::take(&mut self.needs_restart) {
            return Ok(());
        }
        let (config, program) = (self.config.clone(), self.program.clone());
        let started = tokio::task::spawn_blocking(move || Ais::start(&config, program)).await;
        match started.expect("starting an AI does not panic") {
            Ok(ais) => {
                self.running = ais;
                self.running_config = self.config.clone();
                Ok(())
            }
            Err(errors) => {
                self.config = self.running_config.clone();
                Err(errors)
            }
        }
    }

    fn value(&self, name: &str) -> Option<&OptionValue> {
        let settings = &self.config.ais.get(&self.id)?.options;
        settings
            .iter()
            .find(|setting| setting.name == name)
            .map(|setting| &setting.value)
    }
}
