//! Receives the iterations of a search.

use std::fmt;

use tokio::sync::mpsc;

use protocol::Iteration;

/// Its methods are called on the supervisor's thread, so they must not block.
pub trait Listener: fmt::Debug + Send + Sync {
    /// Called when a worker starts the job. If an earlier attempt failed, its iterations are void.
    fn on_start(&self) {}

    fn on_iteration(&self, iteration: Iteration);
}

impl Listener for mpsc::Sender<Iteration> {
    /// Drops the iteration if the channel is full.
    fn on_iteration(&self, iteration: Iteration) {
        let _ = self.try_send(iteration);
    }
}
