//! Receives the iterations of a search.

use std::fmt;

use tokio::sync::mpsc;

use protocol::Iteration;

/// Hears of a search, on the supervisor's thread: it must not wait there.
pub trait Listener: fmt::Debug + Send + Sync {
    /// A worker begins with the question, perhaps once more: what was heard before is worth nothing now.
    fn begins(&self) {}

    /// An iteration is done.
    fn hears(&self, iteration: Iteration);
}

impl Listener for mpsc::Sender<Iteration> {
    /// Whoever is slow to listen misses some.
    fn hears(&self, iteration: Iteration) {
        let _ = self.try_send(iteration);
    }
}
