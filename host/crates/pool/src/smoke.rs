//! Smoke tests: jobs that a new AI must pass before it serves clients.

use std::{future::pending, pin::pin, task::Context, time::Duration};

use tokio::time::sleep;

use crate::{
    fault::Fault,
    process::{StopReason, WorkerProcess},
    start::error::FailedSmokeTest,
};
use protocol::{Job, Response, Wanted};

/// How long a search may take to return after a stop. This is generous, so that no AI fails just
/// because the machine is busy.
const STOP_ALLOWANCE: Duration = Duration::from_secs(1);

pub struct SmokeTest {
    pub name: &'static str,
    pub job: Job,
    /// When the host stops the search.
    pub stop_after: Duration,
    pub expectation: Expectation,
}

/// Checks a result and returns a fault if it is wrong.
pub type Expectation = Box<dyn Fn(&Response) -> Result<(), Fault> + Send + Sync>;

/// Runs every smoke test, each within the AI's move timeout.
pub(crate) async fn run(
    process: &mut WorkerProcess,
    smoke_tests: &[SmokeTest],
    time_allowed: Duration,
) -> Result<(), FailedSmokeTest> {
    for smoke_test in smoke_tests {
        let until_stopped = smoke_test.stop_after + STOP_ALLOWANCE.max(process.stop_grace);
        let time_allowed = process.time_allowed(time_allowed.min(until_stopped));
        let mut stop = pin!(sleep(smoke_test.stop_after));
        let interrupt =
            |cx: &mut Context<'_>| stop.as_mut().poll(cx).map(|()| StopReason::Requested);
        let response = process
            .run(
                &smoke_test.job,
                time_allowed,
                Wanted::Iterations,
                pending(),
                interrupt,
                |_| {},
            )
            .await;
        let checked = response.and_then(|response| (smoke_test.expectation)(&response));
        checked.map_err(|fault| FailedSmokeTest {
            name: smoke_test.name,
            fault,
        })?;
    }
    Ok(())
}
