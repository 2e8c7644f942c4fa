//! The flags that an AI reads during a job.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ai_api::Flag;

/// Set for each job and by the listener; read by the AI.
#[derive(Default)]
pub(crate) struct Flags {
    pub(crate) stop: Flag,
    pub(crate) pondering: Flag,
    /// Locked while a flag is set, because a stop may arrive before or after its job.
    latest: Mutex<Latest>,
}

/// The latest job, and the latest jobs that were stopped or had a ponder hit. The number 0 is
/// unused.
#[derive(Default)]
struct Latest {
    job: u64,
    stopped: u64,
    ponder_hit: u64,
}

impl Flags {
    /// Sets the flags for a starting job.
    pub(crate) fn start(&self, job: u64, ponder: bool) {
        let mut latest = self.latest();
        latest.job = job;
        self.stop.set(latest.stopped == job);
        self.pondering.set(ponder && latest.ponder_hit != job);
    }

    pub(crate) fn stop(&self, job: u64) {
        let mut latest = self.latest();
        latest.stopped = job;
        if latest.job == job {
            self.stop.set(true);
        }
    }

    pub(crate) fn ponder_hit(&self, job: u64) {
        let mut latest = self.latest();
        latest.ponder_hit = job;
        if latest.job == job {
            self.pondering.set(false);
        }
    }

    fn latest(&self) -> MutexGuard<'_, Latest> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applies_early_messages_and_ignores_late_ones() {
        let flags = Flags::default();
        flags.start(1, false);
        assert!(!flags.stop.get());
        flags.stop(2);
        flags.ponder_hit(2);
        assert!(!flags.stop.get(), "a stop for a job that has not started");
        flags.start(2, true);
        assert!(
            flags.stop.get() && !flags.pondering.get(),
            "both arrived before"
        );
        flags.start(3, true);
        flags.stop(2);
        flags.ponder_hit(2);
        assert!(!flags.stop.get() && flags.pondering.get(), "both are late");
        flags.stop(3);
        flags.ponder_hit(3);
        assert!(flags.stop.get() && !flags.pondering.get());
    }
}
