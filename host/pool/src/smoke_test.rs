//! Smoke tests: requests that a new AI must answer before it serves clients.

use std::{fmt, future::pending, time::Duration};

use tokio::time::sleep;

use super::{
    Fault,
    process::{GiveUp, TimeAllowed, WorkerProcess},
};
use protocol::{Job, Response};

/// The time to return after a stop. Generous, so that no AI fails on a busy machine.
const STOP_ALLOWANCE: Duration = Duration::from_secs(1);

/// A request whose result is only checked.
pub struct SmokeTest {
    /// The name of the test.
    pub name: &'static str,
    /// The request.
    pub question: Job,
    /// When the host stops the search.
    pub stop_after: Duration,
    /// The check of the result.
    pub judge: Expectation,
}

/// Returns the fault of a wrong result.
pub type Expectation = Box<dyn Fn(&Response) -> Result<(), Fault> + Send + Sync>;

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
    /// The name of the test.
    pub name: &'static str,
    /// The fault.
    pub fault: Fault,
}

/// Runs every smoke test, each within the move timeout of the AI.
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
        let response = process.ask(&smoke_test.question, time_allowed, pending(), stop, |_| {}).await;
        let judged = response.and_then(|response| (smoke_test.judge)(&response));
        judged.map_err(|fault| FailedSmokeTest { name: smoke_test.name, fault })?;
    }
    Ok(())
}
