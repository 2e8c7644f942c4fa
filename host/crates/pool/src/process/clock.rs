//! The deadlines of a job.

use std::time::Duration;

use tokio::time::Instant;

use crate::fault::Stall;
use protocol::Job;

/// The time from the stop to the hard limit.
const STOP_GRACE: Duration = Duration::from_millis(20);

/// The time of one job.
#[derive(Clone, Copy, Debug)]
pub struct TimeAllowed {
    /// For the preparation: a new game, or an instance with other options.
    pub preparation: Duration,
    pub job: Duration,
    /// The rest of it, shorter after a failed attempt.
    pub left: Duration,
}

impl TimeAllowed {
    /// Allows the same time for the job and for its preparation.
    pub(crate) const fn of(time: Duration) -> Self {
        Self { preparation: time, job: time, left: time }
    }
}

/// The deadlines of a phase of a job.
pub(super) struct Deadlines {
    /// When the host stops the search.
    pub(super) stop_at: Instant,
    /// When the host gives up and kills the worker.
    pub(super) kill_at: Instant,
    pub(super) stall: Stall,
}

impl Deadlines {
    /// The deadlines of a preparation, which has no soft limit.
    pub(super) fn of_preparation(time_allowed: &TimeAllowed, stall: fn(Duration) -> Stall) -> Self {
        let kill_at = Instant::now() + time_allowed.preparation;
        Self { stop_at: kill_at, kill_at, stall: stall(time_allowed.preparation) }
    }

    pub(super) fn of_job(time_allowed: &TimeAllowed, job: &Job) -> Self {
        let (now, left) = (Instant::now(), time_allowed.left);
        // The time of a search that ponders has not started yet.
        let hard_ms = job.task.limits().hard_ms.filter(|_| !job.params.ponder);
        let most = hard_ms.map_or(left, Duration::from_millis);
        let stop_at = now + thinking_time(left).min(most);
        Self { stop_at, kill_at: now + left, stall: Stall::Answer(time_allowed.job) }
    }

    /// Moves the hard limit forward, to at most this much from now.
    pub(super) fn shorten(&mut self, grace: Duration) {
        self.kill_at = self.kill_at.min(Instant::now() + grace);
    }
}

/// Returns the part of a job's time after which the host stops the search.
pub(crate) fn thinking_time(time_allowed: Duration) -> Duration {
    time_allowed.saturating_sub(STOP_GRACE.min(time_allowed / 2))
}
