//! What a new AI must answer before anybody's question is put to it.

use std::{fmt, future::pending, time::Duration};

use tokio::time::sleep;

use super::{
    Fault, Findings, Job,
    process::{GiveUp, TimeAllowed, WorkerProcess},
};

/// What an AI has at most to answer in once it was asked to stop: far more than it should need, so that a machine that
/// has much else to do refuses nobody.
const STOP_ALLOWANCE: Duration = Duration::from_secs(1);

/// A question whose answer is checked, and goes to nobody.
pub struct SmokeTest {
    /// What is tried, in words.
    pub name: &'static str,
    /// What is asked.
    pub question: Job,
    /// When the AI is asked to stop, if it has not answered.
    pub stop_after: Duration,
    /// What is wrong with an answer.
    pub judge: Judge,
}

/// Says what is wrong with an answer.
pub type Judge = Box<dyn Fn(&Findings) -> Result<(), Fault> + Send + Sync>;

impl fmt::Debug for SmokeTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmokeTest")
            .field("name", &self.name)
            .field("question", &self.question)
            .finish_non_exhaustive()
    }
}

/// A smoke test that an AI failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {fault}")]
pub struct FailedSmokeTest {
    /// What was tried.
    pub name: &'static str,
    /// What the AI did.
    pub fault: Fault,
}

/// Puts every smoke test to a worker, each with no more time than an answer of its AI may take.
pub(super) async fn run(
    process: &mut WorkerProcess,
    smoke_tests: &[SmokeTest],
    time_allowed: Duration,
) -> Result<(), FailedSmokeTest> {
    for smoke_test in smoke_tests {
        let time_allowed = TimeAllowed::of(time_allowed.min(smoke_test.stop_after + STOP_ALLOWANCE));
        let stop = async {
            sleep(smoke_test.stop_after).await;
            GiveUp::Stop
        };
        let findings = process.ask(&smoke_test.question, time_allowed, pending(), stop, |_| {}).await;
        let judged = findings.and_then(|findings| (smoke_test.judge)(&findings));
        judged.map_err(|fault| FailedSmokeTest { name: smoke_test.name, fault })?;
    }
    Ok(())
}
