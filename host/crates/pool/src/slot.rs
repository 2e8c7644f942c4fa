//! Slots, which run one job at a time: worker processes on this machine, and slots on other
//! machines.

use std::task::{Context, Poll};

use crate::{client_identity::ClientIdentity, fault::Fault, process::WorkerProcess};
use protocol::{Iteration, Job, Response, Wanted};

pub use crate::process::{StopReason, TimeAllowed};

/// A job for a slot.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub job: &'a Job,
    pub client: &'a ClientIdentity,
    pub time_allowed: TimeAllowed,
    pub wanted: Wanted,
}

/// Runs one job at a time.
pub trait Slot {
    /// Runs a job. `interrupt` is polled for a reason to stop it early, and for another reason
    /// after [`StopReason::Yield`]. `ponder_hit` starts the clock of a job that ponders.
    fn run(
        &mut self,
        question: Question<'_>,
        ponder_hit: impl Future<Output = ()>,
        interrupt: impl FnMut(&mut Context<'_>) -> Poll<StopReason>,
        on_iteration: impl FnMut(Iteration),
    ) -> impl Future<Output = Result<Response, Fault>>;
}

/// A slot on another machine (a node).
pub trait RemoteSlot: Slot {
    /// Waits until the slot may be free. Returns false once the node is gone.
    fn free(&mut self) -> impl Future<Output = bool>;

    /// Waits until the slot is taken or the node is gone.
    fn taken(&mut self) -> impl Future<Output = ()>;

    /// Waits until the slot accepts no further jobs, though one may still run.
    fn gone(&self) -> impl Future<Output = ()> + 'static;
}

impl Slot for WorkerProcess {
    async fn run(
        &mut self,
        question: Question<'_>,
        ponder_hit: impl Future<Output = ()>,
        interrupt: impl FnMut(&mut Context<'_>) -> Poll<StopReason>,
        on_iteration: impl FnMut(Iteration),
    ) -> Result<Response, Fault> {
        let Question {
            job,
            time_allowed,
            wanted,
            ..
        } = question;
        Self::run(
            self,
            job,
            time_allowed,
            wanted,
            ponder_hit,
            interrupt,
            on_iteration,
        )
        .await
    }
}
