//! What runs one job at a time: a worker process of this machine, or a slot of another one.

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
    /// Runs a job. `interrupt` is polled for a reason to stop it early, for a further one after
    /// [`StopReason::Yield`]; `ponder_hit` starts the time of a job that ponders.
    fn run(
        &mut self,
        question: Question<'_>,
        ponder_hit: impl Future<Output = ()>,
        interrupt: impl FnMut(&mut Context<'_>) -> Poll<StopReason>,
        on_iteration: impl FnMut(Iteration),
    ) -> impl Future<Output = Result<Response, Fault>>;
}

/// A slot of another machine, a node.
pub trait RemoteSlot: Slot {
    /// Waits until the slot may be free. Returns false once the node is gone.
    fn free(&mut self) -> impl Future<Output = bool>;

    /// Waits until the slot is not free any more, or the node is gone.
    fn taken(&mut self) -> impl Future<Output = ()>;

    /// Waits until the slot takes no more jobs, though one may run.
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
