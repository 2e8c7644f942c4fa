//! The flags that an AI reads during a job.

use std::sync::atomic::{AtomicU64, Ordering};

use ai_api::Flag;

/// Set by the listener, read by the AI.
#[derive(Default)]
pub(crate) struct Flags {
    pub(crate) stop: Flag,
    pub(crate) pondering: Flag,
    /// The number of the last received job. Requests for other jobs are late.
    job: AtomicU64,
}

impl Flags {
    /// Resets the flags for a received job.
    pub(crate) fn start(&self, job: u64, ponder: bool) {
        self.job.store(job, Ordering::Relaxed);
        self.stop.set(false);
        self.pondering.set(ponder);
    }

    pub(crate) fn stop(&self, job: u64) {
        if self.job.load(Ordering::Relaxed) == job {
            self.stop.set(true);
        }
    }

    pub(crate) fn ponder_hit(&self, job: u64) {
        if self.job.load(Ordering::Relaxed) == job {
            self.pondering.set(false);
        }
    }
}
