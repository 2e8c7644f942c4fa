//! Receives the iterations of a search.

use std::fmt;

use tokio::sync::mpsc;

use protocol::Iteration;

/// Its methods are called on the supervisor's thread, so they must not block.
pub trait Listener: fmt::Debug + Send + Sync {
    /// Called when a worker starts the job. The iterations of an earlier attempt, which failed, are
    /// void.
    fn on_start(&self) {}

    fn on_iteration(&self, iteration: Iteration);
}

impl Listener for mpsc::Sender<Iteration> {
    /// Drops the iteration if the channel is full.
    fn on_iteration(&self, iteration: Iteration) {
        let _ = self.try_send(iteration);
    }
}
