//! One worker of an AI, asked directly: for whoever examines the AI.

use std::{
    fs,
    future::pending,
    time::{Duration, Instant},
};

use ai_api::{OptionSetting, module::Manifest};
use tokio::time::sleep;

use super::{
    Fault, Findings, Iteration, Question, StartError, WorkerProgram, declarations,
    library::SealedLibrary,
    memory::resident_bytes,
    process::{GiveUp, TimeAllowed, WorkerProcess},
    protocol::{Loaded, Refusal},
};
use crate::config::AiSettings;

/// A worker of an AI. Dropping it kills the worker.
#[derive(Debug)]
pub struct Probe {
    process: WorkerProcess,
    loaded: Loaded,
}

/// What came of a question.
#[derive(Debug)]
pub struct Heard {
    /// The answer, or what the AI did instead.
    pub findings: Result<Findings, Fault>,
    /// What the AI told on the way.
    pub iterations: Vec<Iteration>,
    /// How long it took.
    pub elapsed: Duration,
    /// How much of that was after the AI was asked to stop.
    pub after_stop: Option<Duration>,
}

impl Probe {
    /// Loads an AI with these settings, which it alone has seen, and makes no instance yet.
    ///
    /// # Errors
    /// Why there is no worker.
    pub async fn load(
        program: &WorkerProgram,
        library: &SealedLibrary,
        ai: &AiSettings,
        settings: &[OptionSetting],
    ) -> Result<Self, StartError> {
        let (process, loaded) = WorkerProcess::start(&program.0, library, ai, settings).await?;
        Ok(Self { process, loaded })
    }

    /// Makes the instance, with these settings and the defaults of the other options.
    ///
    /// # Errors
    /// What the AI declares contradicts itself or does not allow a setting; the AI can't make an instance.
    pub async fn create(self, settings: &[OptionSetting]) -> Result<Self, StartError> {
        let Self { process, loaded } = self;
        let specs = &loaded.manifest.options;
        declarations::check(specs).map_err(StartError::Refused)?;
        for setting in settings {
            let spec = specs.iter().find(|spec| spec.name == setting.name);
            if !spec.is_some_and(|spec| spec.allows(&setting.value)) {
                let message = format!("the AI declares no option '{}' that allows this value", setting.name);
                return Err(StartError::Refused(Refusal { message, details: String::new() }));
            }
        }
        let resolved = specs.iter().map(|spec| {
            let set = settings.iter().find(|setting| setting.name == spec.name);
            let value = set.map_or(&spec.default, |setting| &setting.value);
            OptionSetting { name: spec.name.clone(), value: value.clone() }
        });
        let process = process.create(resolved.collect()).await?;
        Ok(Self { process, loaded })
    }

    /// What the AI says of itself.
    pub const fn manifest(&self) -> &Manifest {
        &self.loaded.manifest
    }

    /// Whether it thinks itself.
    pub const fn is_searcher(&self) -> bool {
        self.loaded.searcher
    }

    /// Whether it judges positions.
    pub const fn is_evaluator(&self) -> bool {
        self.loaded.evaluator
    }

    /// Asks the AI, and asks it to stop after a while if it is to.
    pub async fn ask(
        &mut self,
        question: &Question,
        time_allowed: Duration,
        stop_after: Option<Duration>,
    ) -> Heard {
        let asked = Instant::now();
        let stop = async {
            match stop_after {
                Some(after) => sleep(after).await,
                None => pending().await,
            }
            GiveUp::Stop
        };
        let mut iterations = Vec::new();
        let findings = self
            .process
            .ask(question, TimeAllowed::of(time_allowed), stop, |iteration| iterations.push(iteration))
            .await;
        let elapsed = asked.elapsed();
        Heard {
            findings,
            iterations,
            elapsed,
            after_stop: stop_after.and_then(|after| elapsed.checked_sub(after)),
        }
    }

    /// The memory that the worker has now, as far as the kernel tells.
    pub fn resident_bytes(&self) -> Option<u64> {
        Some(resident_bytes(self.process.id()?))
    }

    /// How many threads the worker has beside its own two, as far as the kernel tells.
    pub fn threads(&self) -> Option<usize> {
        const OWN: usize = 2;
        let tasks = fs::read_dir(format!("/proc/{}/task", self.process.id()?)).ok()?;
        Some(tasks.count().saturating_sub(OWN))
    }

    /// How much the worker has computed.
    pub fn computed(&self) -> Option<Duration> {
        self.process.computed()
    }

    /// Ends the worker.
    pub async fn stop(self) {
        self.process.stop().await;
    }
}
