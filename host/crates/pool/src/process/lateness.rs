//! The time that a worker lost after its stop because neither it nor the host had a processor.

use std::time::Duration;

use tokio::time::Instant;

use super::{clock::Late, worker_process::WorkerProcess};
use crate::procfs::RunQueue;

/// A timer that fires later than this was not late by itself.
const TIMER_SLACK: Duration = Duration::from_millis(5);

/// Counts the lost time from its creation on.
#[derive(Debug)]
pub(super) struct Lateness {
    before: RunQueue,
    computed_before: Option<Duration>,
    /// The time that the host itself was late.
    of_host: Duration,
}

impl Lateness {
    /// Starts to count when the worker should stop, at a time that has passed.
    pub(super) fn since(due: Instant, process: &mut WorkerProcess) -> Self {
        let before = process.run_queue();
        Self {
            before,
            computed_before: process.cpu_time(),
            of_host: due.elapsed(),
        }
    }

    /// Measures until now, when the host notices that another time has passed.
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
