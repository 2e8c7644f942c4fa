//! The deadlines of a job.

use std::time::Duration;

use tokio::time::Instant;

use crate::fault::Stall;
use config::thinking_time;
use protocol::Job;

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
    /// When the host stops the search. A preparation can't be stopped: it is late from then on.
    pub(super) stop_at: Instant,
    /// When the host gives up and kills the worker.
    pub(super) kill_at: Instant,
    /// The end of the time, without what the worker gets for lack of a processor.
    due_at: Instant,
    /// The latest time to give up.
    latest: Instant,
    pub(super) stall: Stall,
}

impl Deadlines {
    /// The deadlines of a preparation, which has no soft limit.
    pub(super) fn of_preparation(time: Duration, stop_grace: Duration, stall: fn(Duration) -> Stall) -> Self {
        Self::new(thinking_time(time, stop_grace), time, stall(time))
    }

    /// The time of a search starts when it no longer ponders.
    pub(super) fn of_job(
        time_allowed: &TimeAllowed,
        stop_grace: Duration,
        job: &Job,
        is_pondering: bool,
    ) -> Self {
        let left = time_allowed.left;
        let until_stop = thinking_time(left, stop_grace);
        let mut deadlines = Self::new(until_stop, left, Stall::Answer(time_allowed.job));
        if !is_pondering {
            deadlines.start_time_of(job);
        }
        deadlines
    }

    /// Stops the job at its hard time limit, which starts now.
    pub(super) fn start_time_of(&mut self, job: &Job) {
        if let Some(ms) = job.task.limits().hard_ms {
            let left = self.stop_at.saturating_duration_since(Instant::now());
            self.stop_at = Instant::now() + left.min(Duration::from_millis(ms));
        }
    }

    fn new(until_stop: Duration, time: Duration, stall: Stall) -> Self {
        let now = Instant::now();
        let due_at = now + time;
        Self { stop_at: now + until_stop, kill_at: due_at, due_at, latest: due_at + time, stall }
    }

    /// Moves the hard limit forward, to at most this much from now, and to no later time again.
    pub(super) fn shorten(&mut self, grace: Duration) {
        self.kill_at = self.kill_at.min(Instant::now() + grace);
        self.latest = self.kill_at;
    }

    /// Adds to the time what was lost for lack of a processor. Returns whether there is some left; at most the same time again.
    pub(super) fn extend(&mut self, lost: Duration) -> bool {
        self.kill_at = self.latest.min(self.due_at + lost);
        self.kill_at > Instant::now()
    }

    /// Returns whether the whole extension is used up.
    pub(super) fn is_starved(&self) -> bool {
        self.kill_at == self.latest && self.latest > self.due_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Fault;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn lacking_a_processor_extends_the_time_to_twice_at_most() {
        let mut deadlines = Deadlines::new(90 * SECOND, 100 * SECOND, Stall::Answer(100 * SECOND));
        let due = deadlines.kill_at;
        for (lost_s, extension_s, is_starved) in
            [(0, 0, false), (30, 30, false), (40, 40, false), (500, 100, true)]
        {
            assert!(deadlines.extend(lost_s * SECOND));
            assert_eq!((deadlines.kill_at - due, deadlines.is_starved()), (extension_s * SECOND, is_starved));
        }
        deadlines.shorten(SECOND);
        deadlines.extend(500 * SECOND);
        assert!(deadlines.kill_at < due && !deadlines.is_starved(), "its client has disconnected");
    }

    #[test]
    fn a_starved_worker_is_replaced_without_a_fault_of_the_ai() {
        let faults = [Stall::Answer(SECOND), Stall::Starved(SECOND)].map(Fault::Stalled);
        assert_eq!(faults.each_ref().map(Fault::is_ai_fault), [true, false]);
        assert_eq!(faults.each_ref().map(Fault::kills_worker), [true, true]);
    }
}
