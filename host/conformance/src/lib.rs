//! Conformance checks of an AI. Each check uses a worker of its own.

mod endurance;
mod limits;
mod lines;
mod loading;
mod moves;
mod options;
mod pondering;
mod positions;
mod repeating;
mod scores;
mod stopping;
mod session;
mod tracing;
mod failure;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use ai_api::OptionSetting;
use futures_util::future::LocalBoxFuture;
use serde::Serialize;

use self::failure::CheckFailure;
use config::{AiSettings, THREAD_COUNTS};
use library::SealedLibrary;
use pool::{WorkerProgram, WorkerSession};
use protocol::SandboxSettings;

/// What a check may take; then its worker is killed.
const TIME_ALLOWED: Duration = Duration::from_mins(1);
const LACK: &str = "it passes where it may start more threads and have more memory: declare what it needs as threads and memory_mb in \
                    the capabilities of its manifest, and allow it with these keys in its [ai.ID] (here --threads and --memory-mb)";

/// One thing that is tried.
pub struct Check {
    /// Such as `moves.castling`.
    pub name: &'static str,
    /// What an AI must do, in a sentence.
    pub description: &'static str,
    run: for<'s> fn(&'s Subject) -> LocalBoxFuture<'s, Result<Passed, CheckFailure>>,
}

/// That all was as it should be, and what is worth knowing about it.
struct Passed(Option<String>);

/// The AI that is examined.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its library.
    pub library: Arc<SealedLibrary>,
    /// The options that it is given; the others have their defaults.
    pub settings: Vec<OptionSetting>,
    /// How its workers are started, and what they may do.
    pub ai: AiSettings,
    /// The binary of the workers.
    pub program: WorkerProgram,
    /// What chance follows from, so that an examination can be had again.
    pub seed: u64,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As it should be.
    Pass,
    /// Not as it should be.
    Fail,
    /// The AI's process came to an end.
    Crashed,
    /// Allowed, and probably not meant.
    Warning,
    /// It does not apply to this AI.
    Skipped,
}

/// What came of a check.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The check.
    pub name: &'static str,
    /// How it ended.
    pub verdict: Verdict,
    /// What was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<&'static str>,
    /// How long it took.
    pub time_ms: u64,
}

/// Every check, in the order in which they are made: the first tell most.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    [
        loading::CHECKS,
        options::CHECKS,
        moves::CHECKS,
        limits::CHECKS,
        stopping::CHECKS,
        repeating::CHECKS,
        scores::CHECKS,
        lines::CHECKS,
        tracing::CHECKS,
        pondering::CHECKS,
        endurance::CHECKS,
    ]
    .into_iter()
    .flatten()
}

impl Check {
    /// Makes the check. Its worker is gone afterwards, whatever the AI does.
    pub async fn make(&self, subject: &Subject) -> Outcome {
        let start = Instant::now();
        let mut result = self.try_on(subject).await;
        if let Err(failure) = &mut result
            && failure.is_fault()
            && self.passes_with_more(subject).await
        {
            failure.advise(LACK);
        }
        let (verdict, reason, remedy) = match result {
            Ok(Passed(note)) => (Verdict::Pass, note, None),
            Err(failure) => failure.told(),
        };
        let time_ms = start.elapsed().as_millis() as u64;
        Outcome { name: self.name, verdict, reason, remedy, time_ms }
    }

    /// An AI that gets no thread, or no memory for its stack, fails in its own words: only another try shows the cause.
    async fn passes_with_more(&self, subject: &Subject) -> bool {
        let mut subject = subject.clone();
        let SandboxSettings { threads, memory_mb, .. } = &mut subject.ai.sandbox;
        *threads = *THREAD_COUNTS.end();
        *memory_mb = memory_mb.saturating_mul(4);
        self.try_on(&subject).await.is_ok()
    }

    async fn try_on(&self, subject: &Subject) -> Result<Passed, CheckFailure> {
        let result = tokio::time::timeout(TIME_ALLOWED, (self.run)(subject)).await;
        result.unwrap_or_else(|_| {
            Err(CheckFailure::failed(
                format!("it was not done within {} s, and was killed", TIME_ALLOWED.as_secs()),
                "answer within the limit that the question sets",
            ))
        })
    }
}

impl Subject {
    /// A worker that is ready to be asked.
    async fn start(&self) -> Result<WorkerSession, CheckFailure> {
        self.start_with(&self.settings).await
    }

    async fn start_with(&self, settings: &[OptionSetting]) -> Result<WorkerSession, CheckFailure> {
        Ok(WorkerSession::start(&self.program, &self.library, &self.ai, settings).await?)
    }

    /// The names of the AI's options that are secret; none of an AI that does not describe itself.
    pub async fn secret_options(&self) -> Vec<String> {
        let Ok(session) = self.load(&self.settings).await else { return Vec::new() };
        let secret = session.manifest().options.iter().filter(|spec| spec.secret);
        secret.map(|spec| spec.name.clone()).collect()
    }

    /// A worker whose AI has described itself.
    async fn load(&self, settings: &[OptionSetting]) -> Result<WorkerSession, CheckFailure> {
        Ok(WorkerSession::load(&self.program, &self.library, &self.ai, settings).await?)
    }
}

impl Passed {
    const PLAINLY: Self = Self(None);

    fn and(note: String) -> Self {
        Self(Some(note))
    }
}
