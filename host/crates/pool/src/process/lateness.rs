//! The time that a worker lost after it was told to stop, because it or the host had no processor.

use std::time::Duration;

use tokio::time::Instant;

use super::{clock::Late, worker_process::WorkerProcess};
use crate::procfs::RunQueue;

/// A timer that fires later than this was delayed by a lack of processor time.
const TIMER_SLACK: Duration = Duration::from_millis(5);

/// Counts the time lost since this was created.
#[derive(Debug)]
pub(super) struct Lateness {
    before: RunQueue,
    computed_before: Option<Duration>,
    /// How late the host itself was.
    of_host: Duration,
}

impl Lateness {
    /// Starts counting at the time the worker should have stopped.
    pub(super) fn since(due: Instant, process: &mut WorkerProcess) -> Self {
        let before = process.run_queue();
        Self {
            before,
            computed_before: process.cpu_time(),
            of_host: due.elapsed(),
        }
    }

    /// Measures up to now. Called when the host notices that another deadline has passed.
    pub(super) fn until(&mut self, due: Instant, process: &mut WorkerProcess) -> Late {
        let late = due.elapsed();
        if late > TIMER_SLACK {
            self.of_host += late;
        }
        let computed = process
            .cpu_time()
            .zip(self.computed_before)
            .map(|(now, before)| now.saturating_sub(before));
        let run_queue = process.run_queue();
        let computed = run_queue
            .computed_since(&self.before)
            .max(computed.unwrap_or_default());
        Late {
            lost: self.of_host + run_queue.starved_since(&self.before, computed),
            computed,
        }
    }
}
